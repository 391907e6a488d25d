#include "compare/delimited_text.h"

#include <algorithm>

namespace tfprof::compare {

DelimitedText::DelimitedText(std::string_view text) : text_(text) {
  const std::string_view first = text.substr(0, std::min(text.find('\n'), text.size()));
  if (!first.starts_with('"') && first.find('\t') != std::string_view::npos) separator_ = '\t';
}

void DelimitedText::ReadQuoted(std::string* cell) {
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') {
        ++at_;
        return;
      }
      ++at_;  // the first of a doubled one
    }
    line_ += text_[at_] == '\n';
    cell->push_back(text_[at_]);
  }
  unclosed_ = true;
}

// What stands behind a backslash in TSV.
char DelimitedText::Unescaped() {
  if (at_ >= text_.size()) return '\\';
  switch (text_[at_++]) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case '\\':
      return '\\';
    default:
      --at_;
      return '\\';
  }
}

bool DelimitedText::Next(std::vector<std::string>* cells) {
  cells->clear();
  while (at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r')) line_ += text_[at_++] == '\n';
  if (at_ >= text_.size()) return false;
  record_line_ = line_;
  cells->emplace_back();
  for (bool begins = true; at_ < text_.size(); begins = false) {
    const char c = text_[at_];
    if (begins && c == '"' && separator_ == ',') {
      ReadQuoted(&cells->back());
      continue;
    }
    ++at_;
    if (c == '\n') {
      ++line_;
      break;
    }
    if (c == separator_) {
      cells->emplace_back();
      if (at_ < text_.size() && text_[at_] == '"' && separator_ == ',') ReadQuoted(&cells->back());
      continue;
    }
    if (c == '\\' && separator_ == '\t') {
      cells->back().push_back(Unescaped());
    } else if (c != '\r' || at_ >= text_.size() || text_[at_] != '\n') {
      cells->back().push_back(c);
    }
  }
  return true;
}

}  // namespace tfprof::compare
