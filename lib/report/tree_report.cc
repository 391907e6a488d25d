#include "report/tree_report.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "report/ops_report.h"

namespace tfprof::report {

using analyze::Side;
using analyze::TreeBy;
using analyze::TreeNode;
using analyze::TreeResult;

namespace {

std::string_view RelationName(TreeNode::Relation relation) {
  switch (relation) {
    case TreeNode::Relation::kCaller:
      return "caller";
    case TreeNode::Relation::kCallee:
      return "callee";
    case TreeNode::Relation::kNone:
      break;
  }
  return "op";
}

struct TreeColumn {
  Column column;
  Cell (*get)(const TreeNode& node);  // null: the index of the node
};

TreeColumn MakeColumn(const char* id, const char* label, Kind kind, int leave_out, Cell (*get)(const TreeNode& node)) {
  TreeColumn made;
  made.column.id = id;
  made.column.label = label;
  made.column.kind = kind;
  made.column.leave_out = leave_out;
  made.get = get;
  return made;
}

Cell ParentOf(const TreeNode& node) {
  return node.parent == TreeNode::kNoParent ? Cell(Missing()) : Cell(uint64_t{node.parent});
}

// All there are, in the order of the contract.
std::vector<TreeColumn> AllColumns(bool with_relation) {
  using N = const TreeNode&;
  std::vector<TreeColumn> columns = {
      MakeColumn("id", "Id", Kind::kInteger, 0, nullptr),
      MakeColumn("parent", "Parent", Kind::kInteger, 0, ParentOf),
      MakeColumn("depth", "Depth", Kind::kInteger, 0, [](N n) -> Cell { return uint64_t{n.depth}; }),
      MakeColumn("name", "Name", Kind::kText, 0, [](N n) -> Cell { return std::string_view(n.name); }),
      MakeColumn("op_type", "Type", Kind::kText, 6, [](N n) -> Cell { return std::string_view(n.op_type); }),
      MakeColumn("occurrences", "Count", Kind::kInteger, 3, [](N n) -> Cell { return n.occurrences; }),
      MakeColumn("host_self_us", "Self", Kind::kTime, 5, [](N n) -> Cell { return Picoseconds{n.host_self_ps}; }),
      MakeColumn("host_total_us", "Host", Kind::kTime, 0, [](N n) -> Cell { return Picoseconds{n.host_total_ps}; }),
      MakeColumn("device_self_us", "Self", Kind::kTime, 4, [](N n) -> Cell { return Picoseconds{n.device_self_ps}; }),
      MakeColumn("device_total_us", "Device", Kind::kTime, 0,
                 [](N n) -> Cell { return Picoseconds{n.device_total_ps}; }),
      MakeColumn("launched_device_us", "Launched", Kind::kTime, 2,
                 [](N n) -> Cell { return Picoseconds{n.launched_ps}; }),
      MakeColumn("share", "Share", Kind::kFraction, 0, [](N n) -> Cell { return n.share; }),
  };
  if (with_relation) {
    columns.push_back(
        MakeColumn("relation", "Relation", Kind::kText, 0, [](N n) -> Cell { return RelationName(n.relation); }));
  }
  return columns;
}

Cell CellOf(const TreeResult& tree, const TreeColumn& column, size_t index) {
  if (column.get == nullptr) return static_cast<uint64_t>(index);
  const TreeNode& node = tree.nodes[index];
  if (column.column.id == "launched_device_us" && (!tree.knows_launches || node.idle)) return Missing();
  return column.get(node);
}

TablePtr MachineTable(const TreeResult& tree) {
  auto table = std::make_shared<Table>();
  std::vector<TreeColumn> columns = AllColumns(tree.peeked);
  for (const TreeColumn& column : columns) table->columns.push_back(column.column);
  table->rows = tree.nodes.size();
  table->read = [&tree, columns = std::move(columns)](size_t index, Row* row) {
    row->kind = RowKind::kPlain;
    row->cells.clear();
    for (const TreeColumn& column : columns) row->cells.push_back(CellOf(tree, column, index));
  };
  return table;
}

// The names behind the lines of a tree: `├─ `, `└─ `, below a node that has a sister `│  `.
std::vector<std::string> DrawnNames(const TreeResult& tree) {
  const std::vector<TreeNode>& nodes = tree.nodes;
  std::vector<bool> last(nodes.size(), true);
  std::vector<bool> sister_below;  // by depth
  for (size_t i = nodes.size(); i-- > 0;) {
    const uint32_t depth = nodes[i].depth;
    sister_below.resize(depth + 1, false);
    last[i] = !sister_below[depth];
    sister_below[depth] = true;
  }
  std::vector<std::string> names, below(1);  // below: what stands before the children of the open node of a depth
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TreeNode& node = nodes[i];
    below.resize(node.depth + 1);
    std::string name;
    if (node.depth > 0) name = below[node.depth] + (last[i] ? "└─ " : "├─ ");
    below.push_back(node.depth == 0 ? "" : below[node.depth] + (last[i] ? "   " : "│  "));
    if (node.relation == TreeNode::Relation::kCaller) name += "from ";
    if (node.relation == TreeNode::Relation::kCallee) name += "to ";
    names.push_back(name + (node.name.empty() ? "(none)" : node.name));
  }
  return names;
}

TablePtr PeopleTable(const TreeResult& tree, const TreeReportOptions& options) {
  std::vector<std::string_view> ids = {"share"};
  if (tree.device_ps > 0 && options.side != Side::kHost) ids.insert(ids.end(), {"device_total_us", "device_self_us"});
  if (tree.host_ps > 0 && options.side != Side::kDevice) {
    ids.insert(ids.end(), {"host_total_us", "host_self_us"});
    if (tree.knows_launches) ids.push_back("launched_device_us");
  }
  ids.insert(ids.end(), {"occurrences", "op_type", "name"});
  std::vector<TreeColumn> columns;
  auto table = std::make_shared<Table>();
  const std::vector<TreeColumn> all = AllColumns(tree.peeked);
  for (const std::string_view id : ids) {
    for (const TreeColumn& column : all) {
      if (column.column.id != id) continue;
      // Types stand in their own names there.
      if (id == "op_type" && tree.by == TreeBy::kType) continue;
      columns.push_back(column);
      Column& shown = columns.back().column;
      shown.bar = id == "share";
      if (id == "op_type") {
        shown.least_width = 8;
        shown.readable_width = 8;
      } else if (id == "name") {
        shown.least_width = 16;
        shown.readable_width = 44;
      }
      table->columns.push_back(shown);
    }
  }
  table->rows = tree.nodes.size();
  table->read = [&tree, columns, names = DrawnNames(tree)](size_t index, Row* row) {
    const TreeNode& node = tree.nodes[index];
    row->kind = node.idle ? RowKind::kMuted : RowKind::kPlain;
    row->cells.clear();
    for (const TreeColumn& column : columns) {
      if (column.column.id == "name") {
        row->cells.emplace_back(std::string_view(names[index]));
      } else if (node.idle && column.column.id == "occurrences") {
        row->cells.emplace_back(Missing());
      } else {
        row->cells.push_back(CellOf(tree, column, index));
      }
    }
  };
  return table;
}

std::string Heading(const TreeResult& tree) {
  if (tree.peeked) return "Callers and callees";
  std::string text = fmt::format("Ops by {}", TreeByName(tree.by));
  if (tree.inverted) text += ", from the ops up";
  return text;
}

std::vector<Sentence> Sentences(const TreeResult& tree, const analyze::OpsResult& ops,
                                const TreeReportOptions& options) {
  const auto time = [&](__int128 ps) { return TimeText(ps, options.unit); };
  if (tree.nodes.empty()) return {{"There is no op to show.", Tone::kPlain}};
  std::vector<Sentence> sentences;
  const __int128 all_ps = tree.host_ps + tree.device_ps + tree.idle_ps;
  std::string text = fmt::format("Shares are of {} ", time(all_ps));
  if (tree.host_ps > 0 && tree.device_ps > 0) {
    text += fmt::format("of op time, {} on the device and {} on the host's {}", time(tree.device_ps),
                        time(tree.host_ps), options.shape.packed_rows ? "rows" : "threads");
  } else {
    text += fmt::format("of op time on the {}", tree.host_ps > 0 ? "host" : "device");
  }
  text += tree.idle_ps > 0 ? fmt::format(", with {} of idle time.", time(tree.idle_ps)) : ", without idle time.";
  sentences.push_back({std::move(text), Tone::kPlain});
  if (tree.nodes.size() < tree.total_nodes) {
    sentences.push_back({fmt::format("{} of {} nodes are shown; totals count all.", GroupedText(tree.nodes.size()),
                                     GroupedText(tree.total_nodes)),
                         Tone::kQuiet});
  }
  if (tree.unowned_launched_ps > 0) {
    sentences.push_back({fmt::format("{} of device time was launched outside of any op, or by a call that the profile does not hold.",
                                     time(tree.unowned_launched_ps)),
                         Tone::kPlain});
  }
  if (!tree.knows_launches && ops.device.sum_self_ps > 0 && ops.host.sum_self_ps > 0) {
    sentences.push_back(
        {"The profile doesn't tell which host op launched what (it has no correlation ids that we read), "
         "so there is no launched time.",
         Tone::kQuiet});
  }
  return sentences;
}

}  // namespace

