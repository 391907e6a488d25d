// What an input is, by its first bytes; its name never decides.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::formats {

enum class FileKind {
  kXSpace,
  kChromeJson,
  kEmpty,        // no bytes at all
  kUnsupported,  // known, but not read
  kUnknown,      // no profile
};

struct Detection {
  FileKind kind = FileKind::kUnknown;
  std::string reason;  // one sentence: what decided; for kUnsupported and kUnknown what it is and what to do
};

// `head`: the first bytes after gunzip, 4 KiB or the whole input if that is shorter.
Detection Detect(std::string_view head);

}  // namespace tfprof::formats
