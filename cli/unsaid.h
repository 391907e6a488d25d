// What two readings of the same files both found is said once: counts of the first stand.
#pragma once

#include "base/diagnostics.h"

namespace tfprof::cli {

// Adds to `said` what of `found` isn't in it.
void AddUnsaid(const Diagnostics& found, Diagnostics* said);

}  // namespace tfprof::cli
