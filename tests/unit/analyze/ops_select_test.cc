#include "analyze/ops_select.h"

#include <catch2/catch.hpp>
#include <random>

#include "report/ops_fixture.h"

namespace tfprof::analyze {
namespace {

OpsResult Sample() {
  return MakeResult({Idle(Side::kDevice, 40), DeviceOp("MatMul", "a/MatMul", 1, 35, 30),
                     DeviceOp("Relu", "b/Relu", 3, 20, 20), DeviceOp("Add", "c/Add", 10, 10, 10),
                     HostOp("Conv", "z/Conv", 2, 60, 60), HostOp("MatMul", "a/MatMul", 4, 80, 30),
                     Idle(Side::kHost, 10)});
}

OpsResult Select(OpsSelection selection, OpsResult result = Sample(), Diagnostics* diagnostics = nullptr) {
  Diagnostics ignored;
  Result<OpsSelector> selector = OpsSelector::Create(std::move(selection));
  REQUIRE(selector.ok());
  selector->Apply(&result, diagnostics != nullptr ? diagnostics : &ignored);
  return result;
}

std::vector<std::string> Names(const OpsResult& result, Side side) {
  std::vector<std::string> names;
  for (const OpsRow& row : result.rows) {
    if (row.side == side) names.push_back(row.op_name);
  }
  return names;
}

SortOrder Sort(std::string_view text) {
  const Result<SortOrder> order = ParseSortOrder(text);
  REQUIRE(order.ok());
  return order.value();
}

using Strings = std::vector<std::string>;

TEST_CASE("By default all rows stay as they are") {
  const OpsResult before = Sample(), after = Select({});
  REQUIRE(after.rows.size() == before.rows.size());
  for (size_t i = 0; i < before.rows.size(); ++i) {
    CHECK(after.rows[i].op_name == before.rows[i].op_name);
    CHECK(after.rows[i].rank == before.rows[i].rank);
    CHECK(after.rows[i].cumulative_fraction == before.rows[i].cumulative_fraction);
  }
  CHECK(after.total_rows == 7);
  CHECK_FALSE(after.others_device.has_value());
  CHECK_FALSE(after.others_host.has_value());
}

TEST_CASE("Patterns that leave no op are told; what --compat cuts isn't said to be summed in the CSV") {
  Diagnostics none, cut;
  CHECK(Select({.include = {"nosuch"}}, Sample(), &none).none_of_ops == 5);
  CHECK(none.Has(DiagCode::kRowsLimited));
  CHECK(Select({.include = {"MatMul"}}).none_of_ops == 0);
  OpsResult compat = Sample();
  compat.compat = Compat::kXprof;
  Select({.limit = 1}, std::move(compat), &cut);
  for (const Diagnostic& item : cut.items()) CHECK(item.message.find("left out of the CSV") != std::string::npos);
  CHECK(cut.Has(DiagCode::kRowsLimited));
}

TEST_CASE("Sort orders parse") {
  CHECK(Sort("self") == SortOrder{SortColumn::kSelf, true});
  CHECK(Sort("self_us:asc") == SortOrder{SortColumn::kSelf, false});
  CHECK(Sort("count:desc") == SortOrder{SortColumn::kOccurrences, true});
  CHECK(Sort("name") == SortOrder{SortColumn::kName, false});
  CHECK(Sort("type:desc") == SortOrder{SortColumn::kType, true});
  CHECK(NeedsDistribution(Sort("p99")));
  CHECK_FALSE(NeedsDistribution(Sort("avg_self")));
}

TEST_CASE("A wrong sort order is an error that helps") {
  CHECK(ParseSortOrder("sefl").error().message == "there is no column \"sefl\" to sort by; did you mean \"self\"?");
  CHECK(ParseSortOrder("self:down").error().message == "the direction of a sort is \"asc\" or \"desc\", not \"down\"");
  CHECK(ParseSortOrder("").error().message.find("the columns are self, total") != std::string::npos);
  CHECK_FALSE(ParseSortOrder("self:").ok());
  CHECK_FALSE(ParseSortOrder("self:asc:desc").ok());
}

TEST_CASE("Sorting goes side by side, renumbers ranks and sums shares anew") {
  OpsSelection selection;
  selection.sort = Sort("total");
  const OpsResult result = Select(selection);
  CHECK(Names(result, Side::kDevice) == Strings{"IDLE", "a/MatMul", "b/Relu", "c/Add"});
  CHECK(Names(result, Side::kHost) == Strings{"a/MatMul", "z/Conv", "IDLE"});
  CHECK(result.rows[4].rank == 5);
  CHECK(result.rows[4].self_fraction == 0.3);
  CHECK(result.rows[4].cumulative_fraction == 0.3);
  CHECK(result.rows[6].cumulative_fraction == Approx(1.0));
}

TEST_CASE("Texts rise, numbers fall, a given direction holds") {
  OpsSelection selection;
  selection.sort = Sort("name");
  CHECK(Names(Select(selection), Side::kHost) == Strings{"IDLE", "a/MatMul", "z/Conv"});
  selection.sort = Sort("count");
  CHECK(Names(Select(selection), Side::kDevice) == Strings{"c/Add", "b/Relu", "a/MatMul", "IDLE"});
  selection.sort = Sort("avg:asc");
  CHECK(Names(Select(selection), Side::kDevice) == Strings{"IDLE", "c/Add", "b/Relu", "a/MatMul"});
}

TEST_CASE("Equal rows stand in order of name, then type, whatever the direction") {
  const auto tied = [] {
    return MakeResult(
        {HostOp("B", "b", 1, 1, 1), HostOp("Z", "a", 1, 1, 1), HostOp("Y", "a", 1, 1, 1), HostOp("A", "B", 1, 1, 1)});
  };
  for (const char* order : {"total", "total:asc", "count"}) {
    OpsSelection selection;
    selection.sort = Sort(order);
    const OpsResult result = Select(selection, tied());
    CHECK(Names(result, Side::kHost) == Strings{"B", "a", "a", "b"});  // bytes: upper case first
    CHECK(result.rows[1].op_type == "Y");
  }
}

TEST_CASE("Rows without the durations that are sorted by stand last") {
  OpsResult result = Sample();
  result.rows[2].distribution = Distribution{1, 5, 2, 3, 4};
  result.rows[3].distribution = Distribution{1, 9, 2, 3, 8};
  OpsSelection selection;
  selection.sort = Sort("p99:asc");
  CHECK(Names(Select(selection, result), Side::kDevice) == Strings{"b/Relu", "c/Add", "IDLE", "a/MatMul"});
  selection.sort = Sort("max");
  CHECK(Names(Select(selection, result), Side::kDevice) == Strings{"c/Add", "b/Relu", "IDLE", "a/MatMul"});
}

TEST_CASE("The other side is gone, and counts no more") {
  OpsSelection selection;
  selection.side = Side::kHost;
  const OpsResult result = Select(selection);
  CHECK(Names(result, Side::kDevice).empty());
  CHECK(Names(result, Side::kHost).size() == 3);
  CHECK(result.rows.front().rank == 1);
  CHECK(result.total_rows == 3);
  CHECK(result.device.idle_ps == 40 * kPsPerMicrosecond);  // totals are of the whole table
}

TEST_CASE("Names that filters leave out are gone and in no sum; shares stay") {
  OpsSelection selection;
  selection.include = {"^a/", "Relu"};
  selection.exclude = {"Relu$"};
  Diagnostics diagnostics;
  const OpsResult result = Select(selection, Sample(), &diagnostics);
  CHECK(Names(result, Side::kDevice) == Strings{"IDLE", "a/MatMul"});
  CHECK(Names(result, Side::kHost) == Strings{"a/MatMul", "IDLE"});
  CHECK(result.rows[1].self_fraction == 0.3);
  CHECK(result.rows[1].rank == 2);
  CHECK_FALSE(result.others_device.has_value());
  CHECK(result.total_rows == 4);
  CHECK(diagnostics.Empty());
}

TEST_CASE("With --by, patterns see the key") {
  OpsResult result = Sample();
  result.by = OpsBy::kType;
  for (OpsRow& row : result.rows) row.key = std::exchange(row.op_type, "");
  OpsSelection selection;
  selection.include = {"^MatMul$"};
  const OpsResult selected = Select(selection, result);
  REQUIRE(selected.rows.size() == 4);  // one a side, and IDLE
  CHECK(selected.rows[1].key == "MatMul");
}

TEST_CASE("A pattern that is none is a clean error; a long name and a hard pattern are no problem") {
  OpsSelection selection;
  selection.exclude = {"conv("};
  const Result<OpsSelector> selector = OpsSelector::Create(selection);
  REQUIRE_FALSE(selector.ok());
  CHECK(selector.error().message == "\"conv(\" is no regular expression: missing ): conv(");

  OpsSelection hard;
  hard.include = {"(a*)*b$"};
  const OpsResult result =
      Select(hard, MakeResult({HostOp("T", std::string(100'000, 'a'), 1, 1, 1), HostOp("T", "aab", 1, 1, 1)}));
  CHECK(Names(result, Side::kHost) == Strings{"aab"});
}

TEST_CASE("The limit cuts ops of each side; the cut ones are summed and said") {
  OpsSelection selection;
  selection.limit = 1;
  Diagnostics diagnostics;
  const OpsResult result = Select(selection, Sample(), &diagnostics);
  CHECK(Names(result, Side::kDevice) == Strings{"IDLE", "a/MatMul"});
  CHECK(Names(result, Side::kHost) == Strings{"z/Conv", "IDLE"});
  REQUIRE(result.others_device.has_value());
  CHECK(result.others_device->rows == 2);
  CHECK(result.others_device->occurrences == 13);
  CHECK((result.others_device->total_ps == 30 * kPsPerMicrosecond));
  CHECK((result.others_device->self_ps == 30 * kPsPerMicrosecond));
  CHECK(result.others_device->self_fraction == Approx(0.3));
  CHECK(result.others_host->rows == 1);
  CHECK(result.total_rows == 7);
  CHECK(result.rows[3].rank == 4);
  REQUIRE(diagnostics.items().size() == 2);
  CHECK(diagnostics.items()[0] ==
        Diagnostic{DiagCode::kRowsLimited, 2, "2 of 3 device rows are summed in the row of the others (--limit 1)"});
}

TEST_CASE("A limit that nothing exceeds cuts nothing") {
  OpsSelection selection;
  selection.limit = 3;
  Diagnostics diagnostics;
  const OpsResult result = Select(selection, Sample(), &diagnostics);
  CHECK(result.rows.size() == 7);
  CHECK_FALSE(result.others_device.has_value());
  CHECK(diagnostics.Empty());
}

TEST_CASE("Ops below --min-self are summed; the IDLE row is no op") {
  OpsSelection selection;
  selection.min_self_percent = 20;
  Diagnostics diagnostics;
  const OpsResult result = Select(selection, Sample(), &diagnostics);
  CHECK(Names(result, Side::kDevice) == Strings{"IDLE", "a/MatMul", "b/Relu"});  // 20 % is not below
  CHECK(Names(result, Side::kHost) == Strings{"z/Conv", "a/MatMul", "IDLE"});
  CHECK(result.others_device->rows == 1);
  CHECK_FALSE(result.others_host.has_value());
  CHECK(diagnostics.items().front().message.ends_with("(--min-self 20)"));
}

TEST_CASE("Rows shown and others add up to what matched, for any table and limit") {
  std::mt19937 random(11);
  for (int i = 0; i < 200; ++i) {
    std::vector<RowSpec> specs;
    for (unsigned n = random() % 20; n > 0; --n) {
      const auto self = static_cast<int64_t>(random() % 5);
      specs.push_back(HostOp(std::to_string(random() % 3), std::to_string(random() % 1000), random() % 4,
                             self + static_cast<int64_t>(random() % 5), self));
    }
    OpsSelection selection;
    selection.limit = random() % 6;
    selection.min_self_percent = static_cast<double>(random() % 3) * 4;
    const char* const orders[] = {"self", "total:asc", "name", "count"};
    selection.sort = Sort(orders[random() % 4]);
    const OpsResult before = MakeResult(specs), after = Select(selection, before);
    __int128 self_before = 0, self_after = 0;
    uint64_t count_before = 0, count_after = 0;
    for (const OpsRow& row : before.rows) self_before += row.self_ps, count_before += row.occurrences;
    for (const OpsRow& row : after.rows) self_after += row.self_ps, count_after += row.occurrences;
    uint64_t rows = after.rows.size();
    if (after.others_host) {
      self_after += after.others_host->self_ps;
      count_after += after.others_host->occurrences;
      rows += after.others_host->rows;
    }
    CHECK((self_after == self_before));
    CHECK(count_after == count_before);
    CHECK(rows == before.rows.size());
    for (size_t r = 0; r < after.rows.size(); ++r) CHECK(after.rows[r].rank == static_cast<int>(r) + 1);
  }
}

}  // namespace
}  // namespace tfprof::analyze
