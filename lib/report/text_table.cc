#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "report/display.h"

namespace tfprof::report {
namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kWideScreen = 120, kNarrowScreen = 90;
constexpr size_t kLongestRule = 240;  // of --wide, however long a name is

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

}  // namespace

TextTables::TextTables(const Tables& block, const TextStyle& style)
    : block_(block), columns_(block.sections.front().table->columns), style_(style), paint_(style.color) {
  for (const Section& section : block.sections) {
    formats_.emplace_back(section.table->columns, style.unit);
    formats_.back().Measure(*section.table);
  }
  Layout();
}

void TextTables::Layout() {
  bar_width_ = style_.wide || style_.width >= kWideScreen ? 16 : (style_.width >= kNarrowScreen ? 10 : 6);
  for (size_t i = 0; i < columns_.size(); ++i) {
    places_.push_back({i, WidthOf(i) + (columns_[i].bar ? 1 + bar_width_ : 0)});
  }
  if (style_.wide) return;
  LeaveOutColumns();
  ElideTexts();
  TellNamesApart();
}

size_t TextTables::WidthOf(size_t column) const {
  size_t width = 0;
  for (const PeopleFormat& format : formats_) width = std::max(width, format.Width(column));
  return width;
}

size_t TextTables::TotalWidth() const {
  size_t width = kGap.size() * (places_.size() - 1);
  for (const Place& place : places_) width += place.width;
  return width;
}

void TextTables::LeaveOutColumns() {
  const auto readable_width = [&] {
    size_t width = TotalWidth();
    for (const Place& place : places_) {
      const Column& column = columns_[place.column];
      if (column.least_width > 0) width -= place.width - std::min(place.width, column.readable_width);
    }
    return width;
  };
  while (readable_width() > style_.width) {
    const auto number = [&](const Place& place) { return columns_[place.column].leave_out; };
    const auto least = std::max_element(places_.begin(), places_.end(),
                                        [&](const Place& a, const Place& b) { return number(a) < number(b); });
    if (number(*least) == 0) break;
    places_.erase(least);
    ++left_out_;
  }
  FitNarrow();
}

// On a screen too narrow for what is never left out: no bars, then no numbers from the right, but for the first column.
void TextTables::FitNarrow() {
  const auto least_width = [&] {
    size_t width = TotalWidth();
    for (const Place& place : places_) width -= place.width - LeastWidth(place);
    return width;
  };
  if (least_width() <= style_.width) return;
  for (Place& place : places_) {
    if (columns_[place.column].bar) place.width -= 1 + bar_width_;
  }
  has_bars_ = false;
  while (least_width() > style_.width) {
    const auto number = std::find_if(places_.rbegin(), places_.rend() - 1,
                                     [&](const Place& place) { return columns_[place.column].least_width == 0; });
    if (number == places_.rend() - 1) return;
    places_.erase(std::next(number).base());
    ++left_out_;
  }
}

// How narrow a place can be: texts can be shortened.
size_t TextTables::LeastWidth(const Place& place) const {
  const Column& column = columns_[place.column];
  return column.least_width == 0 ? place.width
                                 : std::min(place.width, std::max(column.least_width, column.label.size()));
}

void TextTables::ElideTexts() {
  if (TotalWidth() <= style_.width) return;
  // All texts at their least, then what is left goes first to make them readable, then to make them whole; from the
  // right, where the name stands.
  const auto natural = places_;
  for (Place& place : places_) {
    place.width = LeastWidth(place);
  }
  for (const bool whole : {false, true}) {
    for (size_t i = places_.size(); i-- > 0;) {
      const size_t used = TotalWidth();
      if (used >= style_.width) return;
      Place& place = places_[i];
      const size_t wanted =
          whole ? natural[i].width : std::min(natural[i].width, columns_[place.column].readable_width);
      if (wanted > place.width) place.width += std::min(wanted - place.width, style_.width - used);
    }
  }
}

// Two names that are elided to one text would be taken for the same.
void TextTables::TellNamesApart() {
  constexpr size_t kMostRows = 10'000;  // more than a person reads
  const auto place = std::find_if(places_.begin(), places_.end(), [this](const Place& p) {
    return columns_[p.column].least_width > 0 && columns_[p.column].leave_out == 0;
  });
  if (place == places_.end() || place->width < columns_[place->column].least_width) return;
  std::map<std::string, std::set<std::string>> shown;
  Row row;
  for (size_t i = 0; i < block_.sections.size(); ++i) {
    const Table& table = *block_.sections[i].table;
    for (size_t r = 0; r < std::min(table.rows, kMostRows); ++r) {
      table.read(r, &row);
      std::string text;
      formats_[i].Append(place->column, row.cells[place->column], &text);
      std::string elided = ElideName(text, place->width);
      if (elided != text) shown[std::move(elided)].insert(std::move(text));
    }
  }
  for (const auto& [elided, names] : shown) {
    if (names.size() < 2) continue;
    const std::vector<std::string> alike(names.begin(), names.end());
    const std::vector<std::string> apart = ElideApart(alike, place->width);
    for (size_t i = 0; i < alike.size(); ++i) told_apart_[alike[i]] = apart[i];
  }
}

