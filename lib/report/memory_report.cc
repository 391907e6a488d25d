#include "report/memory_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tfprof::report {

using analyze::AllocatorMemory;
using analyze::Compat;
using analyze::MemoryPoint;
using analyze::MemoryResult;
using analyze::MemoryRow;

namespace {

// Below 0 only in files that no allocator wrote.
Cell Bytes(__int128 bytes) {
  if (bytes >= 0 && bytes <= UINT64_MAX) return static_cast<uint64_t>(bytes);
  return static_cast<double>(bytes);
}
Value BytesValue(int64_t bytes) {
  return bytes >= 0 ? Value(static_cast<uint64_t>(bytes)) : Value(static_cast<double>(bytes));
}
Cell PeopleBytes(__int128 bytes) { return bytes >= 0 && bytes <= UINT64_MAX ? Bytes(bytes) : Cell(Missing()); }

std::vector<Column> RowColumns() {
  return {MakeColumn("op_name", "Op", Kind::kText),
          MakeColumn("occurrences", "Count", Kind::kInteger),
          MakeColumn("allocation_bytes", "Bytes each", Kind::kInteger),
          MakeColumn("requested_bytes", "Requested", Kind::kInteger),
          MakeColumn("region_type", "Region", Kind::kText),
          MakeColumn("data_type", "Type", Kind::kText),
          MakeColumn("shape", "Shape", Kind::kText),
          MakeColumn("total_bytes", "Bytes", Kind::kInteger)};
}

void AppendCells(const MemoryRow& source, Row* row) {
  row->cells.insert(row->cells.end(),
                    {std::string_view(source.purpose.op_name), source.occurrences, Bytes(source.allocation_bytes),
                     Bytes(source.requested_bytes), std::string_view(source.purpose.region_type),
                     std::string_view(source.purpose.data_type), std::string_view(source.purpose.shape),
                     Bytes(source.total_bytes())});
}

TablePtr ActiveTable(const AllocatorMemory& memory) {
  auto table = std::make_shared<Table>();
  table->columns = RowColumns();
  table->rows = memory.active_at_peak.size();
  table->read = [&memory](size_t index, Row* row) {
    row->kind = RowKind::kPlain;
    row->cells.clear();
    AppendCells(memory.active_at_peak[index], row);
  };
  return table;
}

TablePtr TimelineTable(const AllocatorMemory& memory) {
  auto table = std::make_shared<Table>();
  table->columns.push_back(MakeColumn("time_us", "Time", Kind::kTime));
  for (const char* id : {"heap_bytes", "stack_bytes", "free_bytes"}) {
    table->columns.push_back(MakeColumn(id, id, Kind::kInteger));
  }
  table->rows = memory.timeline.size();
  table->read = [&memory](size_t index, Row* row) {
    const MemoryPoint& point = memory.timeline[index];
    row->kind = RowKind::kPlain;
    row->cells = {Picoseconds{point.time_ps}, Bytes(point.use.heap_bytes)};
    for (const int64_t bytes : {point.use.stack_bytes, point.use.free_bytes}) {
      row->cells.push_back(memory.knows_free ? Cell(Bytes(bytes)) : Cell(Missing()));
    }
  };
  return table;
}

TablePtr Records(const MemoryResult& result) {
  auto places = std::make_shared<std::vector<std::pair<const AllocatorMemory*, const MemoryRow*>>>();
  for (const AllocatorMemory& memory : result.allocators) {
    for (const MemoryRow& row : memory.active_at_peak) places->emplace_back(&memory, &row);
  }
  auto table = std::make_shared<Table>();
  table->columns = {MakeColumn("host", "Host", Kind::kText), MakeColumn("allocator", "Allocator", Kind::kText)};
  for (Column& column : RowColumns()) table->columns.push_back(std::move(column));
  table->rows = places->size();
  table->read = [places](size_t index, Row* row) {
    const auto& [memory, source] = (*places)[index];
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(memory->host), std::string_view(memory->id)};
    AppendCells(*source, row);
  };
  return table;
}

