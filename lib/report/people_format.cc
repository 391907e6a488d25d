#include "report/people_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/units.h"
#include "report/display.h"

namespace tfprof::report {
namespace {

// The number in a cell: picoseconds of times, else as it is.
double NumberIn(const Cell& cell, Kind kind) {
  if (const auto* time = std::get_if<Picoseconds>(&cell)) return static_cast<double>(time->value);
  if (const auto* value = std::get_if<double>(&cell)) return kind == Kind::kTime ? *value * kPsPerUs : *value;
  if (const auto* count = std::get_if<uint64_t>(&cell)) return static_cast<double>(*count);
  return 0;
}

}  // namespace

PeopleFormat::PeopleFormat(const std::vector<Column>& columns, Unit unit)
    : columns_(columns), unit_(unit), measures_(columns.size()) {
  ChooseUnits();
}

void PeopleFormat::Measure(const Table& table) {
  Row row;
  std::string text;
  for (size_t r = 0; r < table.rows; ++r) {
    table.read(r, &row);
    for (size_t i = 0; i < columns_.size(); ++i) {
      const Cell& cell = row.cells[i];
      Measurement& measure = measures_[i];
      const Kind kind = columns_[i].kind;
      const bool any_width = kind == Kind::kFraction && columns_[i].is_change;  // there is no largest one
      if (kind == Kind::kText || kind == Kind::kNumber || kind == Kind::kBoolean || any_width) {
        text.clear();
        Append(i, cell, &text);
        measure.text_width = std::max(measure.text_width, DisplayWidth(text));
      } else if (kind != Kind::kFraction || row.kind == RowKind::kPlain) {
        measure.largest = std::max(measure.largest, std::abs(NumberIn(cell, kind)));
      }
    }
  }
  ChooseUnits();
}

void PeopleFormat::ChooseUnits() {
  for (const TimeGroup group : {TimeGroup::kSums, TimeGroup::kSingleEvents}) {
    double largest = 0;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].kind == Kind::kTime && columns_[i].time_group == group) {
        largest = std::max(largest, measures_[i].largest);
      }
    }
    time_formats_[static_cast<size_t>(group)] = TimeFormatFor(largest, unit_);
  }
}

std::string PeopleFormat::Label(size_t column) const {
  if (columns_[column].kind != Kind::kTime) return columns_[column].label;
  return fmt::format("{} {}", columns_[column].label, UnitName(FormatOf(column).unit));
}

// Of changes: prints the sign and leaves the size.
double PeopleFormat::TakeSign(size_t column, double value, std::string* out) const {
  if (!columns_[column].is_change || value == 0) return value;
  out->push_back(value > 0 ? '+' : '-');
  return std::abs(value);
}

void PeopleFormat::Append(size_t column, const Cell& cell, std::string* out) const {
  if (std::holds_alternative<Missing>(cell)) return;
  const Kind kind = columns_[column].kind;
  switch (kind) {
    case Kind::kText:
      if (const auto* d = std::get_if<Dimensions>(&cell)) {
        fmt::format_to(std::back_inserter(*out), "{},{},{}", d->xyz[0], d->xyz[1], d->xyz[2]);
      } else {
        AppendDisplayable(std::get<std::string_view>(cell), out);
      }
      return;
    case Kind::kBoolean:
      out->append(std::get<bool>(cell) ? "yes" : "no");
      return;
    case Kind::kInteger:
      out->append(GroupedText(std::get<uint64_t>(cell)));
      return;
    case Kind::kTime:
      AppendTime(TakeSign(column, NumberIn(cell, kind), out), FormatOf(column), out);
      return;
    case Kind::kFraction:
      AppendPercent(TakeSign(column, NumberIn(cell, kind), out), out);
      return;
    case Kind::kNumber:
      fmt::format_to(std::back_inserter(*out), "{:.4g}", NumberIn(cell, kind));
      return;
  }
}

size_t PeopleFormat::Width(size_t column) const {
  const Measurement& measure = measures_[column];
  size_t cells = measure.text_width;
  std::string text;
  switch (columns_[column].kind) {
    case Kind::kInteger:
      cells = GroupedText(static_cast<uint64_t>(measure.largest)).size();
      break;
    case Kind::kTime: {
      const TimeFormat& format = FormatOf(column);
      AppendTime(measure.largest, format, &text);
      std::string smallest;
      AppendTime(1e-3, format, &smallest);
      cells = std::max(text.size(), smallest.size()) + (columns_[column].is_change ? 1 : 0);
      break;
    }
    case Kind::kFraction:
      cells = std::max(cells, std::string_view("100.0%").size());
      break;
    default:
      break;
  }
  return std::max(cells, DisplayWidth(Label(column)));
}

}  // namespace tfprof::report
