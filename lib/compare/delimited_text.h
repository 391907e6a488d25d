// Reads CSV (RFC 4180, with either line end) and TSV, a record at a time. The first line tells which of the two it is:
// one with a tab, not begun by a quote, is TSV, whose fields aren't quoted but escaped (`\t`, `\n`, `\r`, `\\`).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::compare {

class DelimitedText {
 public:
  explicit DelimitedText(std::string_view text);

  // False: there are no more; empty lines are passed over.
  bool Next(std::vector<std::string>* cells);
  // On which the last record began, from 1.
  size_t line() const { return record_line_; }
  // The text ended within quotes.
  bool unclosed() const { return unclosed_; }

 private:
  void ReadQuoted(std::string* cell);
  char Unescaped();

  std::string_view text_;
  char separator_ = ',';
  size_t at_ = 0, line_ = 1, record_line_ = 0;
  bool unclosed_ = false;
};

}  // namespace tfprof::compare
