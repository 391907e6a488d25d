// What the program says on standard error: one line a message, `tfprof-analyze: warning: …`.
#pragma once

#include <string_view>

#include "base/diagnostics.h"
#include "cli/io.h"

namespace tfprof::cli {

class Messages {
 public:
  // `quiet`: only errors are said.
  Messages(OutputStream* err, bool color, bool quiet) : err_(err), color_(color), quiet_(quiet) {}

  void Say(Severity severity, std::string_view text);
  // Without a word of severity: what is going on, not what is wrong.
  void Inform(std::string_view text);

 private:
  void Line(std::string_view label, std::string_view color, std::string_view text);

  OutputStream* err_;
  bool color_;
  bool quiet_;
};

}  // namespace tfprof::cli
