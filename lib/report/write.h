// Writes a document in one of the formats.
//
// Machine formats (csv, tsv, json, jsonl) don't depend on TextStyle. Every format is valid UTF-8, ends in a line end,
// and is the same bytes for the same document and style. Memory is bounded whatever the number of rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/byte_sink.h"
#include "report/document.h"
#include "report/number.h"

namespace tfprof::report {

// Those of the second line are reports of `check` to CI systems, which its document writes itself.
enum class Format { kTable, kCsv, kTsv, kJson, kJsonl, kMarkdown, kJunit, kGithub, kSarif, kGitlab };

std::optional<Format> FormatFromName(std::string_view name);

struct TextStyle {
  size_t width = 100;  // columns of a line (table)
  bool wide = false;   // nothing is elided, left out or wrapped
  bool color = false;  // ANSI colours; words and signs say the same without
  Unit unit = Unit::kAuto;
};

void Write(const Document& document, Format format, const TextStyle& style, ByteSink* sink);
std::string WriteToString(const Document& document, Format format, const TextStyle& style = {});

}  // namespace tfprof::report