void TextTables::AppendBar(double fraction, double scale, RowKind kind, std::string* line) const {
  constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double unscaled = fraction > 0 ? std::numeric_limits<double>::infinity() : 0;  // no op has any time
  const double cells = scale > 0 ? fraction / scale * static_cast<double>(bar_width_) : unscaled;
  std::string bar;
  size_t used = 0;
  if (kind == RowKind::kPlain) {
    const auto eighths = static_cast<size_t>(std::lround(cells * 8));
    bar = Repeat("█", eighths / 8);
    bar += kEighths[eighths % 8];
    used = (eighths + 7) / 8;
  } else if (cells <= static_cast<double>(bar_width_)) {
    used = static_cast<size_t>(std::lround(cells));
    bar = Repeat("░", used);
  } else {
    used = bar_width_;  // off the scale, which is that of the ops
    bar = Repeat("░", used - 1) + "▸";
  }
  line->push_back(' ');
  paint_.Append(kind == RowKind::kPlain ? Painter::kCyan : Painter::kQuiet, bar, line);
  line->append(bar_width_ - used, ' ');
}

void TextTables::AppendCell(const PeopleFormat& format, const Place& place, const Row& row, bool last,
                            std::string* line) const {
  const Column& column = columns_[place.column];
  std::string text;
  format.Append(place.column, row.cells[place.column], &text);
  const bool bar = column.bar && has_bars_;
  const size_t width = place.width - (bar ? 1 + bar_width_ : 0);
  if (column.least_width > 0) {
    const auto apart = column.leave_out == 0 ? told_apart_.find(text) : told_apart_.end();
    text = apart == told_apart_.end() ? ElideName(text, width) : apart->second;
  }
  const std::string_view tone = row.kind == RowKind::kPlain ? "" : Painter::kQuiet;
  const size_t used = DisplayWidth(text);
  const size_t padding = width - std::min(width, used);
  if (IsRightAligned(column)) line->append(padding, ' ');
  paint_.Append(tone, text, line);
  if (bar) {
    const auto* fraction = std::get_if<double>(&row.cells[place.column]);
    AppendBar(fraction == nullptr ? 0 : *fraction, format.LargestFraction(place.column), row.kind, line);
  } else if (!IsRightAligned(column) && !last) {
    line->append(padding, ' ');
  }
}

void TextTables::AppendRow(const PeopleFormat& format, const Row& row, std::string* out) const {
  for (size_t i = 0; i < places_.size(); ++i) {
    if (i > 0) out->append(kGap);
    AppendCell(format, places_[i], row, i + 1 == places_.size(), out);
  }
  while (out->ends_with(' ')) out->pop_back();
  out->push_back('\n');
}

void TextTables::AppendHeader(const PeopleFormat& format, std::string* out) const {
  std::string line;
  for (size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const Column& column = columns_[place.column];
    if (i > 0) line += kGap;
    const std::string label = format.Label(place.column);
    const bool bar = column.bar && has_bars_;
    const size_t width = place.width - (bar ? 1 + bar_width_ : 0);
    const size_t padding = width - std::min(width, DisplayWidth(label));
    if (IsRightAligned(column)) line.append(padding, ' ');
    line += label;
    if (!IsRightAligned(column)) line.append(padding, ' ');
    if (bar) line.append(1 + bar_width_, ' ');
  }
  const size_t used = std::min(DisplayWidth(line), style_.wide ? kLongestRule : style_.width);
  while (line.ends_with(' ')) line.pop_back();
  paint_.Append(Painter::kQuiet, line, out);
  out->push_back('\n');
  paint_.Append(Painter::kQuiet, Repeat("─", used), out);
  out->push_back('\n');
}

void TextTables::AppendHeading(const Section& section, std::string* out) const {
  if (section.title.empty()) return;
  const std::string title = Displayable(section.title);
  const std::string detail = Displayable(section.detail);
  paint_.Append(Painter::kBold, title, out);
  if (!detail.empty()) {
    const bool fits = style_.wide || DisplayWidth(title) + 3 + DisplayWidth(detail) <= style_.width;
    if (fits) {
      out->append(" · ").append(detail);
    } else {
      for (const std::string& line : WrapWords(detail, style_.width - 2)) out->append("\n  ").append(line);
    }
  }
  out->push_back('\n');
}

bool TextTables::Write(BufferedSink* out) {
  Row row;
  for (size_t i = 0; i < block_.sections.size(); ++i) {
    const Section& section = block_.sections[i];
    if (i > 0) out->text += '\n';
    AppendHeading(section, &out->text);
    AppendHeader(formats_[i], &out->text);
    for (size_t r = 0; r < section.table->rows; ++r) {
      section.table->read(r, &row);
      AppendRow(formats_[i], row, &out->text);
      if (!out->Pass()) return false;
    }
  }
  if (left_out_ > 0) {
    paint_.Append(Painter::kQuiet,
                  left_out_ == 1 ? "1 column more with --wide" : fmt::format("{} columns more with --wide", left_out_),
                  &out->text);
    out->text += '\n';
  }
  return true;
}

}  // namespace tfprof::report
