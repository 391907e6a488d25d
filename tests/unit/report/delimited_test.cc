#include "report/delimited.h"

#include <catch2/catch.hpp>
#include <random>

#include "base/utf8.h"
#include "report/table_fixture.h"

namespace tfprof::report {
namespace {

std::string Csv(const Table& table, const CsvDialect& dialect = {}) {
  std::string out;
  StringSink sink(&out);
  WriteCsv(table, dialect, &sink);
  return out;
}
std::string Tsv(const Table& table) {
  std::string out;
  StringSink sink(&out);
  WriteTsv(table, &sink);
  return out;
}

TablePtr Mixed() {
  return TestTable(
      {TestColumn("rank", Kind::kInteger), TestColumn("name", Kind::kText), TestColumn("t_us", Kind::kTime),
       TestColumn("avg_us", Kind::kTime), TestColumn("eager", Kind::kBoolean)},
      {{RowKind::kPlain, {uint64_t{1}, std::string_view("a,b"), Picoseconds{1'500'000}, 40.0, true}},
       {RowKind::kOthers, {Missing(), std::string_view("others"), Picoseconds{2'000'000}, 0.25, Missing()}}});
}

TEST_CASE("CSV has a header of ids, quotes only where needed, and plain numbers") {
  CHECK(Csv(*Mixed()) ==
        "rank,name,t_us,avg_us,eager\n"
        "1,\"a,b\",1.5,40,true\n"
        ",others,2,0.25,\n");
}

TEST_CASE("A table without rows still has its header") {
  CHECK(Csv(*TestTable({TestColumn("a", Kind::kText), TestColumn("b", Kind::kText)}, {})) == "a,b\n");
}

TEST_CASE("A dialect changes quoting, numbers, header and line ends") {
  CsvDialect dialect;
  dialect.quote_all = true;
  dialect.python_numbers = true;
  dialect.integers_as_doubles = true;
  const TablePtr table = TestTable({TestColumn("n", Kind::kInteger), TestColumn("x", Kind::kNumber)},
                                   {{RowKind::kPlain, {uint64_t{3}, 40.0}}});
  CHECK(Csv(*table, dialect) == "\"n\",\"x\"\n\"3.0\",\"40.0\"\n");
  dialect.quote_all = dialect.integers_as_doubles = false;
  dialect.line_end = "\r\n";
  CHECK(Csv(*table, dialect) == "n,x\r\n3,40.0\r\n");
}

// Reads RFC 4180 text back.
std::vector<std::vector<std::string>> ReadCsv(std::string_view text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record(1);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        record.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        record.back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      record.emplace_back();
    } else if (c == '\n') {
      records.push_back(record);
      record.assign(1, "");
    } else {
      record.back() += c;
    }
  }
  return records;
}

std::string RandomText(std::mt19937* random) {
  const std::string_view letters[] = {"a", ",", "\"", "\n", "\r", "\t", "\\", " ", "é", "\xff"};
  std::string text;
  for (unsigned n = (*random)() % 8; n > 0; --n) text += letters[(*random)() % std::size(letters)];
  return text;
}

TEST_CASE("Any text survives CSV") {
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<std::string> texts = {RandomText(&random), RandomText(&random)};
    const std::string csv = Csv(*TextsTable(texts));
    const auto records = ReadCsv(csv);
    CAPTURE(csv);
    REQUIRE(records.size() == 3);
    for (size_t r = 0; r < texts.size(); ++r) {
      std::string valid;
      AppendValidUtf8(texts[r], &valid);
      CHECK(records[r + 1] == std::vector<std::string>{valid});
    }
  }
}

TEST_CASE("An empty text alone in its record is quoted: an empty line would be no record") {
  CHECK(Csv(*TextsTable({"", "x"})) == "name\n\"\"\nx\n");
}

TEST_CASE("TSV escapes what would end a field or a record") {
  CHECK(Tsv(*TextsTable({"a\tb\nc\rd\\e\"f", ""})) == "name\na\\tb\\nc\\rd\\\\e\"f\n\n");
  CHECK(Tsv(*Mixed()) == "rank\tname\tt_us\tavg_us\teager\n1\ta,b\t1.5\t40\ttrue\n\tothers\t2\t0.25\t\n");
}

}  // namespace
}  // namespace tfprof::report
