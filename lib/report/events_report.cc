#include "report/events_report.h"

#include <fmt/format.h>

#include <utility>

namespace tfprof::report {
namespace {

using analyze::EventRow;
using analyze::Side;

std::vector<Column> MachineColumns() {
  std::vector<Column> columns;
  for (const char* id : {"file", "host", "side", "plane", "lane", "lane_id"}) {
    columns.push_back(MakeColumn(id, id, Kind::kText));
  }
  columns.push_back(MakeColumn("view", "view", Kind::kBoolean));
  for (const char* id : {"name", "op_type", "op_name"}) columns.push_back(MakeColumn(id, id, Kind::kText));
  for (const char* id : {"start_us", "duration_us"}) columns.push_back(MakeColumn(id, id, Kind::kTime));
  for (const char* id : {"occurrences", "group"}) columns.push_back(MakeColumn(id, id, Kind::kInteger));
  columns.push_back(MakeColumn("step_name", "step_name", Kind::kText));
  columns.push_back(MakeColumn("correlation_id", "correlation_id", Kind::kInteger));
  return columns;
}

Cell TextOrMissing(std::string_view text) { return text.empty() ? Cell(Missing()) : Cell(text); }
Cell NumberOrMissing(const std::optional<uint64_t>& number) { return number ? Cell(*number) : Cell(Missing()); }
Cell StartOf(const EventRow& row) { return row.start_ps ? Cell(Picoseconds{*row.start_ps}) : Cell(Missing()); }

// The id of a lane is a text: numbers of 64 bits don't survive as JSON numbers.
void FillMachineRow(const EventRow& event, Row* row) {
  row->cells.assign({event.file, event.host, analyze::SideName(event.side), event.plane, event.lane, event.lane_id,
                     event.view, event.name, TextOrMissing(event.op_type), TextOrMissing(event.op_name), StartOf(event),
                     Picoseconds{event.duration_ps}, event.occurrences, NumberOrMissing(event.group),
                     TextOrMissing(event.step_name), NumberOrMissing(event.correlation_id)});
}

// Columns that say the same in every row are left out.
TablePtr PeopleTable(std::shared_ptr<const std::vector<StoredEvent>> rows) {
  auto table = std::make_shared<Table>();
  table->columns = {MakeColumn("start_us", "Start", Kind::kTime), MakeColumn("duration_us", "Duration", Kind::kTime),
                    MakeColumn("name", "Event", Kind::kText),     MakeColumn("op_type", "Op type", Kind::kText),
                    MakeColumn("op_name", "Op", Kind::kText),     MakeColumn("group", "Group", Kind::kInteger),
                    MakeColumn("plane", "Plane", Kind::kText),    MakeColumn("lane", "Lane", Kind::kText)};
  table->columns[1].time_group = TimeGroup::kSingleEvents;
  for (const size_t text : {2, 3, 4, 6, 7}) table->columns[text].least_width = table->columns[text].readable_width = 12;
  table->columns[2].readable_width = 24;
  table->columns[3].leave_out = 2;
  table->columns[4].leave_out = 3;
  table->columns[5].leave_out = 5;
  table->columns[6].leave_out = 4;
  table->columns[7].leave_out = 1;
  table->rows = rows->size();
  table->read = [rows](size_t index, Row* row) {
    const EventRow event = (*rows)[index].View();
    row->kind = event.view ? RowKind::kMuted : RowKind::kPlain;
    row->cells = {StartOf(event),
                  Picoseconds{event.duration_ps},
                  event.name,
                  TextOrMissing(event.op_type),
                  TextOrMissing(event.op_name),
                  NumberOrMissing(event.group),
                  event.plane,
                  event.lane};
  };
  return table;
}

}  // namespace

StoredEvent::StoredEvent(const EventRow& from)
    : row(from),
      file(from.file),
      host(from.host),
      plane(from.plane),
      lane(from.lane),
      lane_id(from.lane_id),
      name(from.name),
      op_type(from.op_type),
      op_name(from.op_name),
      step_name(from.step_name) {}

EventRow StoredEvent::View() const {
  EventRow view = row;
  view.file = file;
  view.host = host;
  view.plane = plane;
  view.lane = lane;
  view.lane_id = lane_id;
  view.name = name;
  view.op_type = op_type;
  view.op_name = op_name;
  view.step_name = step_name;
  return view;
}

Document StreamedEventsDocument(const ReportContext& context, EventsReader read,
                                std::function<EventsSummary()> summary) {
  auto table = std::make_shared<Table>();
  table->columns = MachineColumns();
  table->stream = [read = std::move(read)](const std::function<bool(const Row&)>& visit) {
    Row row;
    read([&](const EventRow& event) {
      FillMachineRow(event, &row);
      return visit(row);
    });
  };
  Document document;
  document.json = OpenDocument("events", context);
  document.json.push_back({"rows", TablePtr(table)});
  document.json_tail = [context, summary = std::move(summary)] {
    const EventsSummary known = summary();
    ReportContext end = context;
    end.diagnostics.Merge(known.diagnostics);
    Value::Object members = {
        {"returned", known.returned}, {"total", known.total}, {"truncated", known.returned < known.total}};
    CloseDocument(end, &members);
    return members;
  };
  document.records = table;
  return document;
}

Document StoredEventsDocument(const ReportContext& context, std::shared_ptr<const std::vector<StoredEvent>> rows,
                              const EventsSummary& summary) {
  Document document;
  Diagnostics diagnostics = context.diagnostics;
  diagnostics.Merge(summary.diagnostics);
  const std::string shown = summary.returned < summary.total
                                ? fmt::format("the first {} of {}, in the order of the file; -n 0 shows all",
                                              GroupedText(summary.returned), GroupedText(summary.total))
                                : CountText(summary.total, "event", "events");
  document.blocks.push_back(Title{"Events", shown});
  if (!rows->empty()) {
    Tables tables;
    tables.sections.push_back({"", "", PeopleTable(std::move(rows))});
    document.blocks.push_back(std::move(tables));
  }
  document.blocks.push_back(Paragraph{{DataQuality(diagnostics)}});
  return document;
}

}  // namespace tfprof::report
