#include "report/write.h"

#include <array>
#include <utility>

#include "report/delimited.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/text.h"

namespace tfprof::report {

std::optional<Format> FormatFromName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Format>, 10> kNames = {{{"table", Format::kTable},
                                                                           {"csv", Format::kCsv},
                                                                           {"tsv", Format::kTsv},
                                                                           {"json", Format::kJson},
                                                                           {"jsonl", Format::kJsonl},
                                                                           {"markdown", Format::kMarkdown},
                                                                           {"junit", Format::kJunit},
                                                                           {"github", Format::kGithub},
                                                                           {"sarif", Format::kSarif},
                                                                           {"gitlab", Format::kGitlab}}};
  for (const auto& [known, format] : kNames) {
    if (known == name) return format;
  }
  return std::nullopt;
}

void Write(const Document& document, Format format, const TextStyle& style, ByteSink* sink) {
  if (document.whole) return document.whole(sink);
  switch (format) {
    case Format::kTable:
      WriteText(document, style, sink);
      return;
    case Format::kCsv:
      WriteCsv(document.csv_records ? *document.csv_records : *document.records, document.csv_dialect, sink);
      return;
    case Format::kTsv:
      WriteTsv(*document.records, sink);
      return;
    case Format::kJson:
      WriteJson(document.json, sink, document.json_tail);
      return;
    case Format::kJsonl:
      WriteJsonLines(*document.records, sink);
      return;
    case Format::kMarkdown:
      WriteMarkdown(document, style.unit, sink);
      return;
    case Format::kJunit:
    case Format::kGithub:
    case Format::kSarif:
    case Format::kGitlab:
      return;  // the command line refuses them where the document has no `whole`
  }
}

std::string WriteToString(const Document& document, Format format, const TextStyle& style) {
  std::string out;
  StringSink sink(&out);
  Write(document, format, style, &sink);
  return out;
}

}  // namespace tfprof::report