Value AllocatorValue(const AllocatorMemory& memory) {
  const auto of_peak = [&memory](int64_t bytes) { return memory.peak ? BytesValue(bytes) : Value(); };
  const MemoryPoint peak = memory.peak.value_or(MemoryPoint());
  const auto if_told = [&](int64_t bytes) { return memory.knows_free ? of_peak(bytes) : Value(); };
  const uint64_t returned = memory.active_at_peak.size();
  return Value::Object{{"id", memory.id},
                       {"host", memory.host},
                       {"peak_bytes", of_peak(peak.use.used_bytes())},
                       {"peak_time_us", memory.peak ? Value(Picoseconds{peak.time_ps}) : Value()},
                       {"peak_file", memory.file.empty() ? Value() : Value(memory.file)},
                       {"heap_bytes", of_peak(peak.use.heap_bytes)},
                       {"stack_bytes", if_told(peak.use.stack_bytes)},
                       {"free_bytes", if_told(peak.use.free_bytes)},
                       {"fragmentation", memory.fragmentation ? Value(*memory.fragmentation) : Value()},
                       {"lifetime_peak_bytes", BytesValue(memory.lifetime_peak_bytes)},
                       {"capacity_bytes", if_told(memory.capacity_bytes)},
                       {"allocations", memory.allocations},
                       {"deallocations", memory.deallocations},
                       {"active_at_peak", ActiveTable(memory)},
                       {"returned", returned},
                       {"total", memory.total_rows},
                       {"truncated", returned < memory.total_rows},
                       {"timeline", TimelineTable(memory)}};
}

// For people: what is largest first to be seen, and the rows that a limit cut as a last one.
TablePtr PeopleTable(const AllocatorMemory& memory) {
  auto table = std::make_shared<Table>();
  table->columns = {MakeColumn("total_bytes", "Bytes", Kind::kInteger), MakeColumn("share", "Of peak", Kind::kFraction),
                    MakeColumn("occurrences", "Count", Kind::kInteger), MakeColumn("op_name", "Op", Kind::kText),
                    MakeColumn("region_type", "Region", Kind::kText),   MakeColumn("data_type", "Type", Kind::kText),
                    MakeColumn("shape", "Shape", Kind::kText)};
  table->columns[1].bar = true;
  table->columns[3].least_width = 16;
  table->columns[3].readable_width = 30;
  table->columns[4].leave_out = 2;
  table->columns[5].leave_out = 3;
  table->columns[6].leave_out = 1;
  const bool others = memory.total_rows > memory.active_at_peak.size();
  table->rows = memory.active_at_peak.size() + (others ? 1 : 0);
  const double peak_bytes = memory.peak ? static_cast<double>(memory.peak->use.used_bytes()) : 0;
  const auto cut = std::make_shared<std::string>(
      fmt::format("others ({})", CountText(memory.total_rows - memory.active_at_peak.size(), "row", "rows")));
  table->read = [&memory, peak_bytes, cut](size_t index, Row* row) {
    const bool is_others = index == memory.active_at_peak.size();
    const auto share = [peak_bytes](__int128 bytes) {
      return peak_bytes > 0 ? Cell(static_cast<double>(bytes) / peak_bytes) : Cell(Missing());
    };
    row->kind = is_others ? RowKind::kOthers : RowKind::kPlain;
    if (is_others) {
      row->cells = {PeopleBytes(memory.other_bytes),
                    share(memory.other_bytes),
                    memory.other_occurrences,
                    std::string_view(*cut),
                    Missing(),
                    Missing(),
                    Missing()};
      return;
    }
    const MemoryRow& source = memory.active_at_peak[index];
    row->kind = source.allocation ? RowKind::kPlain : RowKind::kMuted;
    const std::string_view name = source.purpose.op_name;
    row->cells = {PeopleBytes(source.total_bytes()),
                  share(source.total_bytes()),
                  source.occurrences,
                  name.empty() ? std::string_view("(no op)") : name,
                  std::string_view(source.purpose.region_type),
                  std::string_view(source.purpose.data_type),
                  std::string_view(source.purpose.shape)};
  };
  return table;
}

