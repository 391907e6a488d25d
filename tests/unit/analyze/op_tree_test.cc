#include "analyze/op_tree.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "analyze/op_table.h"

namespace tfprof::analyze {
namespace {

using trace::EventBatch;
using trace::OpDictionary;

constexpr int64_t kUs = 1'000'000;

struct Event {
  uint32_t op;
  int64_t start_us, duration_us;
};

// Lanes as a reader would push them, into both reducers.
class Run {
 public:
  explicit Run(const LaunchTable* launches = nullptr)
      : calls(CallTreeOptions{INT64_MIN, INT64_MAX, launches}), table_(OpTableOptions()) {}

  void Lane(Side side, const OpDictionary& dictionary, const std::vector<Event>& events, int64_t id = 7) {
    trace::LaneInfo info;
    info.side = side;
    info.role = side == Side::kHost ? trace::Role::kHostOps : trace::Role::kStream;
    info.plane = side == Side::kHost ? "/host:CPU" : "/device:GPU:0";
    info.id = id;
    info.ops = &dictionary;
    for (trace::Sink* sink : {static_cast<trace::Sink*>(&calls), static_cast<trace::Sink*>(&table_)}) {
      trace::LaneConsumer* lane = sink->Open(info);
      for (const Event& event : events) {
        const int64_t start = event.start_us * kUs, duration = event.duration_us * kUs;
        const uint8_t flags = 0;
        EventBatch batch;
        batch.size = 1;
        batch.start_ps = &start;
        batch.duration_ps = &duration;
        batch.op = &event.op;
        batch.flags = &flags;
        lane->Add(batch);
      }
      lane->Close();
      sink->EndPlane(dictionary);
    }
  }
  TreeResult Tree(const TreeSelection& selection) {
    calls.EndFile();
    if (ops.rows.empty()) ops = std::move(table_).Finish(true, &diagnostics);
    return MakeOpTree(ops, calls, selection).value();
  }

  CallTree calls;
  OpsResult ops;
  Diagnostics diagnostics;

