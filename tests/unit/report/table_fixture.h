// Small tables for the tests of writers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/table.h"

namespace tfprof::report {

inline Column TestColumn(std::string id, Kind kind) {
  Column column;
  column.label = column.id = std::move(id);
  column.kind = kind;
  return column;
}

// A table that owns its rows; texts in cells must outlive it.
inline TablePtr TestTable(std::vector<Column> columns, std::vector<Row> rows) {
  auto table = std::make_shared<Table>();
  table->columns = std::move(columns);
  table->rows = rows.size();
  table->read = [rows = std::move(rows)](size_t index, Row* row) { *row = rows[index]; };
  return table;
}

// One column of texts.
inline TablePtr TextsTable(const std::vector<std::string>& texts) {
  std::vector<Row> rows;
  for (const std::string& text : texts) rows.push_back({RowKind::kPlain, {std::string_view(text)}});
  return TestTable({TestColumn("name", Kind::kText)}, std::move(rows));
}

}  // namespace tfprof::report
