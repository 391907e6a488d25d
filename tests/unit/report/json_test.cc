#include "report/json.h"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "base/utf8.h"
#include "report/table_fixture.h"

namespace tfprof::report {
namespace {

std::string ToJson(const Value::Object& document) {
  std::string out;
  StringSink sink(&out);
  WriteJson(document, &sink);
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, &out);
  return out;
}

TEST_CASE("A document is laid out so that it can be read and diffed") {
  const TablePtr table = TestTable({TestColumn("id", Kind::kInteger), TestColumn("time_us", Kind::kTime)},
                                   {{RowKind::kPlain, {uint64_t{1}, Picoseconds{1'500'000}}},
                                    {RowKind::kOthers, {uint64_t{9}, Missing()}},
                                    {RowKind::kMuted, {Missing(), 0.25}}});
  const Value::Object document = {{"schema", "s/v1"},
                                  {"flat", Value::Object{{"a", true}, {"b", nullptr}}},
                                  {"list", Value::Array{"x", 2.5}},
                                  {"empty", Value::Array{}},
                                  {"nested", Value::Object{{"inner", Value::Object{{"n", uint64_t{7}}}}}},
                                  {"rows", table}};
  CHECK(ToJson(document) ==
        "{\n"
        "  \"schema\":\"s/v1\",\n"
        "  \"flat\":{\"a\":true,\"b\":null},\n"
        "  \"list\":[\"x\",2.5],\n"
        "  \"empty\":[],\n"
        "  \"nested\":{\n"
        "    \"inner\":{\"n\":7}\n"
        "  },\n"
        "  \"rows\":[\n"
        "    {\"id\":1,\"time_us\":1.5},\n"
        "    {\"id\":null,\"time_us\":0.25}\n"
        "  ]\n"
        "}\n");
}

TEST_CASE("A table without rows is an empty array") {
  CHECK(ToJson({{"rows", TextsTable({})}}) == "{\n  \"rows\":[]\n}\n");
}

TEST_CASE("Strings are escaped and valid") {
  CHECK(Quoted("a\"b\\c/d") == R"("a\"b\\c/d")");
  CHECK(Quoted("\n\r\t\x01\x1f") == R"("\n\r\t\u0001\u001f")");
  CHECK(Quoted(std::string_view("nul\0", 4)) == R"("nul\u0000")");
  CHECK(Quoted("k\xff\xfe"
               "1") == "\"k\uFFFD\uFFFD1\"");
}

TEST_CASE("Numbers that are none are null") {
  CHECK(ToJson({{"x", std::numeric_limits<double>::quiet_NaN()}, {"y", std::numeric_limits<double>::infinity()}}) ==
        "{\n  \"x\":null,\n  \"y\":null\n}\n");
}

TEST_CASE("Any string reads back as its valid spelling") {
  std::mt19937 random(4);
  for (int i = 0; i < 1000; ++i) {
    std::string text(random() % 20, ' ');
    for (char& c : text) c = static_cast<char>(random() % 4 == 0 ? random() % 256 : random() % 128);
    std::string valid;
    AppendValidUtf8(text, &valid);
    CHECK(nlohmann::json::parse(ToJson({{"x", text}}))["x"].get<std::string>() == valid);
  }
}

TEST_CASE("JSON Lines hold one object a row, the others too") {
  std::string out;
  StringSink sink(&out);
  WriteJsonLines(*TestTable({TestColumn("rank", Kind::kInteger), TestColumn("name", Kind::kText)},
                            {{RowKind::kPlain, {uint64_t{1}, std::string_view("a\nb")}},
                             {RowKind::kOthers, {Missing(), std::string_view("others (3 ops)")}}}),
                 &sink);
  CHECK(out == "{\"rank\":1,\"name\":\"a\\nb\"}\n{\"rank\":null,\"name\":\"others (3 ops)\"}\n");
}

// Counts what comes, and closes after some of it.
class CountingSink : public ByteSink {
 public:
  explicit CountingSink(size_t limit) : limit_(limit) {}
  void Append(std::string_view bytes) override {
    total += bytes.size();
    largest = std::max(largest, bytes.size());
  }
  bool Closed() const override { return total >= limit_; }

  size_t total = 0, largest = 0;

 private:
  size_t limit_;
};

TEST_CASE("Many rows stream through in small pieces, and stop when the sink is closed") {
  Table table;
  table.columns = {TestColumn("index", Kind::kInteger)};
  table.rows = 1'000'000;
  size_t rows_read = 0;
  table.read = [&rows_read](size_t index, Row* row) {
    ++rows_read;
    row->cells = {uint64_t{index}};
  };
  const TablePtr shared = std::make_shared<Table>(table);
  CountingSink all(std::numeric_limits<size_t>::max());
  WriteJson({{"rows", shared}}, &all);
  CHECK(rows_read == table.rows);
  CHECK(all.total > 10'000'000);
  CHECK(all.largest < 100'000);

  rows_read = 0;
  CountingSink closing(1);
  WriteJson({{"rows", shared}}, &closing);
  CHECK(rows_read < 10'000);
  CHECK(closing.total == closing.largest);  // nothing after it was closed
}

}  // namespace
}  // namespace tfprof::report