 private:
  OpTable table_;
};

// One line a node: indented name, occurrences, self and total of the host, of the device, launched.
std::string Shown(const TreeResult& tree) {
  std::string text;
  for (const TreeNode& node : tree.nodes) {
    text += std::string(node.depth, ' ') + node.name + ' ' + std::to_string(node.occurrences);
    for (const int128 ps :
         {node.host_self_ps, node.host_total_ps, node.device_self_ps, node.device_total_ps, node.launched_ps}) {
      text += ' ' + std::to_string(static_cast<int64_t>(ps / kUs));
    }
    text += '\n';
  }
  return text;
}

TreeSelection By(TreeBy by) {
  TreeSelection selection;
  selection.by = by;
  return selection;
}

// f/a/Conv [0,100) holds f/b/Relu [10,30) twice and itself [50,90) with a Relu [60,70).
void AddHost(Run* run) {
  static const OpDictionary* const ops = [] {
    auto* made = new OpDictionary;
    made->Intern({"Conv2D", "f/a/Conv", "", true});
    made->Intern({"Relu", "f/b/Relu", "", true});
    return made;
  }();
  run->Lane(Side::kHost, *ops, {{0, 0, 100}, {1, 10, 20}, {1, 30, 20}, {0, 50, 40}, {1, 60, 10}});
}

TEST_CASE("by call, a node's parent is the op around its start") {
  Run run;
  AddHost(&run);
  CHECK(Shown(run.Tree(By(TreeBy::kCall))) ==
        "f/a/Conv 1 20 100 0 0 0\n"
        " f/b/Relu 2 40 40 0 0 0\n"
        " f/a/Conv 1 30 40 0 0 0\n"
        "  f/b/Relu 1 10 10 0 0 0\n");
}

TEST_CASE("by scope and by type, nodes hold the op table's self times") {
  Run run;
  AddHost(&run);
  CHECK(Shown(run.Tree(By(TreeBy::kScope))) ==
        "f 5 0 100 0 0 0\n"
        " b 3 0 50 0 0 0\n"
        "  Relu 3 50 50 0 0 0\n"
        " a 2 0 50 0 0 0\n"
        "  Conv 2 50 50 0 0 0\n");
  CHECK(Shown(run.Tree(By(TreeBy::kType))) ==
        "Relu 3 0 50 0 0 0\n"
        " f/b/Relu 3 50 50 0 0 0\n"
        "Conv2D 2 0 50 0 0 0\n"
        " f/a/Conv 2 50 50 0 0 0\n");
}

TEST_CASE("an op and its kernels are one node by scope, and count once") {
  Run run;
  OpDictionary host, device;
  host.Intern({"Conv2D", "m/Conv", "", true});
  device.Intern({"Conv2D", "m/Conv", "kernel1", true});
  device.Intern({"Conv2D", "m/Conv", "kernel2", true});
  run.Lane(Side::kHost, host, {{0, 0, 10}, {0, 20, 10}});
  run.Lane(Side::kDevice, device, {{0, 5, 30}, {1, 40, 5}, {0, 50, 30}});
  CHECK(Shown(run.Tree(By(TreeBy::kScope))) ==
        "m 2 0 20 0 65 0\n"
        " Conv 2 20 20 65 65 0\n");
  TreeSelection host_only;
  host_only.side = Side::kHost;
  CHECK(Shown(run.Tree(host_only)) ==
        "m 2 0 20 0 0 0\n"
        " Conv 2 20 20 0 0 0\n");
}

TEST_CASE("inverted, self time stands at the root and its callers share it") {
  Run run;
  AddHost(&run);
  TreeSelection selection = By(TreeBy::kCall);
  selection.invert = true;
  CHECK(Shown(run.Tree(selection)) ==
        "f/b/Relu 3 50 50 0 0 0\n"
        " f/a/Conv 3 0 50 0 0 0\n"
        "  f/a/Conv 1 0 10 0 0 0\n"
        "f/a/Conv 2 50 50 0 0 0\n"
        " f/a/Conv 1 0 30 0 0 0\n");
}

TEST_CASE("peek shows what goes through an op, once however often it is inside itself") {
  Run run;
  AddHost(&run);
  TreeSelection selection = By(TreeBy::kCall);
  selection.peek = "Conv";
  const TreeResult tree = run.Tree(selection);
  CHECK(Shown(tree) ==
        "f/a/Conv 2 50 100 0 0 0\n"
        " f/b/Relu 3 0 50 0 0 0\n");
  CHECK(tree.nodes[1].relation == TreeNode::Relation::kCallee);
  selection.peek = "Relu";
  CHECK(Shown(run.Tree(selection)) ==
        "f/b/Relu 3 50 50 0 0 0\n"
        " f/a/Conv 3 0 50 0 0 0\n");
}

TEST_CASE("focus keeps time in and below matches, ignore takes it away") {
  Run run;
  AddHost(&run);
  TreeSelection selection;
  selection.focus = "/b$";
  CHECK(Shown(run.Tree(selection)) ==
        "f 3 0 50 0 0 0\n"
        " b 3 0 50 0 0 0\n"
        "  Relu 3 50 50 0 0 0\n");
  selection.focus = "";
  selection.ignore = "/b$";
  CHECK(Shown(run.Tree(selection)) ==
        "f 2 0 50 0 0 0\n"
        " a 2 0 50 0 0 0\n"
        "  Conv 2 50 50 0 0 0\n");
  selection.ignore = "(";
  CHECK_FALSE(MakeOpTree(run.ops, run.calls, selection));
}

TEST_CASE("depth and least share cut nodes, not totals") {
  Run run;
  AddHost(&run);
  TreeSelection selection;
  selection.depth = 1;
  const TreeResult tree = run.Tree(selection);
  CHECK(Shown(tree) == "f 5 0 100 0 0 0\n");
  CHECK(tree.total_nodes == 5);
  selection = By(TreeBy::kCall);
  selection.min_percent = 40;
  CHECK(Shown(run.Tree(selection)) ==
        "f/a/Conv 1 20 100 0 0 0\n"
        " f/b/Relu 2 40 40 0 0 0\n"
        " f/a/Conv 1 30 40 0 0 0\n");
}

TEST_CASE("idle is a node of its own, the last, and counts in the shares") {
  Run run;
  OpDictionary host;
  host.Intern({"A", "a", "", true});
  run.Lane(Side::kHost, host, {{0, 0, 10}, {0, 30, 10}});
  TreeSelection selection;
  selection.idle = true;
  const TreeResult tree = run.Tree(selection);
  CHECK(Shown(tree) ==
        "a 2 20 20 0 0 0\n"
        "IDLE 0 20 20 0 0 0\n");
  CHECK(tree.nodes[0].share == 0.5);
}

TEST_CASE("merging two call trees adds the same paths") {
  Run a, b;
  AddHost(&a);
  AddHost(&b);
  a.calls.Merge(b.calls);
  CHECK(Shown(a.Tree(By(TreeBy::kCall))) ==
        "f/a/Conv 2 40 200 0 0 0\n"
        " f/b/Relu 4 80 80 0 0 0\n"
        " f/a/Conv 2 60 80 0 0 0\n"
        "  f/b/Relu 2 20 20 0 0 0\n");
}

// An event with a correlation id and nothing else.
class Numbered : public trace::EventStats {
 public:
  explicit Numbered(uint64_t number) : number_(number) {}
  trace::StatValue First(trace::EventStat) const override { return {trace::StatValue::Slot::kInt64, number_, ""}; }
  trace::StatValue Last(trace::EventStat stat) const override { return First(stat); }
  trace::EventStat LatestOf(std::initializer_list<trace::EventStat> stats) const override { return *stats.begin(); }
  trace::HloOrigin Hlo() const override { return {}; }

