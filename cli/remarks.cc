#include "cli/remarks.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/utf8.h"

namespace tfprof::cli {

std::string NothingToAnalyse(const std::vector<analyze::FileInventory>& files) {
  uint64_t lanes = 0, events = 0;
  for (const analyze::FileInventory& file : files) {
    for (const analyze::PlaneInventory& plane : file.planes) {
      lanes += plane.lanes.size();
      events += plane.events();
    }
  }
  const std::string holds =
      events == 0 ? "it holds no events at all"
                  : fmt::format(
                        "it holds {} on {}, none of them a framework op or device event (Python "
                        "frames, annotations and the like are none); `info` lists them",
                        Counted(events, "event", "events"), Counted(lanes, "line", "lines"));
  return fmt::format("nothing to analyse in the profile: {}", holds);
}

void NoteInvalidNames(const analyze::OpsResult& ops, Diagnostics* diagnostics) {
  uint64_t bad = 0;
  std::string first;
  for (const analyze::OpsRow& row : ops.rows) {
    if (IsValidUtf8(row.op_name) && IsValidUtf8(row.op_type) && IsValidUtf8(row.key)) continue;
    if (bad++ == 0) first = row.op_name.empty() ? row.key : row.op_name;
  }
  if (bad == 0) return;
  diagnostics->Add(DiagCode::kInvalidUtf8,
                   fmt::format("names are not valid UTF-8; each bad byte is printed as U+FFFD; first: {}", first), bad);
}

}  // namespace tfprof::cli
