#include "base/diagnostics.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tfprof {
namespace {

struct Row {
  std::string_view name;
  Severity severity;
  bool damage;
};

// In the order of DiagCode.
constexpr std::array<Row, static_cast<size_t>(DiagCode::kCount)> kRows = {{
    {"truncated-input", Severity::kError, true},
    {"unterminated-array", Severity::kNote, false},
    {"broken-event", Severity::kWarning, true},
    {"unfinished-event", Severity::kWarning, true},
    {"stray-end", Severity::kWarning, true},
    {"overlapping-events", Severity::kWarning, false},
    {"overrun", Severity::kWarning, false},
    {"time-outlier", Severity::kWarning, true},
    {"bad-number", Severity::kWarning, true},
    {"missing-field", Severity::kWarning, true},
    {"invalid-utf8", Severity::kWarning, false},
    {"bad-checksum", Severity::kWarning, true},
    {"unattributed-device-time", Severity::kNote, false},
    {"no-device-activity", Severity::kNote, false},
    {"profiler-error", Severity::kWarning, false},
    {"profiler-warning", Severity::kWarning, false},
    {"event-limit", Severity::kWarning, false},
    {"no-step-markers", Severity::kNote, false},
    {"duplicate-source", Severity::kNote, false},
    {"ignored-file", Severity::kNote, false},
    {"untimed-event", Severity::kWarning, true},
    {"rows-limited", Severity::kNote, false},
    {"unreadable-input", Severity::kError, true},
    {"not-a-profile", Severity::kError, true},
    {"unsupported-format", Severity::kError, true},
    {"empty-profile", Severity::kWarning, false},
    {"unresolved-hlo", Severity::kNote, false},
    {"missing-roofline", Severity::kNote, false},
    {"multiple-runs", Severity::kNote, false},
    {"no-memory-events", Severity::kNote, false},
    {"no-input-pipeline", Severity::kNote, false},
    {"partial-table", Severity::kWarning, true},
    {"steps-chosen", Severity::kNote, false},
    {"no-step-chosen", Severity::kWarning, false},
}};

const Row& RowOf(DiagCode code) { return kRows[static_cast<size_t>(code)]; }

}  // namespace

std::string_view CodeName(DiagCode code) { return RowOf(code).name; }
Severity SeverityOf(DiagCode code) { return RowOf(code).severity; }
bool IsDamage(DiagCode code) { return RowOf(code).damage; }

std::string_view SeverityName(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      break;
  }
  return "note";
}

void Diagnostics::Add(DiagCode code, std::string message, uint64_t count) {
  for (Diagnostic& item : items_) {
    if (item.code == code && item.message == message) {
      item.count += count;
      return;
    }
  }
  items_.push_back({code, count, std::move(message)});
}

void Diagnostics::Merge(const Diagnostics& other) {
  for (const Diagnostic& item : other.items_) Add(item.code, item.message, item.count);
}

void Diagnostics::MergeAgain(const Diagnostics& other) {
  for (const Diagnostic& item : other.items_) {
    const auto same = std::find_if(items_.begin(), items_.end(), [&](const Diagnostic& mine) {
      return mine.code == item.code && mine.message == item.message;
    });
    if (same == items_.end()) {
      items_.push_back(item);
    } else {
      same->count = std::max(same->count, item.count);
    }
  }
}

std::vector<Diagnostic> Diagnostics::Sorted() const {
  std::vector<Diagnostic> out = items_;
  std::stable_sort(out.begin(), out.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return SeverityOf(a.code) > SeverityOf(b.code);
  });
  return out;
}

bool Diagnostics::Has(DiagCode code) const {
  return std::any_of(items_.begin(), items_.end(), [code](const Diagnostic& d) { return d.code == code; });
}

}  // namespace tfprof
