#include "report/text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "report/display.h"
#include "report/plot.h"
#include "report/text_table.h"

namespace tfprof::report {
namespace {

std::string_view CodeOf(Tone tone) {
  switch (tone) {
    case Tone::kQuiet:
      return Painter::kQuiet;
    case Tone::kGood:
      return Painter::kGreen;
    case Tone::kWarning:
      return Painter::kYellow;
    case Tone::kError:
      return Painter::kRed;
    case Tone::kPlain:
      break;
  }
  return "";
}

constexpr size_t kWidePlot = 80;
constexpr size_t kLeastText = 20;  // columns that running text needs

class TextWriter {
 public:
  TextWriter(const TextStyle& style, ByteSink* sink) : style_(style), paint_(style.color), out_(sink) {}

  void WriteAll(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (!first_) text() += '\n';
      first_ = false;
      std::visit(*this, block);
      if (!out_.Pass()) return;
    }
  }

  void operator()(const Title& title) {
    const std::string name = Displayable(title.text);
    const std::vector<std::string> lines = style_.wide ? std::vector{name} : WrapWords(name, style_.width);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) text() += '\n';
      paint_.Append(Painter::kBold, style_.wide ? lines[i] : ElideName(lines[i], style_.width), &text());
    }
    const std::string detail = Displayable(title.detail);
    if (!detail.empty() && (style_.wide || DisplayWidth(name) + 3 + DisplayWidth(detail) <= style_.width)) {
      text().append(" · ").append(detail);
    } else if (!detail.empty()) {
      for (const std::string& line : WrapWords(detail, style_.width - 2)) text().append("\n  ").append(line);
    }
    text() += '\n';
  }

  void operator()(const Facts& facts) {
    size_t widest = 0;
    for (const auto& [name, what] : facts.lines) widest = std::max(widest, DisplayWidth(name));
    // Beside the name, or below it where that leaves too little room.
    const bool beside = style_.wide || widest + 2 + kLeastText <= style_.width;
    for (const auto& [name, what] : facts.lines) {
      paint_.Append(Painter::kQuiet, name, &text());
      if (beside) {
        text().append(widest - DisplayWidth(name) + 2, ' ');
      } else {
        text().append("\n    ");
      }
      WriteWrapped(what, beside ? widest + 2 : 4);
    }
  }

  void operator()(const Tables& tables) {
    if (!tables.sections.empty()) TextTables(tables, style_).Write(&out_);
  }

  void operator()(const Paragraph& paragraph) {
    for (const Sentence& sentence : paragraph.sentences) WriteWrapped(sentence, 0);
  }

  void operator()(const Plot& plot) {
    for (const std::string& line : DrawPlot(plot, style_.wide ? kWidePlot : style_.width)) {
      text().append(line).append("\n");
    }
  }

  void operator()(const Commands& commands) {
    size_t widest = 0;
    for (const auto& [command, what] : commands.lines) widest = std::max(widest, DisplayWidth(Displayable(command)));
    paint_.Append(Painter::kBold, commands.title, &text());
    text() += '\n';
    for (const auto& [command, what] : commands.lines) {
      const std::string shown = Displayable(command);
      text().append("  ").append(shown);
      // Beside the command where there is room for it, else on a line below.
      const size_t column = 2 + widest + 2;
      if (style_.wide || column + DisplayWidth(what) <= style_.width) {
        text().append(widest - DisplayWidth(shown) + 2, ' ');
      } else {
        text().append("\n      ");
      }
      paint_.Append(Painter::kQuiet, what, &text());
      text() += '\n';
    }
  }

 private:
  std::string& text() { return out_.text; }

  // Writes a sentence whose first line begins in column `indent`, and the others too.
  void WriteWrapped(const Sentence& sentence, size_t indent) {
    const std::string shown = Displayable(sentence.text);
    const size_t width = style_.wide ? shown.size() + 1 : std::max(style_.width, indent + kLeastText) - indent;
    bool first = true;
    for (const std::string& line : WrapWords(shown, width)) {
      if (!first) text().append(indent, ' ');
      first = false;
      // A single word can be too long: it is a name.
      paint_.Append(CodeOf(sentence.tone), style_.wide ? line : ElideName(line, width), &text());
      text() += '\n';
    }
  }

  const TextStyle& style_;
  Painter paint_;
  BufferedSink out_;
  bool first_ = true;
};

}  // namespace

void WriteText(const Document& document, const TextStyle& style, ByteSink* sink) {
  TextWriter(style, sink).WriteAll(document.blocks);
}

}  // namespace tfprof::report
