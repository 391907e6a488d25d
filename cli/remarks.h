// What is said about an answer as a whole, besides what readers and analyses find in files.
#pragma once

#include <string>
#include <vector>

#include "analyze/inventory.h"
#include "analyze/ops_result.h"
#include "base/diagnostics.h"

namespace tfprof::cli {

// A profile without ops is no answer, but it may hold other things: says which.
std::string NothingToAnalyse(const std::vector<analyze::FileInventory>& files);

// Names that are not UTF-8 are kept apart but can't be printed as they are.
void NoteInvalidNames(const analyze::OpsResult& ops, Diagnostics* diagnostics);

}  // namespace tfprof::cli
