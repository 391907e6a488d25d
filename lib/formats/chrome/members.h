// The members of one JSON object, one after the other: for what TraceEvent doesn't pick out of an event.
//
// The object was found whole by the scanner (scanner.h), so that its text is balanced; a superfluous comma is passed
// over, and at anything odd the members end. Keys and values are views into the text, strings still
// escaped (TextOf compares).
#pragma once

#include <string_view>

#include "formats/chrome/event.h"

namespace tfprof::chrome {

class MemberCursor {
 public:
  // `text` begins with the object's `{` and may go on behind it.
  explicit MemberCursor(std::string_view text);

  // False: there are no more.
  bool Next(JsonValue* key, JsonValue* value);

 private:
  const char* p_;
  const char* end_;
};

// The value of a member; absent if there is none. Of several of that name the last counts.
JsonValue FindMember(std::string_view object, std::string_view key);

}  // namespace tfprof::chrome
