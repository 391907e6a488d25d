#include "report/info_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "analyze/ops_result.h"
#include "report/number.h"

namespace tfprof::report {

using analyze::FileInventory;
using analyze::LaneInventory;
using analyze::PlaneInventory;
using trace::Role;
using trace::Side;

namespace {

std::string_view RoleName(const LaneInventory& lane) {
  switch (lane.role) {
    case Role::kHostOps:
      return "host thread";
    case Role::kStream:
      return "device stream";
    case Role::kNested:
      return "device ops";
    case Role::kView:
      return "view";
    case Role::kOther:
      break;
  }
  return "other";
}

// Counts of a lane, or of several together.
struct Contents {
  uint64_t lanes = 0, events = 0, ops = 0;
  std::optional<std::pair<int64_t, int64_t>> time_ps;  // start of the first event, end of the last

  void Add(const LaneInventory& lane) {
    ++lanes;
    events += lane.events;
    ops += lane.ops;
    if (!lane.timed) return;
    if (!time_ps) time_ps = {lane.first_ps, lane.last_ps};
    time_ps = {std::min(time_ps->first, lane.first_ps), std::max(time_ps->second, lane.last_ps)};
  }
  std::optional<Picoseconds> Span() const {
    if (!time_ps) return std::nullopt;
    return Picoseconds{static_cast<__int128>(time_ps->second) - time_ps->first};
  }
};

Contents ContentsOf(const PlaneInventory& plane) {
  Contents contents;
  for (const LaneInventory& lane : plane.lanes) contents.Add(lane);
  return contents;
}

Value OrNull(const std::optional<Picoseconds>& time) { return time ? Value(*time) : Value(); }
Cell OrMissing(const std::optional<Picoseconds>& time) { return time ? Cell(*time) : Cell(Missing()); }

// A table rather than an array of objects: there may be 100,000 lanes.
TablePtr LaneRecords(const PlaneInventory& plane) {
  auto table = std::make_shared<Table>();
  for (const char* id : {"id", "name", "side", "role"}) table->columns.push_back(MakeColumn(id, id, Kind::kText));
  for (const char* id : {"events", "ops"}) table->columns.push_back(MakeColumn(id, id, Kind::kInteger));
  for (const char* id : {"first_us", "last_us"}) table->columns.push_back(MakeColumn(id, id, Kind::kTime));
  table->rows = plane.lanes.size();
  table->read = [&plane](size_t index, Row* row) {
    const LaneInventory& lane = plane.lanes[index];
    const auto time = [&lane](int64_t ps) { return lane.timed ? Cell(Picoseconds{ps}) : Cell(Missing()); };
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(lane.id),
                  std::string_view(lane.name),
                  analyze::SideName(lane.side),
                  RoleName(lane),
                  lane.events,
                  lane.ops,
                  time(lane.first_ps),
                  time(lane.last_ps)};
  };
  return table;
}

Value TextsValue(const std::vector<std::string>& texts) {
  Value::Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return array;
}

Value FileValue(const FileInventory& file) {
  Value::Array planes;
  for (const PlaneInventory& plane : file.planes) {
    const Contents contents = ContentsOf(plane);
    planes.push_back(Value::Object{{"name", plane.name},
                                   {"lanes", contents.lanes},
                                   {"events", contents.events},
                                   {"ops", contents.ops},
                                   {"span_us", OrNull(contents.Span())},
                                   {"lane_list", LaneRecords(plane)}});
  }
  Value::Array beside;
  for (const auto& [what, count] : file.beside_lanes) {
    beside.push_back(Value::Object{{"what", what}, {"count", count}});
  }
  return Value::Object{{"path", file.path},
                       {"bytes", file.bytes},
                       {"kind", file.kind},
                       {"kind_reason", file.kind_reason},
                       {"host", file.host},
                       {"run", file.run},
                       {"planes", std::move(planes)},
                       {"beside_lanes", std::move(beside)},
                       {"errors", TextsValue(file.errors)},
                       {"warnings", TextsValue(file.warnings)}};
}

TablePtr PlaneRecords(const std::vector<FileInventory>& files) {
  struct Record {
    const FileInventory* file;
    const PlaneInventory* plane;
    Contents contents;
  };
  auto records = std::make_shared<std::vector<Record>>();
  for (const FileInventory& file : files) {
    for (const PlaneInventory& plane : file.planes) records->push_back({&file, &plane, ContentsOf(plane)});
  }
  auto table = std::make_shared<Table>();
  for (const char* id : {"path", "kind", "host", "run", "plane"})
    table->columns.push_back(MakeColumn(id, id, Kind::kText));
  for (const char* id : {"lanes", "events", "ops"}) table->columns.push_back(MakeColumn(id, id, Kind::kInteger));
  table->columns.push_back(MakeColumn("span_us", "span", Kind::kTime));
  table->rows = records->size();
  table->read = [records](size_t index, Row* row) {
    const auto& [file, plane, contents] = (*records)[index];
    row->kind = RowKind::kPlain;
    row->cells = {std::string_view(file->path),
                  std::string_view(file->kind),
                  std::string_view(file->host),
                  std::string_view(file->run),
                  std::string_view(plane->name),
                  contents.lanes,
                  contents.events,
                  contents.ops,
                  OrMissing(contents.Span())};
  };
  return table;
}

// The planes of a file with their lanes under them, for people.
class PlaneTree {
 public:
  explicit PlaneTree(size_t lanes_per_plane) : lanes_per_plane_(lanes_per_plane) {}

