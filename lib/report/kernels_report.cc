#include "report/kernels_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::report {

using analyze::Compat;
using analyze::KernelRow;
using analyze::KernelsBy;
using analyze::KernelsResult;
using analyze::KernelTimes;

namespace {

struct KernelColumn {
  std::string_view id, label;
  Kind kind;
  bool others;    // the row of the others has it
  int leave_out;  // see Column
  bool by_launch, by_kernel, by_op;
  Cell (*get)(const KernelRow& row, Compat compat);
};

std::string_view ByName(KernelsBy by) {
  return by == KernelsBy::kOp ? "op" : by == KernelsBy::kKernel ? "kernel" : "launch";
}

// XProf divides whole nanoseconds.
Cell AverageUs(const KernelTimes& times, Compat compat) {
  if (times.occurrences == 0) return 0.0;
  if (compat == Compat::kNone) {
    return static_cast<double>(times.total_ps) / 1e6 / static_cast<double>(times.occurrences);
  }
  return Picoseconds{times.total_ps / 1000 / static_cast<__int128>(times.occurrences) * 1000};
}

constexpr KernelColumn kColumns[] = {
    {"rank", "#", Kind::kInteger, false, 3, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return static_cast<uint64_t>(r.rank); }},
    {"kernel_name", "Kernel", Kind::kText, true, 0, true, true, false,
     [](const KernelRow& r, Compat) -> Cell { return std::string_view(r.kernel); }},
    {"op_name", "Op", Kind::kText, true, 1, true, false, true,
     [](const KernelRow& r, Compat) -> Cell { return std::string_view(r.op); }},
    {"kernels", "Kernels", Kind::kInteger, false, 5, false, false, true,
     [](const KernelRow& r, Compat) -> Cell { return r.kernels; }},
    {"ops", "Ops", Kind::kInteger, false, 5, false, true, false,
     [](const KernelRow& r, Compat) -> Cell { return r.ops; }},
    {"occurrences", "Count", Kind::kInteger, true, 0, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return r.times.occurrences; }},
    {"total_us", "Total", Kind::kTime, true, 0, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return Picoseconds{r.times.total_ps}; }},
    {"avg_us", "Avg", Kind::kTime, true, 2, true, true, true,
     [](const KernelRow& r, Compat compat) -> Cell { return AverageUs(r.times, compat); }},
    {"min_us", "Min", Kind::kTime, true, 8, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return Picoseconds{r.times.min_ps}; }},
    {"max_us", "Max", Kind::kTime, true, 8, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return Picoseconds{r.times.max_ps}; }},
    {"registers_per_thread", "Regs", Kind::kInteger, false, 6, true, false, false,
     [](const KernelRow& r, Compat) -> Cell { return uint64_t{r.launch.registers}; }},
    {"shared_memory_bytes", "Shared B", Kind::kInteger, false, 6, true, false, false,
     [](const KernelRow& r, Compat) -> Cell {
       return uint64_t{r.launch.static_shared_bytes} + r.launch.dynamic_shared_bytes;
     }},
    {"block_dim", "Block", Kind::kText, false, 7, true, false, false,
     [](const KernelRow& r, Compat) -> Cell { return Dimensions{r.launch.block}; }},
    {"grid_dim", "Grid", Kind::kText, false, 7, true, false, false,
     [](const KernelRow& r, Compat) -> Cell { return Dimensions{r.launch.grid}; }},
    {"occupancy_pct", "Occup. %", Kind::kNumber, false, 6, true, false, false,
     [](const KernelRow& r, Compat) -> Cell {
       return r.occupancy_percent ? Cell(*r.occupancy_percent) : Cell(Missing());
     }},
    {"tensor_core_eligible", "TC eligible", Kind::kBoolean, false, 5, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return r.eligible; }},
    {"uses_tensor_core", "Uses TC", Kind::kBoolean, false, 4, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return r.uses_tensor_cores; }},
    {"tensor_core_us", "In TC", Kind::kTime, false, 4, false, false, true,
     [](const KernelRow& r, Compat) -> Cell { return Picoseconds{r.tensor_core_ps}; }},
    {"total_fraction", "Share", Kind::kFraction, true, 0, true, true, true,
     [](const KernelRow& r, Compat) -> Cell { return r.total_fraction; }},
};

std::vector<const KernelColumn*> ColumnsOf(KernelsBy by, bool people) {
  std::vector<const KernelColumn*> columns;
  for (const KernelColumn& column : kColumns) {
    if (by == KernelsBy::kLaunch ? column.by_launch : by == KernelsBy::kKernel ? column.by_kernel : column.by_op) {
      columns.push_back(&column);
    }
  }
  if (people) {  // the share belongs beside the time it is of
    const auto total = std::find_if(columns.begin(), columns.end(), [](const auto* c) { return c->id == "total_us"; });
    std::rotate(total + 1, columns.end() - 1, columns.end());
  }
  return columns;
}

KernelRow RowOfOthers(const KernelsResult& result) {
  KernelRow row;
  (result.by == KernelsBy::kOp ? row.op : row.kernel) =
      fmt::format("others ({})", CountText(result.other_rows, "row", "rows"));
  row.times = *result.others;
  if (result.all.total_ps > 0) {
    row.total_fraction = static_cast<double>(row.times.total_ps) / static_cast<double>(result.all.total_ps);
  }
  return row;
}

