#include "compare/select_rows.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace tfprof::compare {
namespace {

ChangeRow Row(const std::string& name, double base, double next, trace::Side side = trace::Side::kHost,
              RowKind kind = RowKind::kOp) {
  ChangeRow row;
  row.kind = kind;
  row.key = {side, "T" + name, name};
  row.self.base_median = base;
  row.self.next_median = next;
  row.self.delta = next - base;
  if (base != 0) row.self.relative = row.self.delta / base;
  return row;
}

// As a comparison sorts them.
const std::vector<ChangeRow> kRows = {
    Row("IDLE", 100, 50, trace::Side::kHost, RowKind::kIdle),
    Row("b", 10, 2),
    Row("a", 100, 104),
    Row("c", 0, 3),
    Row("d", 1, 2, trace::Side::kDevice),
};

std::vector<std::string> NamesOf(const RowSelection& selection) {
  std::vector<std::string> names;
  for (const ChangeRow* row : SelectRows(kRows, selection).rows) names.push_back(row->key.op_name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("rows of a comparison in every order") {
  const auto by = [](ChangeColumn column, bool descending = true) {
    RowSelection selection;
    selection.order = {column, descending};
    return NamesOf(selection);
  };
  CHECK(by(ChangeColumn::kChange) == Names{"IDLE", "b", "a", "c", "d"});
  CHECK(by(ChangeColumn::kChange, false) == Names{"d", "c", "a", "b", "IDLE"});
  CHECK(by(ChangeColumn::kRelative) == Names{"c", "d", "b", "IDLE", "a"});  // from nothing: more than any
  CHECK(by(ChangeColumn::kBase) == Names{"IDLE", "a", "b", "d", "c"});
  CHECK(by(ChangeColumn::kNew) == Names{"a", "IDLE", "c", "b", "d"});
  CHECK(by(ChangeColumn::kName, false) == Names{"IDLE", "a", "b", "c", "d"});
  CHECK(by(ChangeColumn::kType) == Names{"d", "c", "b", "a", "IDLE"});
}

TEST_CASE("rows of a comparison: side, patterns and idle time") {
  RowSelection selection;
  selection.side = trace::Side::kDevice;
  CHECK(NamesOf(selection) == Names{"d"});
  selection = {};
  selection.idle = false;
  selection.exclude = {"^a$"};
  CHECK(NamesOf(selection) == Names{"b", "c", "d"});
  selection = {};
  selection.include = {"nosuch"};
  CHECK(NamesOf(selection) == Names{"IDLE"});  // which is no op
  CHECK(SelectRows(kRows, selection).none_of == 4);
}

TEST_CASE("an op that was renamed is found by both names") {
  std::vector<ChangeRow> rows = {Row("dense_2/MatMul", 1, 2)};
  rows[0].base_name = "dense/MatMul";
  RowSelection selection;
  selection.include = {"^dense/"};
  CHECK(SelectRows(rows, selection).rows.size() == 1);
}

TEST_CASE("what a limit cuts is summed for each side") {
  RowSelection selection;
  selection.limit = 1;
  const SelectedRows selected = SelectRows(kRows, selection);
  CHECK(NamesOf(selection) == Names{"IDLE", "b", "d"});
  CHECK(selected.total == 5);
  REQUIRE(selected.others.size() == 1);
  CHECK(selected.others[0].side == trace::Side::kHost);
  CHECK(selected.others[0].rows == 2);
  CHECK(selected.others[0].base_self_ps == 100);
  CHECK(selected.others[0].next_self_ps == 107);
}

}  // namespace tfprof::compare
