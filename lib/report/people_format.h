// How the cells of tables with the same columns print for people: one unit for each group of times, thousands
// separated, fractions as percent. First every table is measured, then cells are printed, alike in all of them.
#pragma once

#include <string>
#include <vector>

#include "report/number.h"
#include "report/table.h"

namespace tfprof::report {

class PeopleFormat {
 public:
  PeopleFormat(const std::vector<Column>& columns, Unit unit);

  void Measure(const Table& table);

  // The label, of times with their unit: `Self ms`.
  std::string Label(size_t column) const;
  // Appends the text of a cell, displayable and not aligned.
  void Append(size_t column, const Cell& cell, std::string* out) const;
  // Display columns of the widest cell measured and of the label.
  size_t Width(size_t column) const;
  // The largest fraction of a column with bars among the rows that are ops.
  double LargestFraction(size_t column) const { return measures_[column].largest; }

 private:
  struct Measurement {
    double largest = 0;  // ps, count or fraction
    size_t text_width = 0;
  };

  void ChooseUnits();
  double TakeSign(size_t column, double value, std::string* out) const;
  const TimeFormat& FormatOf(size_t column) const {
    return time_formats_[static_cast<size_t>(columns_[column].time_group)];
  }

  std::vector<Column> columns_;
  Unit unit_;
  std::vector<Measurement> measures_;
  TimeFormat time_formats_[2];  // by TimeGroup
};

// Numbers stand right, so that their digits are below each other.
inline bool IsRightAligned(const Column& column) { return column.kind != Kind::kText && column.kind != Kind::kBoolean; }

}  // namespace tfprof::report
