// The tables of one block as aligned text (see text.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/byte_sink.h"
#include "report/document.h"
#include "report/people_format.h"
#include "report/write.h"

namespace tfprof::report {

// Wraps text in ANSI colours, or in nothing.
class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}

  static constexpr std::string_view kBold = "1", kQuiet = "2", kRed = "31", kGreen = "32", kYellow = "33", kCyan = "36";

  void Append(std::string_view code, std::string_view text, std::string* out) const {
    if (!color_ || code.empty() || text.empty()) {
      out->append(text);
      return;
    }
    out->append("\x1b[").append(code).append("m").append(text).append("\x1b[0m");
  }

 private:
  bool color_;
};

class TextTables {
 public:
  TextTables(const Tables& block, const TextStyle& style);

  // False: the sink wants no more.
  bool Write(BufferedSink* out);

 private:
  struct Place {
    size_t column;
    size_t width;
  };

  void Layout();
  size_t WidthOf(size_t column) const;  // that all sections need, without a bar
  size_t TotalWidth() const;
  void LeaveOutColumns();
  void FitNarrow();
  size_t LeastWidth(const Place& place) const;
  void ElideTexts();
  void TellNamesApart();
  void AppendHeading(const Section& section, std::string* out) const;
  void AppendHeader(const PeopleFormat& format, std::string* out) const;
  void AppendRow(const PeopleFormat& format, const Row& row, std::string* out) const;
  void AppendCell(const PeopleFormat& format, const Place& place, const Row& row, bool last, std::string* line) const;
  // `scale` fills the bar.
  void AppendBar(double fraction, double scale, RowKind kind, std::string* line) const;

  const Tables& block_;
  const std::vector<Column>& columns_;
  const TextStyle& style_;
  Painter paint_;
  std::vector<PeopleFormat> formats_;  // of each section: its units are its own, places are common
  size_t bar_width_ = 0;
  size_t left_out_ = 0;  // columns, for want of room
  bool has_bars_ = true;
  std::vector<Place> places_;
  std::map<std::string, std::string> told_apart_;  // names that would look like others, and how they are shown
};

}  // namespace tfprof::report
