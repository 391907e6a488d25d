#include <cmath>
#include <memory>
#include <utility>

#include "report/ops_table.h"

namespace tfprof::report {

using analyze::Compat;
using analyze::OpsResult;
using analyze::OpsRow;
using analyze::Roofline;
using analyze::Side;

namespace {

struct CompatColumn {
  std::string_view label;
  Kind kind;
  Cell (*get)(const OpsRow&);
};

double Microseconds(__int128 ps) { return static_cast<double>(ps) / 1e6; }

// XProf's SafeDivide, of times in µs.
double Average(__int128 sum_ps, uint64_t occurrences) {
  return occurrences == 0 ? 0.0 : Microseconds(sum_ps) / static_cast<double>(occurrences);
}

double OnSide(Side side, const OpsRow& row, double fraction) { return row.side == side ? fraction : 0.0; }

double RooflineValue(const OpsRow& row, double Roofline::*member) {
  return row.roofline ? (*row.roofline).*member : 0.0;
}

void Append(std::vector<CompatColumn> more, std::vector<CompatColumn>* columns) {
  columns->insert(columns->end(), more.begin(), more.end());
}

// Both layouts begin so; they only call type and name differently.
std::vector<CompatColumn> CommonColumns(std::string_view type_label, std::string_view name_label) {
  return {
      {"Rank", Kind::kInteger, [](const OpsRow& r) { return Cell(static_cast<uint64_t>(r.rank)); }},
      {"Host/device", Kind::kText, [](const OpsRow& r) { return Cell(analyze::SideName(r.side)); }},
      {type_label, Kind::kText, [](const OpsRow& r) { return Cell(std::string_view(r.op_type)); }},
      {name_label, Kind::kText, [](const OpsRow& r) { return Cell(std::string_view(r.op_name)); }},
      {"#Occurrences", Kind::kInteger, [](const OpsRow& r) { return Cell(r.occurrences); }},
      {"Total time (us)", Kind::kNumber, [](const OpsRow& r) { return Cell(Microseconds(r.total_ps)); }},
      {"Avg. time (us)", Kind::kNumber, [](const OpsRow& r) { return Cell(Average(r.total_ps, r.occurrences)); }},
      {"Total self-time (us)", Kind::kNumber, [](const OpsRow& r) { return Cell(Microseconds(r.self_ps)); }},
      {"Avg. self-time (us)", Kind::kNumber, [](const OpsRow& r) { return Cell(Average(r.self_ps, r.occurrences)); }},
      {"Total self-time on Device (%)", Kind::kFraction,
       [](const OpsRow& r) { return Cell(OnSide(Side::kDevice, r, r.self_fraction)); }},
      {"Cumulative total-self time on Device (%)", Kind::kFraction,
       [](const OpsRow& r) { return Cell(OnSide(Side::kDevice, r, r.cumulative_fraction)); }},
      {"Total self-time on Host (%)", Kind::kFraction,
       [](const OpsRow& r) { return Cell(OnSide(Side::kHost, r, r.self_fraction)); }},
      {"Cumulative total-self time on Host (%)", Kind::kFraction,
       [](const OpsRow& r) { return Cell(OnSide(Side::kHost, r, r.cumulative_fraction)); }},
  };
}

std::vector<CompatColumn> CompatColumns(const OpsResult& result) {
  const bool legacy = result.compat == Compat::kLegacy;
  std::vector<CompatColumn> columns =
      legacy ? CommonColumns("Type", "Operation") : CommonColumns("Operation Type", "Operation Name");
  if (!legacy) {
    // The first label promises FLOPs/s; the value is GFLOP/s there too.
    Append({{"Normalized FLOP Rate (FLOPs/s)", Kind::kNumber,
             [](const OpsRow& r) { return Cell(RooflineValue(r, &Roofline::measured_flop_rate)); }},
            {"Model FLOP Rate (GFLOP/s)", Kind::kNumber,
             [](const OpsRow& r) { return Cell(RooflineValue(r, &Roofline::model_flop_rate)); }},
            {"Measured Memory BW (GBytes/Sec)", Kind::kNumber,
             [](const OpsRow& r) { return Cell(RooflineValue(r, &Roofline::measured_memory_bw)); }},
            {"Operational Intensity (FLOPs/Byte)", Kind::kNumber,
             [](const OpsRow& r) { return Cell(RooflineValue(r, &Roofline::operational_intensity)); }}},
           &columns);
  }
  if (result.has_gpu) {
    Append({{"GPU TensorCore utilization", Kind::kNumber,
             [](const OpsRow& r) { return Cell(RooflineValue(r, &Roofline::gpu_tensorcore_utilization)); }}},
           &columns);
  }
  if (!legacy) {
    Append({{"Bound by", Kind::kText,
             [](const OpsRow& r) {
               return Cell(r.roofline ? std::string_view(r.roofline->bound_by) : std::string_view("Unknown"));
             }},
            {"Execution mode", Kind::kText,
             [](const OpsRow& r) { return Cell(std::string_view(r.eager ? "Eager" : "Function")); }}},
           &columns);
  }
  return columns;
}

}  // namespace

TablePtr MakeCompatOpsTable(const OpsResult& result) {
  auto table = std::make_shared<Table>();
  const std::vector<CompatColumn> columns = CompatColumns(result);
  for (const CompatColumn& column : columns) {
    Column c;
    c.id = c.label = std::string(column.label);
    c.kind = column.kind;
    table->columns.push_back(std::move(c));
  }
  table->rows = result.rows.size();
  table->read = [&result, columns](size_t index, Row* row) {
    const OpsRow& source = result.rows[index];
    row->kind = source.idle ? RowKind::kMuted : RowKind::kPlain;
    row->cells.clear();
    for (const CompatColumn& column : columns) row->cells.push_back(column.get(source));
  };
  return table;
}

}  // namespace tfprof::report
