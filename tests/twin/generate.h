// XSpaces of chance, where the files at hand are too tame: big metadata maps with keys near and far, in any order.
#pragma once

#include <string>

#include "scramble.h"

namespace tfprof::twin {

std::string Generate(Random* random);

}  // namespace tfprof::twin
