// Documents as GitHub-flavoured Markdown, for pull requests and notes.
//
// The same blocks as the table for people, without bars; nothing is elided. In names, characters that Markdown would
// take for its own (`|`, backticks, `*`, `<`, …) are escaped with a backslash.
#pragma once

#include <string>
#include <string_view>

#include "report/byte_sink.h"
#include "report/document.h"
#include "report/number.h"

namespace tfprof::report {

// One line of running text, or of a cell.
std::string MarkdownText(std::string_view text);

void WriteMarkdown(const Document& document, Unit unit, ByteSink* sink);

}  // namespace tfprof::report