  void Add(const PlaneInventory& plane) {
    lines_.push_back({RowKind::kPlain, plane.name, "", ContentsOf(plane), true});
    const std::vector<bool> shown = MostEvents(plane);
    Contents rest;
    for (size_t i = 0; i < plane.lanes.size(); ++i) {
      const LaneInventory& lane = plane.lanes[i];
      if (!shown[i]) {
        rest.Add(lane);
        continue;
      }
      Contents contents;
      contents.Add(lane);
      const std::string name = lane.name.empty() ? fmt::format("  lane {}", lane.id) : "  " + lane.name;
      lines_.push_back({RowKind::kMuted, name, RoleName(lane), contents, false});
    }
    if (rest.lanes > 0) {
      lines_.push_back(
          {RowKind::kOthers, "  others (" + CountText(rest.lanes, "lane", "lanes") + ")", "", rest, false});
    }
  }

  TablePtr Finish() && {
    auto table = std::make_shared<Table>();
    table->columns = {MakeColumn("name", "Plane and its lanes", Kind::kText),
                      MakeColumn("role", "What", Kind::kText),
                      MakeColumn("lanes", "Lanes", Kind::kInteger),
                      MakeColumn("events", "Events", Kind::kInteger),
                      MakeColumn("ops", "Ops", Kind::kInteger),
                      MakeColumn("span_us", "Span", Kind::kTime)};
    table->columns[0].least_width = table->columns[0].readable_width = 24;
    table->rows = lines_.size();
    table->read = [lines = std::make_shared<std::vector<Line>>(std::move(lines_))](size_t index, Row* row) {
      const Line& line = (*lines)[index];
      row->kind = line.kind;
      row->cells = {
          std::string_view(line.name), line.role,         line.is_plane ? Cell(line.contents.lanes) : Cell(Missing()),
          line.contents.events,        line.contents.ops, OrMissing(line.contents.Span())};
    };
    return table;
  }

 private:
  struct Line {
    RowKind kind;
    std::string name;
    std::string_view role;
    Contents contents;
    bool is_plane;
  };

  std::vector<bool> MostEvents(const PlaneInventory& plane) const {
    std::vector<size_t> order(plane.lanes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return plane.lanes[a].events > plane.lanes[b].events; });
    std::vector<bool> shown(order.size(), lanes_per_plane_ == 0);
    for (size_t i = 0; i < std::min(lanes_per_plane_, order.size()); ++i) shown[order[i]] = true;
    return shown;
  }

  size_t lanes_per_plane_;
  std::vector<Line> lines_;
};

void AppendFile(const FileInventory& file, const InfoReportOptions& options, std::vector<Block>* blocks) {
  blocks->push_back(Title{file.path, ""});
  Facts facts;
  const auto add = [&facts](std::string name, std::string text) {
    if (!text.empty()) facts.lines.emplace_back(std::move(name), Sentence{std::move(text)});
  };
  add("Kind", file.kind_reason.empty() ? file.kind : fmt::format("{} – {}", file.kind, file.kind_reason));
  add("Size", BytesText(file.bytes));
  add("Host", file.host);
  add("Run", file.run);
  std::vector<std::string> beside;
  for (const auto& [what, count] : file.beside_lanes) beside.push_back(GroupedText(count) + " " + what);
  add("Beside", fmt::format("{}", fmt::join(beside, ", ")));
  blocks->push_back(std::move(facts));
  if (!file.planes.empty()) {
    PlaneTree tree(options.lanes_per_plane);
    for (const PlaneInventory& plane : file.planes) tree.Add(plane);
    Tables tables;
    tables.sections.push_back({"", "", std::move(tree).Finish()});
    blocks->push_back(std::move(tables));
  }
  Paragraph texts;
  for (const std::string& text : file.errors)
    texts.sentences.push_back({"The profiler's error: " + text, Tone::kError});
  for (const std::string& text : file.warnings) {
    texts.sentences.push_back({"The profiler's warning: " + text, Tone::kWarning});
  }
  if (!texts.sentences.empty()) blocks->push_back(std::move(texts));
}

}  // namespace

Document InfoDocument(const std::vector<FileInventory>& files, const ReportContext& context,
                      const InfoReportOptions& options) {
  Document document;
  document.json = OpenDocument("info", context);
  Value::Array values;
  for (const FileInventory& file : files) values.push_back(FileValue(file));
  document.json.push_back({"files", std::move(values)});
  CloseDocument(context, &document.json);
  document.records = PlaneRecords(files);
  for (const FileInventory& file : files) AppendFile(file, options, &document.blocks);
  document.blocks.push_back(Paragraph{{DataQuality(context.diagnostics)}});
  return document;
}

}  // namespace tfprof::report
