// Codes as docs/diagnostics.md names them, and how diagnostics add up.
#include "base/diagnostics.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace tfprof {
namespace {

TEST_CASE("every code has a name of its own, in lower case and hyphens") {
  std::set<std::string_view> names;
  for (int i = 0; i < static_cast<int>(DiagCode::kCount); ++i) {
    const std::string_view name = CodeName(static_cast<DiagCode>(i));
    CHECK_FALSE(name.empty());
    CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos);
    CHECK(names.insert(name).second);
  }
}

TEST_CASE("codes keep their names, severities and what they say of the data") {
  struct Row {
    DiagCode code;
    const char* name;
    const char* severity;
    bool damage;
  };
  const Row row = GENERATE(Row{DiagCode::kTruncatedInput, "truncated-input", "error", true},
                           Row{DiagCode::kUnterminatedArray, "unterminated-array", "note", false},
                           Row{DiagCode::kBrokenEvent, "broken-event", "warning", true},
                           Row{DiagCode::kOverlappingEvents, "overlapping-events", "warning", false},
                           Row{DiagCode::kTimeOutlier, "time-outlier", "warning", true},
                           Row{DiagCode::kInvalidUtf8, "invalid-utf8", "warning", false},
                           Row{DiagCode::kBadChecksum, "bad-checksum", "warning", true},
                           Row{DiagCode::kProfilerError, "profiler-error", "warning", false},
                           Row{DiagCode::kEventLimit, "event-limit", "warning", false},
                           Row{DiagCode::kUntimedEvent, "untimed-event", "warning", true},
                           Row{DiagCode::kUnreadableInput, "unreadable-input", "error", true},
                           Row{DiagCode::kNotAProfile, "not-a-profile", "error", true},
                           Row{DiagCode::kEmptyProfile, "empty-profile", "warning", false},
                           Row{DiagCode::kUnresolvedHlo, "unresolved-hlo", "note", false},
                           Row{DiagCode::kMultipleRuns, "multiple-runs", "note", false});
  CHECK(CodeName(row.code) == row.name);
  CHECK(SeverityName(SeverityOf(row.code)) == row.severity);
  CHECK(IsDamage(row.code) == row.damage);
}

TEST_CASE("an error is always damage, a note never") {
  for (int i = 0; i < static_cast<int>(DiagCode::kCount); ++i) {
    const auto code = static_cast<DiagCode>(i);
    INFO(CodeName(code));
    if (SeverityOf(code) == Severity::kError) CHECK(IsDamage(code));
    if (SeverityOf(code) == Severity::kNote) CHECK_FALSE(IsDamage(code));
  }
}

TEST_CASE("counts of one code and text add up, other texts stand apart") {
  Diagnostics diagnostics;
  CHECK(diagnostics.Empty());
  diagnostics.Add(DiagCode::kBrokenEvent, "a.pb: byte 7", 2);
  diagnostics.Add(DiagCode::kBrokenEvent, "b.pb: byte 9");
  diagnostics.Add(DiagCode::kBrokenEvent, "a.pb: byte 7", 3);
  diagnostics.Add(DiagCode::kTimeOutlier, "a.pb: byte 7");
  CHECK(diagnostics.items() == std::vector<Diagnostic>{{DiagCode::kBrokenEvent, 5, "a.pb: byte 7"},
                                                       {DiagCode::kBrokenEvent, 1, "b.pb: byte 9"},
                                                       {DiagCode::kTimeOutlier, 1, "a.pb: byte 7"}});
  CHECK_FALSE(diagnostics.Empty());
  CHECK(diagnostics.Has(DiagCode::kTimeOutlier));
  CHECK_FALSE(diagnostics.Has(DiagCode::kOverrun));
}

TEST_CASE("errors come first, then warnings, then notes, each in order of arrival") {
  Diagnostics diagnostics;
  diagnostics.Add(DiagCode::kMultipleRuns, "n1");
  diagnostics.Add(DiagCode::kOverrun, "w1");
  diagnostics.Add(DiagCode::kNotAProfile, "e1");
  diagnostics.Add(DiagCode::kEventLimit, "w2");
  diagnostics.Add(DiagCode::kTruncatedInput, "e2");
  diagnostics.Add(DiagCode::kIgnoredFile, "n2");
  std::string order;
  for (const Diagnostic& d : diagnostics.Sorted()) order += d.message + " ";
  CHECK(order == "e1 e2 w1 w2 n1 n2 ");
  CHECK(diagnostics.items().front().message == "n1");  // the collection itself stays as it was
  CHECK(Diagnostics().Sorted().empty());
}

TEST_CASE("what two readings of the same bytes tell counts once") {
  Diagnostics first, again;
  first.Add(DiagCode::kBrokenEvent, "a", 2);
  first.Add(DiagCode::kTimeOutlier, "b", 5);
  again.Add(DiagCode::kBrokenEvent, "a", 3);
  again.Add(DiagCode::kTimeOutlier, "b", 4);
  again.Add(DiagCode::kTimeOutlier, "c", 1);
  first.MergeAgain(again);
  REQUIRE(first.items().size() == 3);
  CHECK(first.items()[0].count == 3);
  CHECK(first.items()[1].count == 5);
  CHECK(first.items()[2].message == "c");
  CHECK(first.items()[2].count == 1);
}

TEST_CASE("merging is adding one by one") {
  Diagnostics a, b;
  a.Add(DiagCode::kBrokenEvent, "x", 2);
  b.Add(DiagCode::kOverrun, "y");
  b.Add(DiagCode::kBrokenEvent, "x", 40);
  a.Merge(b);
  a.Merge(Diagnostics());
  CHECK(a.items() == std::vector<Diagnostic>{{DiagCode::kBrokenEvent, 42, "x"}, {DiagCode::kOverrun, 1, "y"}});
}

}  // namespace
}  // namespace tfprof
