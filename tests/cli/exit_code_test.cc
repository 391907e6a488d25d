// The table of docs/exit-codes.md.
#include "cli/exit_code.h"

#include <catch2/catch.hpp>

namespace tfprof::cli {
namespace {

enum class Mode { kDefault, kStrict, kAllowPartial };

ExitCode Code(DiagCode diagnostic, Mode mode, bool anything_opened = true, bool empty = false) {
  Diagnostics diagnostics;
  if (diagnostic != DiagCode::kCount) diagnostics.Add(diagnostic, "something");
  return ExitCodeFor(diagnostics, {anything_opened, empty, mode == Mode::kStrict, mode == Mode::kAllowPartial});
}

constexpr DiagCode kNothingSaid = DiagCode::kCount;

}  // namespace

TEST_CASE("severity and damage decide the exit code") {
  for (int i = 0; i < static_cast<int>(DiagCode::kCount); ++i) {
    const auto code = static_cast<DiagCode>(i);
    INFO(CodeName(code));
    const bool error = SeverityOf(code) == Severity::kError;
    CHECK(Code(code, Mode::kDefault) == (error ? ExitCode::kDamaged : ExitCode::kDone));
    CHECK(Code(code, Mode::kStrict) == (error || IsDamage(code) ? ExitCode::kDamaged : ExitCode::kDone));
    CHECK(Code(code, Mode::kAllowPartial) == ExitCode::kDone);
  }
  CHECK(Code(kNothingSaid, Mode::kStrict) == ExitCode::kDone);
}

TEST_CASE("an empty profile is 4 whatever the flags, unless input is lost") {
  for (const Mode mode : {Mode::kDefault, Mode::kStrict, Mode::kAllowPartial}) {
    CHECK(Code(DiagCode::kEmptyProfile, mode, true, true) == ExitCode::kNothing);
    CHECK(Code(DiagCode::kEmptyProfile, mode, false, true) == ExitCode::kNothing);
  }
  CHECK(Code(DiagCode::kTruncatedInput, Mode::kDefault, true, true) == ExitCode::kDamaged);
  CHECK(Code(DiagCode::kTruncatedInput, Mode::kAllowPartial, true, true) == ExitCode::kNothing);
}

TEST_CASE("where nothing could be opened no flag makes it better") {
  for (const Mode mode : {Mode::kDefault, Mode::kStrict, Mode::kAllowPartial}) {
    CHECK(Code(DiagCode::kUnreadableInput, mode, false, true) == ExitCode::kDamaged);
    CHECK(Code(DiagCode::kNotAProfile, mode, false, true) == ExitCode::kDamaged);
  }
}

}  // namespace tfprof::cli