 private:
  uint64_t number_;
};

void Feed(LaunchTable* launches, const char* plane_name, trace::StreamPlaneKind kind, int64_t line,
          const std::vector<std::pair<uint64_t, std::pair<int64_t, int64_t>>>& events) {
  trace::StreamPlane plane;
  plane.name = plane_name;
  plane.kind = kind;
  plane.knows_stat = [](std::string_view) { return true; };
  REQUIRE(launches->BeginPlane(plane));
  trace::StreamLine described;
  described.id = line;
  REQUIRE(launches->BeginLine(described));
  for (const auto& [number, time_us] : events) {
    const Numbered stats(number);
    trace::StreamEvent event;
    event.start_ps = time_us.first * kUs;
    event.duration_ps = time_us.second * kUs;
    event.stats = &stats;
    launches->Add(event, 1);
  }
}

TEST_CASE("without a GPU nothing is looked at for launches") {
  LaunchTable launches;
  trace::StreamPlane host;
  host.name = "/host:CPU";
  host.kind = trace::StreamPlaneKind::kHost;
  host.knows_stat = [](std::string_view) { return true; };
  launches.BeginFile({});
  CHECK_FALSE(launches.BeginPlane(host));
  launches.EndFile();
  CHECK_FALSE(launches.known());
}

TEST_CASE("launched time goes to the innermost op around the call, and is part of no self time") {
  LaunchTable launches;
  trace::StreamPlane gpu;
  gpu.kind = trace::StreamPlaneKind::kGpu;
  trace::StreamFile file;
  file.planes = {&gpu, 1};
  launches.BeginFile(file);
  Feed(&launches, "/host:CPU", trace::StreamPlaneKind::kHost, 7,
       {{1, {12, 1}}, {1, {13, 1}}, {2, {95, 1}}, {3, {200, 1}}});
  Feed(&launches, "/device:GPU:0", trace::StreamPlaneKind::kGpu, 1,
       {{1, {20, 6}}, {1, {30, 4}}, {2, {99, 5}}, {3, {210, 3}}, {9, {300, 2}}});
  launches.EndFile();
  CHECK(launches.known());
  static const OpDictionary* const kernels = [] {
    auto* made = new OpDictionary;
    made->Intern({"K", "k", "k", true});
    return made;
  }();
  Run run(&launches);
  AddHost(&run);
  run.Lane(Side::kDevice, *kernels, {{0, 20, 6}, {0, 30, 4}, {0, 99, 5}, {0, 210, 3}, {0, 300, 2}}, 1);
  TreeSelection host = By(TreeBy::kCall);
  host.side = Side::kHost;
  const TreeResult tree = run.Tree(host);
  CHECK(Shown(tree) ==
        "f/a/Conv 1 20 100 0 0 15\n"
        " f/b/Relu 2 40 40 0 0 10\n"
        " f/a/Conv 1 30 40 0 0 0\n"
        "  f/b/Relu 1 10 10 0 0 0\n");
  CHECK(tree.unowned_launched_ps == 5 * kUs);  // outside of any op, and by no call of the file
  host.by = TreeBy::kScope;
  CHECK(Shown(run.Tree(host)) ==
        "f 5 0 100 0 0 15\n"
        " b 3 0 50 0 0 10\n"
        "  Relu 3 50 50 0 0 10\n"
        " a 2 0 50 0 0 5\n"
        "  Conv 2 50 50 0 0 5\n");
}

TEST_CASE("by call, what an op launched hangs below it, whichever of the lanes is read first") {
  LaunchTable launches;
  trace::StreamPlane gpu;
  gpu.kind = trace::StreamPlaneKind::kGpu;
  trace::StreamFile file;
  file.planes = {&gpu, 1};
  launches.BeginFile(file);
  Feed(&launches, "/host:CPU", trace::StreamPlaneKind::kHost, 7, {{1, {12, 1}}, {2, {95, 1}}, {3, {200, 1}}});
  // Launched: two of one call, one of another; outside of any op; by no call of the file; with no number at all.
  Feed(&launches, "/device:GPU:0", trace::StreamPlaneKind::kGpu, 1,
       {{2, {99, 5}}, {1, {20, 6}}, {1, {20, 4}}, {3, {210, 3}}, {9, {300, 2}}, {0, {400, 1}}});
  launches.EndFile();
  static const OpDictionary* const kernels = [] {
    auto* made = new OpDictionary;
    made->Intern({"Relu", "f/b/Relu", "relu_kernel", true});
    made->Intern({"Conv2D", "f/a/Conv", "gemm", true});
    return made;
  }();
  const auto device = [](Run* run) {
    run->Lane(Side::kDevice, *kernels, {{0, 20, 6}, {0, 20, 4}, {1, 99, 5}, {1, 210, 3}, {1, 300, 2}, {1, 400, 1}}, 1);
  };
  const std::string expected =
      "f/a/Conv 1 20 100 0 15 15\n"
      " f/b/Relu 2 40 40 0 10 10\n"
      "  relu_kernel 2 0 0 10 10 0\n"
      " f/a/Conv 1 30 40 0 0 0\n"
      "  f/b/Relu 1 10 10 0 0 0\n"
      " gemm 1 0 0 5 5 0\n"
      "f/a/Conv 3 0 0 6 6 0\n";
  Run host_first(&launches), device_first(&launches), apart(&launches), other(&launches);
  AddHost(&host_first);
  device(&host_first);
  CHECK(Shown(host_first.Tree(By(TreeBy::kCall))) == expected);
  device(&device_first);
  AddHost(&device_first);
  CHECK(Shown(device_first.Tree(By(TreeBy::kCall))) == expected);
  device(&apart);
  AddHost(&other);
  apart.calls.Merge(other.calls);
  CHECK(Shown(apart.Tree(By(TreeBy::kCall))) == expected);
  TreeSelection device_only = By(TreeBy::kCall);
  device_only.side = Side::kDevice;
  CHECK(Shown(host_first.Tree(device_only)) == "f/a/Conv 4 0 0 11 11 0\nf/b/Relu 2 0 0 10 10 0\n");
  TreeSelection inverted = By(TreeBy::kCall);
  inverted.invert = true;
  CHECK(Shown(host_first.Tree(inverted))
            .find("relu_kernel 2 0 0 10 10 0\n f/b/Relu 2 0 0 0 10 0\n  f/a/Conv 2 0 0 0 10 0\n") != std::string::npos);
}

}  // namespace
}  // namespace tfprof::analyze
