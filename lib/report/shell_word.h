// Words of commands that a document tells people to type.
#pragma once

#include <string>
#include <string_view>

namespace tfprof::report {

// The word as a POSIX shell takes it: quoted where it must be, control characters spelled out.
std::string ShellWord(std::string_view word);

}  // namespace tfprof::report
