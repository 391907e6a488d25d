// A step function as block characters, for terminals and Markdown.
//
//   62.4 MB │   ▃█▇▇
//           │▁▄▇████▂▁
//         0 └─────────
//            0 µs  9 µs
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/document.h"

namespace tfprof::report {

// Lines of at most `width` columns (at least 40 are taken), the axes included, without line ends.
std::vector<std::string> DrawPlot(const Plot& plot, size_t width);

}  // namespace tfprof::report
