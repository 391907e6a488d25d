// A table as a value: typed columns and rows, before any format is chosen. Every format is written from it.
//
// Rows are read one at a time from whoever holds the data (an OpsResult of a million rows is not copied), in any order
// and as often as a writer wants. Texts in cells are views into that data, raw as they stand in the profile: writers
// see to it that what they write is valid. Times are picoseconds where they are exact (Picoseconds) and microseconds
// where they are averages or quantiles (double); both print as microseconds in machine formats.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tfprof::report {

struct Missing {  // null in JSON, an empty field elsewhere
  bool operator==(const Missing&) const = default;
};

struct Picoseconds {
  __int128 value = 0;
  bool operator==(const Picoseconds&) const = default;
};

// Of a grid or block: an array in JSON, `x,y,z` elsewhere.
struct Dimensions {
  std::array<uint32_t, 3> xyz{};
  bool operator==(const Dimensions&) const = default;
};

using Cell = std::variant<Missing, std::string_view, uint64_t, Picoseconds, double, bool, Dimensions>;

enum class Kind { kText, kInteger, kTime, kFraction, kNumber, kBoolean };

// Times of one group are printed for people in one unit, so that they can be compared at a glance.
enum class TimeGroup { kSums, kSingleEvents };

struct Column {
  std::string id;     // JSON field and CSV header
  std::string label;  // for people; the unit of times is appended
  Kind kind = Kind::kText;

  // For people only.
  TimeGroup time_group = TimeGroup::kSums;
  bool bar = false;           // a bar is drawn behind the fraction
  bool is_change = false;     // times and fractions of which the sign matters: `+1.2`
  int leave_out = 0;          // a table too wide leaves out columns with higher numbers first; 0: never
  size_t least_width = 0;     // texts may be elided in the middle down to this; 0: never
  size_t readable_width = 0;  // columns are left out rather than texts elided below this
};
inline Column MakeColumn(std::string_view id, std::string_view label, Kind kind) {
  return {.id = std::string(id), .label = std::string(label), .kind = kind};
}

enum class RowKind {
  kPlain,
  kMuted,   // no op (IDLE): stands back in print and doesn't scale the bars
  kOthers,  // sum of the rows that were cut; in JSON it stands beside the rows
};

struct Row {
  RowKind kind = RowKind::kPlain;
  std::vector<Cell> cells;  // one per column
};

struct Table {
  std::vector<Column> columns;
  size_t rows = 0;
  // Fills `row` (whose cells it clears first); valid until the next call with the same Row.
  std::function<void(size_t index, Row* row)> read;
  // Instead of the two above where rows are only met while the input is read: gives each once, until `visit` answers false.
  // Such a table is for machine formats, which don't measure before they print.
  std::function<void(const std::function<bool(const Row& row)>& visit)> stream;
};

// Calls visit(row) for each row, until it answers false.
template <typename Visit>
void ForEachRow(const Table& table, Visit visit) {
  if (table.stream) return table.stream(visit);
  Row row;
  for (size_t i = 0; i < table.rows; ++i) {
    table.read(i, &row);
    if (!visit(static_cast<const Row&>(row))) return;
  }
}

using TablePtr = std::shared_ptr<const Table>;

}  // namespace tfprof::report
