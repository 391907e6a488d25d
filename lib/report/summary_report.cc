#include "report/summary_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "analyze/input_analysis.h"
#include "report/ops_report.h"
#include "report/run_shape.h"
#include "report/shell_word.h"
#include "report/step_time.h"

namespace tfprof::report {

using analyze::FileInventory;
using analyze::OpsResult;
using analyze::OpsRow;
using analyze::Side;
using analyze::SideTotals;

namespace {

double Ratio(__int128 part, __int128 whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

// The first ops of a side, and what part of its op time each is.
struct TopOps {
  std::vector<const OpsRow*> rows;
  double op_time_ps = 0;
};

TopOps TopOpsOf(const OpsResult& result, Side side, size_t count) {
  TopOps top;
  const SideTotals& totals = side == Side::kDevice ? result.device : result.host;
  top.op_time_ps = static_cast<double>(totals.sum_self_ps);
  for (const OpsRow& row : result.rows) {
    if (top.rows.size() == count) break;
    if (row.side == side && !row.idle) top.rows.push_back(&row);
  }
  return top;
}

struct TopColumn {
  Column column;
  bool for_people;
};

std::vector<TopColumn> TopColumns() {
  const auto column = [](const char* id, const char* label, Kind kind) {
    Column c;
    c.id = id;
    c.label = label;
    c.kind = kind;
    return c;
  };
  std::vector<TopColumn> columns = {
      {column("side", "Side", Kind::kText), false},   {column("op_time_fraction", "Share", Kind::kFraction), true},
      {column("self_us", "Self", Kind::kTime), true}, {column("occurrences", "Count", Kind::kInteger), true},
      {column("op_type", "Type", Kind::kText), true}, {column("op_name", "Name", Kind::kText), true},
  };
  columns[1].column.bar = true;
  columns[4].column.least_width = 8;
  columns[4].column.readable_width = 8;
  columns[4].column.leave_out = 1;
  columns[5].column.least_width = 16;
  columns[5].column.readable_width = 34;
  return columns;
}

TablePtr TopTable(std::vector<TopOps> sides, bool for_people) {
  struct Entry {
    const OpsRow* row;
    double fraction;
  };
  auto entries = std::make_shared<std::vector<Entry>>();
  for (const TopOps& side : sides) {
    for (const OpsRow* row : side.rows) {
      const double self_ps = static_cast<double>(row->self_ps);
      entries->push_back({row, side.op_time_ps > 0 ? self_ps / side.op_time_ps : 0});
    }
  }
  auto table = std::make_shared<Table>();
  for (const TopColumn& column : TopColumns()) {
    if (column.for_people || !for_people) table->columns.push_back(column.column);
  }
  table->rows = entries->size();
  table->read = [entries, for_people](size_t index, Row* row) {
    const auto& [op, fraction] = (*entries)[index];
    row->kind = RowKind::kPlain;
    row->cells.clear();
    if (!for_people) row->cells.push_back(analyze::SideName(op->side));
    row->cells.insert(row->cells.end(), {fraction, Picoseconds{op->self_ps}, op->occurrences,
                                         std::string_view(op->op_type), std::string_view(op->op_name)});
  };
  return table;
}

// The inputs, none of which may look like a flag, and the flags that chose what of them was read.
std::string InputWords(const std::vector<std::string>& inputs, const std::vector<InputFlag>& flags) {
  std::string out;
  for (const std::string& input : inputs) {
    const bool like_a_flag = input.size() > 1 && input.starts_with('-');
    out += fmt::format("{}{}", out.empty() ? "" : " ", ShellWord(like_a_flag ? "./" + input : input));
  }
  for (const InputFlag& flag : flags) {
    out += fmt::format(" --{}{}{}", flag.name, flag.value.starts_with('-') ? '=' : ' ', ShellWord(flag.value));
  }
  return out;
}

class SummaryPage {
 public:
  SummaryPage(const OpsResult& result, const analyze::TreeResult& scopes, const std::vector<FileInventory>& files,
              const ReportContext& context, const SummaryReportOptions& options)
      : result_(result),
        scopes_(scopes),
        files_(files),
        context_(context),
        options_(options),
        shape_(RunShapeOf(files)) {
    device_ = TopOpsOf(result, Side::kDevice, options.top_ops);
    host_ = TopOpsOf(result, Side::kHost, options.top_ops);
  }

  Document Make() const {
    Document document;
    document.json = Json();
    document.records = TopTable({device_, host_}, false);
    document.blocks = {Title{RunText(), ""}, Overview()};
    if (HasOps()) document.blocks.push_back(TopTables());
    document.blocks.push_back(Foot());
    document.blocks.push_back(NextCommands());
    return document;
  }

 private:
  bool HasOps() const { return !device_.rows.empty() || !host_.rows.empty(); }
  bool HasSteps() const { return options_.steps != nullptr && !options_.steps->rows.empty(); }
  // In strict mode it doesn't depend on what the input is made with.
  analyze::InputVerdict Verdict() const { return analyze::JudgeInput(*options_.steps, false); }
  std::string Time(__int128 ps) const { return TimeText(ps, options_.unit); }

  std::string RunText() const {
    if (shape_.runs.empty())
      return files_.size() == 1 ? files_.front().path : CountText(files_.size(), "file", "files");
    return fmt::format("Run {}", fmt::join(shape_.runs, ", "));
  }

  std::string FilesText() const {
    std::vector<std::string> kinds;
    for (const FileInventory& file : files_) {
      if (std::find(kinds.begin(), kinds.end(), file.kind) == kinds.end()) kinds.push_back(file.kind);
    }
    return fmt::format("{}{}{} {}, {}", GroupedText(files_.size()), kinds.empty() ? "" : " ", fmt::join(kinds, " and "),
                       files_.size() == 1 ? "file" : "files", BytesText(shape_.bytes));
  }

  std::string HostsText() const {
    constexpr size_t kNamed = 4;
    const auto& hosts = shape_.hosts;
    std::string text =
        fmt::format("{}", fmt::join(hosts.begin(), hosts.begin() + std::min(kNamed, hosts.size()), ", "));
    if (hosts.size() > kNamed) text += fmt::format(" and {} more", hosts.size() - kNamed);
    return text;
  }

  std::string DeviceText() const {
    const SideTotals& device = result_.device;
    if (device.lanes == 0) return "none with events";
    return fmt::format("{}, {} · busy {} of {} ({})", DevicesText(shape_), CountText(device.lanes, "lane", "lanes"),
                       Time(device.busy_ps), Time(device.span_ps), PercentText(Ratio(device.busy_ps, device.span_ps)));
  }

  std::string HostText() const {
    const SideTotals& host = result_.host;
    if (host.lanes == 0) return "none with ops";
    return fmt::format("{} · {} in ops", GroupedText(host.lanes), Time(host.sum_self_ps));
  }

  // Down from the heaviest scope as long as one child scope holds half of its parent: that says more than `model`.
  const analyze::TreeNode* BiggestScope() const {
    const analyze::TreeNode* found = nullptr;
    const std::vector<analyze::TreeNode>& nodes = scopes_.nodes;
    // Heaviest child first: the first scope below the one found is its heaviest.
    for (size_t i = 0; i < nodes.size(); ++i) {
      const bool is_scope = i + 1 < nodes.size() && nodes[i + 1].parent == i;
      const bool below = found == nullptr ? nodes[i].parent == analyze::TreeNode::kNoParent
                                          : nodes[i].parent == static_cast<size_t>(found - nodes.data());
      if (!is_scope || !below) continue;
      if (found != nullptr && 2 * nodes[i].total_ps() < found->total_ps()) break;
      found = &nodes[i];
    }
    return found;
  }

  std::string ScopeText(const analyze::TreeNode& scope) const {
    std::string text = scope.path;
    if (scope.device_total_ps > 0) {
      text += fmt::format(" · {} of device op time", PercentText(Ratio(scope.device_total_ps, scopes_.device_ps)));
    }
    if (scope.host_total_ps > 0) {
      text += fmt::format(" · {} of host op time", PercentText(Ratio(scope.host_total_ps, scopes_.host_ps)));
    }
    return text;
  }

  Value BiggestScopeValue() const {
    const analyze::TreeNode* scope = BiggestScope();
    if (scope == nullptr) return Value();
    return Value::Object{{"path", scope->path},
                         {"host_total_us", Picoseconds{scope->host_total_ps}},
                         {"device_total_us", Picoseconds{scope->device_total_ps}},
                         {"share", scope->share}};
  }

  Facts Overview() const {
    Facts facts;
    const auto add = [&facts](const char* name, std::string text) {
      facts.lines.emplace_back(name, Sentence{std::move(text)});
    };
    add("Input", FilesText());
    if (!shape_.hosts.empty()) add(shape_.hosts.size() == 1 ? "Host" : "Hosts", HostsText());
    add("Span", Time(shape_.span_ps));
    add("Device", DeviceText());
    add(shape_.packed_rows ? "Rows" : "Threads", HostText());
    if (const analyze::TreeNode* scope = BiggestScope()) add("Scope", ScopeText(*scope));
    if (options_.steps != nullptr) add("Step", StepTimeText(*options_.steps, options_.unit));
    if (HasSteps()) {
      if (const auto outside = OutsideOfSteps(*options_.steps, options_.unit)) {
        facts.lines.emplace_back("Outside", *outside);
      }
      add("Verdict", Verdict().statement);
    }
    return facts;
  }

  // Devices are what training is about; not where they were at work for less than half as long as the host.
  bool HostComesFirst() const { return 2 * result_.device.busy_ps < result_.host.busy_ps; }

  Tables TopTables() const {
    Tables tables;
    const auto [first, second] = HostComesFirst() ? std::pair(&host_, &device_) : std::pair(&device_, &host_);
    for (const TopOps* top : {first, second}) {
      if (top->rows.empty()) continue;
      tables.sections.push_back({top == &device_ ? "Top device ops" : "Top host ops",
                                 fmt::format("share of {} of op time", Time(static_cast<__int128>(top->op_time_ps))),
                                 TopTable({*top}, true)});
    }
    return tables;
  }

  Paragraph Foot() const {
    Paragraph foot;
    if (!HasOps()) {
      uint64_t planes = 0, events = 0;
      for (const FileInventory& file : files_) {
        planes += file.planes.size();
        for (const analyze::PlaneInventory& plane : file.planes) events += plane.events();
      }
      foot.sentences.push_back({fmt::format("No op in it: {} with {}.", CountText(planes, "plane", "planes"),
                                            CountText(events, "event", "events")),
                                Tone::kWarning});
    }
    if (result_.device.lanes > 0) {
      foot.sentences.push_back({fmt::format("The device is idle for {} ({} of its span).", Time(result_.device.idle_ps),
                                            PercentText(Ratio(result_.device.idle_ps, result_.device.span_ps))),
                                Tone::kPlain});
    }
    foot.sentences.push_back(DataQuality(context_.diagnostics));
    return foot;
  }

  std::vector<std::pair<std::string, std::string>> Next() const {
    const std::string inputs = InputWords(options_.input_args, options_.input_flags);
    std::vector<InputFlag> flags = options_.input_flags;
    flags.insert(flags.end(), options_.step_flags.begin(), options_.step_flags.end());
    const std::string chosen = InputWords(options_.input_args, flags);
    const std::string window = options_.time.empty() ? "" : InputWords({}, {{"time", options_.time}});
    const std::string ops = fmt::format("{} ops {}{}", context_.tool.name, chosen, window);
    std::vector<std::pair<std::string, std::string>> next;
    if (HasOps()) {
      next.emplace_back(ops, "every op, host and device");
      next.emplace_back(ops + " --by type", "by type of op");
      next.emplace_back(fmt::format("{} tree {}{} --depth 4 --min 1", context_.tool.name, chosen, window), "by layer");
      if (HasSteps())
        next.emplace_back(fmt::format("{} steps {}", context_.tool.name, chosen), "what a step is made of");
    }
    next.emplace_back(fmt::format("{} info {}", context_.tool.name, inputs), "what is in the files");
    return next;
  }

  Commands NextCommands() const { return {"Next", Next()}; }

  Value::Object Json() const {
    Value::Array runs, hosts, devices, next;
    for (const std::string& run : shape_.runs) runs.emplace_back(run);
    for (const std::string& host : shape_.hosts) hosts.emplace_back(host);
    for (const DeviceInfo& device : shape_.devices) {
      devices.push_back(Value::Object{
          {"host", device.host}, {"name", device.name}, {"lanes", device.lanes}, {"events", device.events}});
    }
    for (const auto& [command, what] : Next()) next.emplace_back(command);
    Value::Object json = OpenDocument("summary", context_);
    json.push_back({"runs", std::move(runs)});
    json.push_back({"hosts", std::move(hosts)});
    json.push_back({"devices", std::move(devices)});
    json.push_back({"bytes", shape_.bytes});
    json.push_back({"span_us", Picoseconds{shape_.span_ps}});
    json.push_back({"totals", TotalsValue(result_)});
    json.push_back(
        {"top_ops", Value::Object{{"host", TopTable({host_}, false)}, {"device", TopTable({device_}, false)}}});
    json.push_back({"biggest_scope", BiggestScopeValue()});
    json.push_back({"step_ms", options_.steps == nullptr ? Value() : StepTimeValue(*options_.steps)});
    json.push_back({"bottleneck", HasSteps() ? Value(Verdict().bottleneck) : Value()});
    json.push_back({"next", std::move(next)});
    CloseDocument(context_, &json);
    return json;
  }

  const OpsResult& result_;
  const analyze::TreeResult& scopes_;
  const std::vector<FileInventory>& files_;
  const ReportContext& context_;
  const SummaryReportOptions& options_;
  RunShape shape_;
  TopOps device_, host_;
};

}  // namespace

Document SummaryDocument(const OpsResult& result, const analyze::TreeResult& scopes,
                         const std::vector<FileInventory>& files, const ReportContext& context,
                         const SummaryReportOptions& options) {
  return SummaryPage(result, scopes, files, context, options).Make();
}

}  // namespace tfprof::report
