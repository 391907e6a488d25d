// A report as a value: what a command answers, once for machines and once for people.
//
// `json` is the JSON document, member by member in order (design: a document begins with schema, tool, inputs and ends
// with diagnostics). `records` are its rows, as CSV, TSV and JSON Lines hold them. `blocks` say the same to people, in
// the order of reading; table and Markdown are written from them. A document refers to the data it was made from.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/byte_sink.h"
#include "report/table.h"

namespace tfprof::report {

struct Member;

// A JSON value. A table stands for the array of its rows.
class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;
  using Variant =
      std::variant<std::nullptr_t, bool, uint64_t, double, Picoseconds, std::string, Array, Object, TablePtr>;

  // All of them implicit on purpose: documents are written as nested braces.
  Value();                        // null
  Value(std::nullptr_t);          // NOLINT: or it would be taken for a text
  Value(bool value);              // NOLINT
  Value(uint64_t value);          // NOLINT
  Value(double value);            // NOLINT
  Value(Picoseconds value);       // NOLINT: printed as microseconds
  Value(std::string value);       // NOLINT
  Value(std::string_view value);  // NOLINT
  Value(const char* value);       // NOLINT
  Value(Array value);             // NOLINT
  Value(Object value);            // NOLINT
  Value(TablePtr value);          // NOLINT
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  const Variant& get() const { return value_; }

 private:
  Variant value_;
};

struct Member {
  std::string key;
  Value value;
};

// How CSV is written: ours, or as another program does.
struct CsvDialect {
  bool labels = false;          // the header shows labels, not ids
  bool quote_all = false;       // else only where needed
  bool python_numbers = false;  // doubles as Python's str(float): `12.0`
  bool integers_as_doubles = false;
  std::string_view line_end = "\n";
};

enum class Tone { kPlain, kQuiet, kGood, kWarning, kError };

struct Sentence {
  std::string text;
  Tone tone = Tone::kPlain;
};

struct Title {
  std::string text;
  std::string detail;
};

// Lines of a name and what it is.
struct Facts {
  std::vector<std::pair<std::string, Sentence>> lines;
};

// Tables under headings; tables with the same columns in one block are aligned with each other.
struct Section {
  std::string title;
  std::string detail;
  TablePtr table;
};
struct Tables {
  std::vector<Section> sections;
};

struct Paragraph {
  std::vector<Sentence> sentences;  // each begins a line
};

// Lines to be typed, each with what it does; never broken or elided.
struct Commands {
  std::string title;
  std::vector<std::pair<std::string, std::string>> lines;
};

// A step function over time, drawn with block characters (plot.h).
struct Plot {
  std::vector<std::pair<double, double>> steps;  // x and y, 0 to 1; x rises, y holds until the next x
  std::string top, bottom, left, right;          // what the ends of the axes are
};

using Block = std::variant<Title, Facts, Tables, Paragraph, Commands, Plot>;

struct Document {
  Value::Object json;
  // Its last members, where they are known only when those before them are written (rows that are streamed).
  std::function<Value::Object()> json_tail;
  TablePtr records;
  std::vector<Block> blocks;

  // Where there is one, it is written and nothing else: a format that only this command has.
  std::function<void(ByteSink* sink)> whole;

  // CSV that isn't written from `records` (--compat).
  TablePtr csv_records;
  CsvDialect csv_dialect;
};

}  // namespace tfprof::report
