// What the reader of a profile must be told besides the answer: damage, doubt and notes.
//
// A `Diagnostic` is a value; library code collects them and never prints. Codes are stable (they may be added, never
// renamed); `docs/diagnostics.md` explains each. Counts of one code and text add up, the first place is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

enum class Severity { kNote, kWarning, kError };

enum class DiagCode {
  kTruncatedInput,
  kUnterminatedArray,
  kBrokenEvent,
  kUnfinishedEvent,
  kStrayEnd,
  kOverlappingEvents,
  kOverrun,
  kTimeOutlier,
  kBadNumber,
  kMissingField,
  kInvalidUtf8,
  kBadChecksum,
  kUnattributedDeviceTime,
  kNoDeviceActivity,
  kProfilerError,
  kProfilerWarning,
  kEventLimit,
  kNoStepMarkers,
  kDuplicateSource,
  kIgnoredFile,
  kUntimedEvent,
  kRowsLimited,
  kUnreadableInput,
  kNotAProfile,
  kUnsupportedFormat,
  kEmptyProfile,
  kUnresolvedHlo,
  kMissingRoofline,
  kMultipleRuns,
  kNoMemoryEvents,
  kNoInputPipeline,
  kPartialTable,
  kStepsChosen,
  kNoStepChosen,
  kCount
};

// Stable text of a code ("truncated-input"), its severity, and whether it means that the data are damaged: damage of
// severity error gives exit 3 (0 with --allow-partial), damage of severity warning gives exit 3 with --strict.
std::string_view CodeName(DiagCode code);
Severity SeverityOf(DiagCode code);
bool IsDamage(DiagCode code);
std::string_view SeverityName(Severity severity);

struct Diagnostic {
  DiagCode code = DiagCode::kCount;
  uint64_t count = 1;
  std::string message;  // a whole sentence; names the file and, where there is one, the byte offset

  bool operator==(const Diagnostic&) const = default;
};

class Diagnostics {
 public:
  void Add(DiagCode code, std::string message, uint64_t count = 1);
  void Merge(const Diagnostics& other);
  // Those of another reading of the same bytes: what both tell counts once.
  void MergeAgain(const Diagnostics& other);

  // Errors first, then warnings, then notes; within one severity in order of arrival.
  std::vector<Diagnostic> Sorted() const;
  bool Has(DiagCode code) const;
  bool Empty() const { return items_.empty(); }
  const std::vector<Diagnostic>& items() const { return items_; }

 private:
  std::vector<Diagnostic> items_;
};

}  // namespace tfprof
