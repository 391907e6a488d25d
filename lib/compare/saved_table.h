// Op tables that were saved, read back as a run: `ops --format json`, our CSV and TSV, and TensorBoard's CSV of either
// era (reference: csv.md of the project; columns are found by their names).
//
// Such a table tells no steps, no environment and no memory. Times are in microseconds there; IDLE rows become the
// idle time of their side. A table that was cut (--limit) or made --by something else than op is no op table.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnostics.h"
#include "base/status.h"
#include "compare/run_profile.h"

namespace tfprof::compare {

enum class SavedKind : uint8_t { kNone, kOpsJson, kOpsCsv, kTensorBoardCsv, kBaseline, kOtherDocument };

// By the beginning of a text; `kOtherDocument` is one of ours that holds no op table.
SavedKind DetectSaved(std::string_view head);
// What `info` would call it: "op table (JSON)".
std::string_view SavedKindName(SavedKind kind);

// `name` stands in messages. Rows that were summed up as others, and damage that the document tells of, go to
// `diagnostics`. An Error: what the text is and why it is of no use.
Result<RunProfile> ParseSavedTable(std::string_view text, SavedKind kind, std::string_view name,
                                   Diagnostics* diagnostics);

}  // namespace tfprof::compare
