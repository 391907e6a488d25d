#include "report/delimited.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "base/utf8.h"
#include "report/number.h"

namespace tfprof::report {
namespace {

struct CellPrinter {
  const CsvDialect& dialect;
  std::string* out;

  void operator()(Missing) const {}
  void operator()(std::string_view text) const { AppendValidUtf8(text, out); }
  void operator()(bool value) const { out->append(value ? "true" : "false"); }
  void operator()(Picoseconds time) const { AppendMicroseconds(time.value, out); }
  void operator()(const Dimensions& d) const {
    fmt::format_to(std::back_inserter(*out), "{},{},{}", d.xyz[0], d.xyz[1], d.xyz[2]);
  }
  void operator()(uint64_t value) const {
    if (dialect.integers_as_doubles) return (*this)(static_cast<double>(value));
    out->append(std::to_string(value));
  }
  void operator()(double value) const {
    if (dialect.python_numbers) {
      AppendPythonRepr(value, out);
    } else {
      AppendDouble(value, "", out);
    }
  }
};

bool NeedsQuotes(std::string_view field) {
  return std::any_of(field.begin(), field.end(), [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; });
}

void AppendCsvField(std::string_view field, bool quoted, std::string* out) {
  if (!quoted && !NeedsQuotes(field)) {
    out->append(field);
    return;
  }
  out->push_back('"');
  while (!field.empty()) {
    const size_t end = std::min(field.find('"'), field.size());
    out->append(field.substr(0, end));
    field.remove_prefix(end);
    if (field.empty()) break;
    out->append("\"\"");
    field.remove_prefix(1);
  }
  out->push_back('"');
}

void AppendTsvField(std::string_view field, std::string* out) {
  for (const char c : field) {
    switch (c) {
      case '\t':
        out->append("\\t");
        break;
      case '\n':
        out->append("\\n");
        break;
      case '\r':
        out->append("\\r");
        break;
      case '\\':
        out->append("\\\\");
        break;
      default:
        out->push_back(c);
    }
  }
}

// `append_field(text, out)` writes one field; `separator` and `line_end` stand between and after them.
template <typename AppendField>
void WriteRecords(const Table& table, const CsvDialect& dialect, char separator, AppendField append_field,
                  ByteSink* sink) {
  BufferedSink out(sink);
  const size_t columns = table.columns.size();
  for (size_t i = 0; i < columns; ++i) {
    if (i > 0) out.text += separator;
    append_field(dialect.labels ? table.columns[i].label : table.columns[i].id, &out.text);
  }
  out.text += dialect.line_end;
  Row row;
  std::string field;
  const CellPrinter print{dialect, &field};
  for (size_t r = 0; r < table.rows; ++r) {
    table.read(r, &row);
    for (size_t i = 0; i < columns; ++i) {
      if (i > 0) out.text += separator;
      field.clear();
      std::visit(print, row.cells[i]);
      append_field(field, &out.text);
    }
    out.text += dialect.line_end;
    if (!out.Pass()) return;
  }
}

}  // namespace

void WriteCsv(const Table& table, const CsvDialect& dialect, ByteSink* sink) {
  // An empty field alone on its line would be read as no record.
  const bool single = table.columns.size() == 1;
  const auto append = [&](std::string_view field, std::string* out) {
    AppendCsvField(field, dialect.quote_all || (single && field.empty()), out);
  };
  WriteRecords(table, dialect, ',', append, sink);
}

void WriteTsv(const Table& table, ByteSink* sink) { WriteRecords(table, CsvDialect(), '\t', AppendTsvField, sink); }

}  // namespace tfprof::report
