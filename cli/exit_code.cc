#include "cli/exit_code.h"

#include <algorithm>

namespace tfprof::cli {

ExitCode ExitCodeFor(const Diagnostics& diagnostics, const Verdict& verdict) {
  const auto& items = diagnostics.items();
  const bool lost = std::any_of(items.begin(), items.end(),
                                [](const Diagnostic& d) { return SeverityOf(d.code) == Severity::kError; });
  const bool doubtful = std::any_of(items.begin(), items.end(), [](const Diagnostic& d) { return IsDamage(d.code); });
  const bool damaged = lost || (verdict.strict && doubtful);
  // Where nothing at all could be opened, --allow-partial has no part to allow.
  if (lost && !verdict.anything_opened) return ExitCode::kDamaged;
  if (damaged && !verdict.allow_partial) return ExitCode::kDamaged;
  if (verdict.empty || !verdict.anything_opened) return ExitCode::kNothing;
  return ExitCode::kDone;
}

}  // namespace tfprof::cli