std::string SizeText(int64_t bytes) { return BytesText(static_cast<uint64_t>(std::max<int64_t>(bytes, 0))); }

Plot PlotOf(const AllocatorMemory& memory, Unit unit) {
  Plot plot;
  const int64_t first = memory.timeline.front().time_ps;
  const double span = static_cast<double>(memory.last_ps) - static_cast<double>(first);
  int64_t most = 1;
  for (const MemoryPoint& point : memory.timeline) most = std::max(most, point.use.used_bytes());
  for (const MemoryPoint& point : memory.timeline) {
    const double since = static_cast<double>(point.time_ps) - static_cast<double>(first);
    const double used = static_cast<double>(std::max<int64_t>(point.use.used_bytes(), 0));
    plot.steps.emplace_back(span > 0 ? since / span : 0, used / static_cast<double>(most));
  }
  plot.top = SizeText(most);
  plot.bottom = std::string(1, '0');  // GCC 12 warns falsely of "0"
  plot.left = TimeText(first, unit);
  plot.right = TimeText(memory.last_ps, unit);
  return plot;
}

Facts FactsOf(const AllocatorMemory& memory, Unit unit) {
  Facts facts;
  const auto add = [&facts](std::string name, std::string text) {
    facts.lines.emplace_back(std::move(name), Sentence{std::move(text)});
  };
  if (memory.peak) {
    const auto& [time_ps, use] = *memory.peak;
    std::string peak = fmt::format("{} at {}", SizeText(use.used_bytes()), TimeText(time_ps, unit));
    if (use.free_bytes > 0 && memory.capacity_bytes > 0) {
      peak += fmt::format(
          ", {} of {}", PercentText(static_cast<double>(use.used_bytes()) / static_cast<double>(memory.capacity_bytes)),
          SizeText(memory.capacity_bytes));
    }
    if (!memory.file.empty()) peak += fmt::format(", in {}", memory.file);
    add("Peak", peak);
  } else {
    add("Peak", "not told: no event says how much was in use");
  }
  if (memory.lifetime_peak_bytes > 0) add("Lifetime peak", SizeText(memory.lifetime_peak_bytes));
  if (memory.fragmentation && *memory.fragmentation > 0) add("Fragmentation", PercentText(*memory.fragmentation));
  add("Events", fmt::format("{}, {}", CountText(memory.allocations, "allocation", "allocations"),
                            CountText(memory.deallocations, "deallocation", "deallocations")));
  return facts;
}

void AppendAllocator(const AllocatorMemory& memory, Unit unit, std::vector<Block>* blocks) {
  blocks->push_back(Title{memory.id.empty() ? "(unnamed allocator)" : memory.id, memory.host});
  blocks->push_back(FactsOf(memory, unit));
  if (!memory.timeline.empty()) blocks->push_back(PlotOf(memory, unit));
  if (memory.active_at_peak.empty()) return;
  Tables tables;
  tables.sections.push_back({"Alive at the peak", CountText(memory.total_rows, "row", "rows"), PeopleTable(memory)});
  blocks->push_back(std::move(tables));
}

}  // namespace

Document MemoryDocument(const MemoryResult& result, const ReportContext& context, Unit unit) {
  Document document;
  document.json = OpenDocument("memory", context);
  if (result.compat != Compat::kNone) {
    document.json.push_back({"compat", result.compat == Compat::kLegacy ? "legacy" : "xprof"});
  }
  Value::Array values;
  for (const AllocatorMemory& memory : result.allocators) values.push_back(AllocatorValue(memory));
  document.json.push_back({"allocators", std::move(values)});
  CloseDocument(context, &document.json);
  document.records = Records(result);

  for (const AllocatorMemory& memory : result.allocators) AppendAllocator(memory, unit, &document.blocks);
  Paragraph foot;
  if (result.allocators.empty()) foot.sentences.push_back({"There is no memory event to show.", Tone::kPlain});
  if (result.compat != Compat::kNone) {
    foot.sentences.push_back(
        {"Numbers as XProf computes them (--compat): allocations of one step only, times from the "
         "start of their line.",
         Tone::kQuiet});
  }
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