std::string_view TreeByName(TreeBy by) {
  switch (by) {
    case TreeBy::kCall:
      return "call";
    case TreeBy::kType:
      return "type";
    case TreeBy::kScope:
      break;
  }
  return "scope";
}

Document TreeDocument(const TreeResult& tree, const analyze::OpsResult& ops, const ReportContext& context,
                      const TreeReportOptions& options) {
  Document document;
  document.records = MachineTable(tree);
  Value::Object& json = document.json;
  json = OpenDocument("tree", context);
  json.push_back({"by", TreeByName(tree.by)});
  json.push_back({"inverted", tree.inverted});
  json.push_back({"rows", document.records});
  json.push_back({"totals", TotalsValue(ops)});
  json.push_back({"unowned_launched_us", tree.knows_launches ? Value(Picoseconds{tree.unowned_launched_ps}) : Value()});
  json.push_back({"returned", uint64_t{tree.nodes.size()}});
  json.push_back({"total", tree.total_nodes});
  json.push_back({"truncated", tree.nodes.size() < tree.total_nodes});
  CloseDocument(context, &json);

  if (!tree.nodes.empty()) {
    Tables tables;
    tables.sections.push_back(
        {Heading(tree), CountText(tree.total_nodes, "node", "nodes"), PeopleTable(tree, options)});
    document.blocks.push_back(std::move(tables));
  }
  Paragraph foot{Sentences(tree, ops, options)};
  foot.sentences.push_back(DataQuality(context.diagnostics));
  document.blocks.push_back(std::move(foot));
  return document;
}

}  // namespace tfprof::report
