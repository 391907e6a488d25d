#include "report/markdown.h"

#include <algorithm>
#include <string>

#include "report/display.h"
#include "report/people_format.h"
#include "report/plot.h"

namespace tfprof::report {
namespace {

bool IsWordCharacter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         static_cast<unsigned char>(c) >= 0x80;
}

void AppendEscaped(std::string_view displayable, std::string* out) {
  constexpr std::string_view kSpecial = "\\`|*<>[]~&$";
  for (size_t i = 0; i < displayable.size(); ++i) {
    const char c = displayable[i];
    // Underscores inside words mean nothing to Markdown, and op names are full of them.
    const bool in_word = i > 0 && i + 1 < displayable.size() && IsWordCharacter(displayable[i - 1]) &&
                         IsWordCharacter(displayable[i + 1]);
    if (kSpecial.find(c) != std::string_view::npos || (c == '_' && !in_word)) out->push_back('\\');
    out->push_back(c);
  }
}

std::string Escaped(std::string_view text) { return MarkdownText(text); }

constexpr size_t kPlotWidth = 80;

class MarkdownWriter {
 public:
  MarkdownWriter(Unit unit, ByteSink* sink) : unit_(unit), out_(sink) {}

  void WriteAll(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (!first_) text() += '\n';
      first_ = false;
      std::visit(*this, block);
      if (!out_.Pass()) return;
    }
  }

  void operator()(const Title& title) {
    text().append("## ").append(Escaped(title.text));
    if (!title.detail.empty()) text().append(" · ").append(Escaped(title.detail));
    text() += '\n';
  }

  void operator()(const Facts& facts) {
    for (const auto& [name, what] : facts.lines) {
      text().append("- **").append(Escaped(name)).append("**: ").append(Escaped(what.text)).append("\n");
    }
  }

  void operator()(const Tables& tables) {
    bool first = true;
    for (const Section& section : tables.sections) {
      if (!first) text() += '\n';
      first = false;
      if (!section.title.empty()) {
        text().append("### ").append(Escaped(section.title)).append("\n\n");
        if (!section.detail.empty()) text().append(Escaped(section.detail)).append("\n\n");
      }
      PeopleFormat format(section.table->columns, unit_);
      format.Measure(*section.table);
      if (!WriteTable(*section.table, format)) return;
    }
  }

  void operator()(const Paragraph& paragraph) {
    bool first = true;
    for (const Sentence& sentence : paragraph.sentences) {
      if (!first) text() += '\n';
      first = false;
      text().append(Escaped(sentence.text)).append("\n");
    }
  }

  void operator()(const Plot& plot) {
    text().append("```text\n");
    for (const std::string& line : DrawPlot(plot, kPlotWidth)) text().append(line).append("\n");
    text().append("```\n");
  }

  void operator()(const Commands& commands) {
    text().append(Escaped(commands.title)).append("\n\n");
    for (const auto& [command, what] : commands.lines) {
      text().append("    ").append(Displayable(command)).append("  # ").append(what).append("\n");
    }
  }

 private:
  std::string& text() { return out_.text; }

  bool WriteTable(const Table& table, const PeopleFormat& format) {
    text() += '|';
    for (size_t i = 0; i < table.columns.size(); ++i) text().append(" ").append(Escaped(format.Label(i))).append(" |");
    text() += "\n|";
    for (const Column& column : table.columns) text().append(IsRightAligned(column) ? " ---: |" : " --- |");
    text() += '\n';
    Row row;
    std::string cell;
    for (size_t r = 0; r < table.rows; ++r) {
      table.read(r, &row);
      text() += '|';
      for (size_t i = 0; i < table.columns.size(); ++i) {
        cell.clear();
        format.Append(i, row.cells[i], &cell);
        text() += ' ';
        AppendEscaped(cell, &text());
        text() += cell.empty() ? "|" : " |";
      }
      text() += '\n';
      if (!out_.Pass()) return false;
    }
    return true;
  }

  Unit unit_;
  BufferedSink out_;
  bool first_ = true;
};

}  // namespace

std::string MarkdownText(std::string_view text) {
  std::string out;
  AppendEscaped(Displayable(text), &out);
  return out;
}

void WriteMarkdown(const Document& document, Unit unit, ByteSink* sink) {
  MarkdownWriter(unit, sink).WriteAll(document.blocks);
}

}  // namespace tfprof::report
