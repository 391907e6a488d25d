// UTF-8 of names that come from files: validity, and a valid spelling of whatever the bytes are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct DecodedChar {
  char32_t code = kReplacementCharacter;
  size_t bytes = 1;
  bool valid = false;
};

// Decodes the character at the start of a text that isn't empty. A byte that starts no well-formed character (overlong
// forms, surrogates and what lies beyond U+10FFFF aren't) is one invalid character of one byte.
DecodedChar DecodeUtf8(std::string_view text);

bool IsValidUtf8(std::string_view text);

// Appends `text` with U+FFFD in place of each invalid byte.
void AppendValidUtf8(std::string_view text, std::string* out);

void AppendUtf8(char32_t code, std::string* out);

}  // namespace tfprof
