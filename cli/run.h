// The program as a function: arguments in, exit status out, everything else through Io.
#pragma once

#include <string>
#include <vector>

#include "cli/io.h"

namespace tfprof::cli {

using Args = std::vector<std::string>;  // without the program's name

int Run(const Args& args, Io& io);

}  // namespace tfprof::cli