Column ColumnFor(const KernelColumn& source, KernelsBy by) {
  Column column;
  column.id = source.id;
  column.label = source.label;
  column.kind = source.kind;
  const bool single = source.id == "avg_us" || source.id == "min_us" || source.id == "max_us";
  column.time_group = single ? TimeGroup::kSingleEvents : TimeGroup::kSums;
  column.bar = source.id == "total_fraction";
  column.leave_out = source.id == "op_name" && by == KernelsBy::kOp ? 0 : source.leave_out;
  if (source.id == "kernel_name" || source.id == "op_name") {
    column.least_width = 16;
    column.readable_width = 20;
  }
  return column;
}

// `people`: what is named nothing is said to be so.
TablePtr MakeTable(const KernelsResult& result, bool with_others, bool people) {
  auto table = std::make_shared<Table>();
  const auto columns = ColumnsOf(result.by, people);
  for (const KernelColumn* column : columns) table->columns.push_back(ColumnFor(*column, result.by));
  const bool others = with_others && result.others;
  table->rows = result.rows.size() + (others ? 1 : 0);
  const auto last = others ? std::make_shared<KernelRow>(RowOfOthers(result)) : nullptr;
  table->read = [&result, columns, last, people](size_t index, Row* row) {
    const bool is_others = index == result.rows.size();
    const KernelRow& source = is_others ? *last : result.rows[index];
    row->kind = is_others ? RowKind::kOthers : RowKind::kPlain;
    row->cells.clear();
    for (const KernelColumn* column : columns) {
      row->cells.push_back(is_others && !column->others ? Cell(Missing()) : column->get(source, result.compat));
      if (people && !is_others && column->id == "op_name" && source.op.empty()) {
        row->cells.back() = std::string_view("(none)");
      }
    }
  };
  return table;
}

Value OthersValue(const KernelsResult& result) {
  if (!result.others) return Value();
  const KernelTimes& times = *result.others;
  return Value::Object{{"rows", result.other_rows},
                       {"occurrences", times.occurrences},
                       {"total_us", Picoseconds{times.total_ps}},
                       {"min_us", Picoseconds{times.min_ps}},
                       {"max_us", Picoseconds{times.max_ps}}};
}

Value TotalsValue(const KernelsResult& result) {
  return Value::Object{{"occurrences", result.all.occurrences},
                       {"total_us", Picoseconds{result.all.total_ps}},
                       {"tensor_core_us", Picoseconds{result.tensor_core_ps}},
                       {"unclaimed_us", Picoseconds{result.unclaimed_ps}}};
}

std::string ShareText(__int128 part, __int128 whole) {
  return PercentText(whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0);
}

std::vector<Sentence> Sentences(const KernelsResult& result, Unit unit) {
  std::vector<Sentence> sentences;
  if (result.all.occurrences == 0) return {{"There is no GPU kernel to show.", Tone::kPlain}};
  const KernelTimes& all = result.all;
  sentences.push_back(
      {fmt::format("{} took {}.", CountText(all.occurrences, "launch", "launches"), TimeText(all.total_ps, unit)),
       Tone::kPlain});
  if (result.unclaimed_ps > 0) {
    sentences.push_back({fmt::format("{} of it ({}) belongs to no op that the profile names.",
                                     TimeText(result.unclaimed_ps, unit), ShareText(result.unclaimed_ps, all.total_ps)),
                         Tone::kPlain});
  }
  sentences.push_back(
      {result.tensor_core_ps == 0
           ? "Tensor cores: no kernel has the name of one that uses them."
           : fmt::format("Tensor cores: {} of the time is in kernels with the names of those that use them.",
                         ShareText(result.tensor_core_ps, all.total_ps)),
       Tone::kPlain});
  if (result.compat != Compat::kNone) {
    sentences.push_back({"Numbers as XProf computes them (--compat): whole nanoseconds an event.", Tone::kQuiet});
  } else if (result.without_vendor > 0) {
    sentences.push_back(
        {"The profile names no vendor of the GPUs; NVIDIA's list of tensor core kernels was used.", Tone::kQuiet});
  }
  return sentences;
}

}  // namespace

Document KernelsDocument(const KernelsResult& result, const ReportContext& context, Unit unit) {
  Document document;
  document.json = OpenDocument("kernels", context);
  Value::Object& json = document.json;
  json.push_back({"by", ByName(result.by)});
  if (result.compat != Compat::kNone) {
    json.push_back({"compat", result.compat == Compat::kLegacy ? "legacy" : "xprof"});
  }
  json.push_back({"rows", MakeTable(result, false, false)});
  json.push_back({"others", OthersValue(result)});
  json.push_back({"totals", TotalsValue(result)});
  json.push_back({"returned", static_cast<uint64_t>(result.rows.size())});
  json.push_back({"total", result.total_rows});
  json.push_back({"truncated", result.rows.size() < result.total_rows});
  CloseDocument(context, &json);

  document.records = MakeTable(result, true, false);
  if (!result.rows.empty() || result.others) {
    const std::string gpus = CountText(result.gpus_at_work, "GPU", "GPUs");
    Tables tables;
    tables.sections.push_back({"Kernels", fmt::format("{} · {}", gpus, CountText(result.total_rows, "row", "rows")),
                               MakeTable(result, true, true)});
    document.blocks.push_back(std::move(tables));
  }
  Paragraph foot{Sentences(result, unit)};
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
