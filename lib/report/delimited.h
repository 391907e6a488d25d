// CSV and TSV: a header, then one record a row, the row of the others last on its side.
//
// CSV is RFC 4180 with the line end of the dialect: a field is quoted where it holds a comma, a quote or a line end (as
// Python's csv does), quotes are doubled, control characters stay. TSV has no quotes: tab, newline, carriage return and
// backslash are `\t`, `\n`, `\r`, `\\`. Both are valid UTF-8.
#pragma once

#include "report/byte_sink.h"
#include "report/document.h"

namespace tfprof::report {

void WriteCsv(const Table& table, const CsvDialect& dialect, ByteSink* sink);
void WriteTsv(const Table& table, ByteSink* sink);

}  // namespace tfprof::report
