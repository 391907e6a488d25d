// Which op an event is, from its name and stats (design §3 rules 10 to 13, 17).
#include "formats/xplane/op_resolver.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

constexpr int64_t kTfOp = 1, kHloOp = 2, kCategory = 3, kProgram = 4, kLevel0 = 5, kAnnotation = 6, kEager = 7, kStage = 8,
                  kStageCategory = 9, kOffset = 10, kDuration = 11, kText = 12;

std::string StatNames() {
  return StatName(kTfOp, "tf_op") + StatName(kHloOp, "hlo_op") + StatName(kCategory, "hlo_category") +
         StatName(kProgram, "program_id") + StatName(kLevel0, "level 0") + StatName(kAnnotation, "annotation") +
         StatName(kEager, "is_eager") + StatName(kStage, "_ipl_stage_id") + StatName(kStageCategory, "_ipl_stage_cat") +
         StatName(kOffset, "device_offset_ps") + StatName(kDuration, "device_duration_ps") + StatName(kText, "r/s:T");
}

// Resolves all events of a plane's only line, each twice, and asks what is known of it.
class Resolving {
 public:
  Resolving(PlaneKind kind, const std::string& names, const std::string& events, bool stored_eager = false)
      : bytes_(EncodePlane("p", EncodeLine(1, "t", events) + names + StatNames()) + Program()), layout_(ReadLayout(bytes_)),
        modules_(layout_), resolver_(layout_.planes.at(0), kind, stored_eager, &modules_, &ops_) {
    EventCursor cursor(layout_.planes[0].lines.at(0).body, &resolver_.filter(), wire::End(Bytes(bytes_)));
    for (Event event; cursor.Next(&event);) {
      resolved.push_back(resolver_.Resolve(event));
      const ResolvedEvent& first = resolved.back();
      CHECK(resolver_.Resolve(event).op == first.op);
      EventBlock block;
      block.Add(event);
      uint32_t known = kUnknownOp;
      uint8_t eager = 0;
      if (resolver_.KnownOps(block, 0, 1, &known, &eager) == 0) continue;
      CHECK(known == first.op);
      CHECK((eager != 0) == first.eager);
      ++known_again;
    }
  }

  // "type|name|kernel", "!" behind what no framework op claims; "none".
  std::string Text(size_t event) const {
    const uint32_t id = resolved.at(event).op;
    if (id == trace::Op::kNone) return "none";
    const trace::Op& op = ops_[id];
    return op.type + "|" + op.name + "|" + op.kernel + (op.attributed ? "" : "!");
  }
  const OpResolver& resolver() const { return resolver_; }

  std::vector<ResolvedEvent> resolved;
  int known_again = 0;

 private:
  // Program 42 with `fusion.1`, which came from net/add:Add, and `copy.2`, which came from nothing.
  static std::string Program() {
    const std::string proto = HloProto(testing::HloInstruction("fusion.1", "fusion", "Add", "net/add") +
                                       testing::HloInstruction("copy.2", "copy", "", ""));
    return EncodePlane("/host:metadata", EventName(1, "f(42)", MetadataStat(BytesValue(1, proto))) + StatName(1, "Hlo Proto"));
  }

  std::string bytes_;
  Layout layout_;
  HloModules modules_;
  trace::OpDictionary ops_;
  OpResolver resolver_;
};

// The op of one event with these stats.
std::string Host(const std::string& name, const std::string& stats = "") {
  return Resolving(PlaneKind::kHost, EventName(1, name), EncodeEvent(1, 2, 3, stats)).Text(0);
}
std::string Gpu(const std::string& name, const std::string& stats = "", const std::string& metadata = "") {
  return Resolving(PlaneKind::kGpu, EventName(1, name, metadata), EncodeEvent(1, 2, 3, stats)).Text(0);
}
std::string Tpu(const std::string& name, const std::string& metadata) {
  return Resolving(PlaneKind::kTpu, EventName(1, name, metadata), EncodeEvent(1, 2, 3)).Text(0);
}
std::string Hlo(const std::string& instruction, int64_t program) {
  return TextStat(kHloOp, instruction) + IntStat(kProgram, program);
}

TEST_CASE("host events are ops by the grammar of their names") {
  CHECK(Host("a/b:MatMul") == "MatMul|a/b|");
  CHECK(Host("jit(f)/dot_general:") == "dot_general|jit(f)/dot_general|");
  CHECK(Host("Iterator::Prefetch::Map") == "Dataset|Iterator::Prefetch::Map|");
  CHECK(Host("MEMCPYHtoD") == "MemcpyHToD|MEMCPYHtoD|");
  for (const char* name : {"std::string", "EagerExecute", "$file.py:7 f", "a b:MatMul", ""}) CHECK(Host(name) == "none");
}

TEST_CASE("an event whose metadata isn't there is no op, on a device one without a name") {
  CHECK(Resolving(PlaneKind::kHost, "", EncodeEvent(9, 2, 3)).Text(0) == "none");
  CHECK(Resolving(PlaneKind::kGpu, "", EncodeEvent(9, 2, 3)).Text(0) == "Unknown|<unnamed>|!");
  CHECK(Resolving(PlaneKind::kGpu, "", EncodeEvent(9, 2, 3, TextStat(kTfOp, "a:A"))).Text(0) == "A|a|");
  CHECK(Resolving(PlaneKind::kOther, EventName(1, "a:A"), EncodeEvent(1, 2, 3)).Text(0) == "none");
}

TEST_CASE("an input pipeline stage names its type itself") {
  const std::string id = IntStat(kStage, 5);
  CHECK(Host("any name", id + TextStat(kStageCategory, "Map")) == "Map|any name|");
  CHECK(Host("any name", id + TextStat(kStageCategory, "")) == "none");
  CHECK(Host("any name", id) == "none");
  CHECK(Host("a:A", id) == "A|a|");
  CHECK(Host("a:A", TextStat(kStageCategory, "Map")) == "A|a|");
}

TEST_CASE("a host event's tf_op tells whose it is, not that it is an op") {
  CHECK(Host("MemoryAllocation", TextStat(kTfOp, "a:A")) == "none");
  CHECK(Host("b:B", TextStat(kTfOp, "a:A")) == "B|b|");
}

TEST_CASE("XLA on the CPU: host events with an HLO instruction are ops, ends are not") {
  CHECK(Host("fusion.1", Hlo("fusion.1", 42)) == "Add|net/add|");
  CHECK(Host("copy.2", Hlo("copy.2", 42)) == "copy|copy.2|");
  CHECK(Host("x", Hlo("outer::fusion.1", 42)) == "Add|net/add|");
  CHECK(Host("x", Hlo("gone.3", 42)) == "Unknown|gone.3|");
  CHECK(Host("x", TextStat(kHloOp, "fusion.1")) == "Unknown|fusion.1|");
  CHECK(Host("end: fusion.1", Hlo("fusion.1", 42)) == "none");
}

TEST_CASE("instructions whose module isn't in the file are told of, those without a program not") {
  const Resolving resolving(PlaneKind::kHost, EventName(1, "x"),
                            EncodeEvent(1, 2, 3, Hlo("fusion.1", 43)) + EncodeEvent(1, 2, 3, Hlo("fusion.1", 42)) +
                                EncodeEvent(1, 2, 3, TextStat(kHloOp, "dot.1")) + EncodeEvent(1, 2, 3, Hlo("fusion.1", 43)));
  CHECK(resolving.resolver().unresolved_hlo() == std::set<std::pair<uint64_t, std::string>>{{43, "fusion.1"}});
}

TEST_CASE("the first of a device event's texts that is there owns it") {
  const std::string level0 = TextStat(kLevel0, "b:B"), annotation = TextStat(kAnnotation, "c:C#k=v#::d:D");
  CHECK(Gpu("kernel", Hlo("fusion.1", 42) + TextStat(kTfOp, "a:A") + level0) == "Add|net/add|kernel");
  CHECK(Gpu("kernel", Hlo("copy.2", 42) + TextStat(kTfOp, "a:A") + level0) == "A|a|kernel");
  CHECK(Gpu("kernel", TextStat(kTfOp, "XlaModule:") + level0 + annotation) == "B|b|kernel");
  CHECK(Gpu("kernel", TextStat(kLevel0, "") + annotation) == "C|c|kernel");
  CHECK(Gpu("kernel", Hlo("copy.2", 42)) == "copy|copy.2|kernel");
  CHECK(Gpu("kernel", Hlo("outer::gone.3", 42)) == "Unknown|gone.3|kernel");
  CHECK(Gpu("kernel") == "Unknown|kernel|kernel!");
  CHECK(Gpu("MemcpyD2H", TextStat(kAnnotation, "#edge_name=x#")) == "Unknown|MemcpyD2H|MemcpyD2H!");
}

TEST_CASE("texts are read from every slot that holds one") {
  CHECK(Gpu("k", EventStat(RefValue(kTfOp, kText))) == "T|r/s|k");
  CHECK(Gpu("k", EventStat(BytesValue(kTfOp, "a:A"))) == "A|a|k");
  CHECK(Gpu("k", EventStat(RefValue(kTfOp, 999))) == "Unknown|k|k!");
  CHECK(Gpu("k", EventStat(RefValue(kTfOp, -1))) == "Unknown|k|k!");
  CHECK(Gpu("k", EventStat(IntValue(kTfOp, kText))) == "Unknown|k|k!");
}

TEST_CASE("references to ids of 2^62 and more") {
  for (const int64_t id : {int64_t{1} << 62, INT64_MAX, INT64_MIN, int64_t{-1}}) {
    CAPTURE(id);
    const Resolving resolving(PlaneKind::kGpu, EventName(1, "k") + StatName(id, "far:F"),
                              EncodeEvent(1, 2, 3, TextStat(kTfOp, "near:N")) +
                                  EncodeEvent(1, 2, 3, EventStat(RefValue(kTfOp, id))));
    CHECK(resolving.Text(0) == "N|near|k");
    CHECK(resolving.Text(1) == "F|far|k");
  }
}

TEST_CASE("what the event doesn't tell, its metadata does") {
  const std::string metadata = MetadataStat(TextValue(kTfOp, "m:M"));
  CHECK(Gpu("k", "", metadata) == "M|m|k");
  CHECK(Gpu("k", TextStat(kTfOp, "a:A"), metadata) == "A|a|k");
  CHECK(Gpu("k", TextStat(kHloOp, "fusion.1"), metadata + MetadataStat(UintValue(kProgram, 42))) == "Add|net/add|k");
  CHECK(Gpu("k", TextStat(kHloOp, "fusion.1"), metadata) == "M|m|k");
}

TEST_CASE("a device event shows its display name") {
  CHECK(Gpu("long name", "", testing::Bytes(4, "short")) == "Unknown|short|short!");
  CHECK(Gpu("long name", TextStat(kTfOp, "a:A"), testing::Bytes(4, "short")) == "A|a|short");
}

TEST_CASE("TPU ops keep their texts in the metadata; without a framework name they are HLO ops of their category") {
  const std::string display = testing::Bytes(4, "fusion.7"), category = MetadataStat(TextValue(kCategory, "loop fusion"));
  CHECK(Tpu("%fusion.7 = f32[]", display + category + MetadataStat(TextValue(kTfOp, "a/b:MatMul"))) == "MatMul|a/b|fusion.7");
  CHECK(Tpu("%fusion.7 = f32[]", display + category) == "loop fusion|fusion.7|fusion.7");
  CHECK(Tpu("copy.1", "") == "Unknown|copy.1|copy.1!");
}

TEST_CASE("the device's own clock counts where both of its stats are there") {
  const std::string offset = EventStat(UintValue(kOffset, 500)), duration = EventStat(UintValue(kDuration, 20));
  const Resolving resolving(PlaneKind::kTpu, EventName(1, "a"),
                            EncodeEvent(1, 2, 3, offset + duration) + EncodeEvent(1, 2, 3, offset) +
                                EncodeEvent(1, 2, 3, duration) + EncodeEvent(1, 2, 3, duration + EventStat(IntValue(kOffset, -5))));
  CHECK(resolving.resolved[0].has_device_time);
  CHECK(resolving.resolved[0].device_start_ps == 500);
  CHECK(resolving.resolved[0].device_duration_ps == 20);
  CHECK_FALSE(resolving.resolved[1].has_device_time);
  CHECK_FALSE(resolving.resolved[2].has_device_time);
  CHECK(resolving.resolved[3].device_start_ps == -5);
  CHECK(resolving.Text(0) == "Unknown|a|a!");
}

TEST_CASE("stored eager flags are read where they count, of any number") {
  const std::string events = EncodeEvent(1, 2, 3, IntStat(kEager, 1)) + EncodeEvent(1, 2, 3, IntStat(kEager, 0)) +
                             EncodeEvent(1, 2, 3) + EncodeEvent(1, 2, 3, EventStat(UintValue(kEager, 1)));
  const Resolving stored(PlaneKind::kHost, EventName(1, "a:A"), events, true);
  const Resolving not_asked(PlaneKind::kHost, EventName(1, "a:A"), events, false);
  std::string flags;
  for (const ResolvedEvent& event : stored.resolved) flags += event.eager ? "1" : "0";
  CHECK(flags == "1001");
  for (const ResolvedEvent& event : not_asked.resolved) CHECK_FALSE(event.eager);
  for (size_t i = 0; i < 4; ++i) CHECK(stored.Text(i) == "A|a|");
  CHECK(stored.known_again == 4);
}

TEST_CASE("metadata ids of any size") {
  for (const int64_t id : {int64_t{0}, int64_t{5000}, int64_t{1} << 40, int64_t{1} << 60, INT64_MAX, INT64_MIN, int64_t{-1}}) {
    CAPTURE(id);
    const Resolving resolving(PlaneKind::kGpu, EventName(id, "k"),
                              EncodeEvent(id, 2, 3) + EncodeEvent(id, 2, 3, EventStat(RefValue(kTfOp, kText))));
    CHECK(resolving.Text(0) == "Unknown|k|k!");
    CHECK(resolving.Text(1) == "T|r/s|k");
  }
}

TEST_CASE("equal ops are one, events of one metadata with other stats are others") {
  const Resolving r(PlaneKind::kGpu, EventName(1, "k") + EventName(2, "k"),
                    EncodeEvent(1, 2, 3, TextStat(kTfOp, "a:A")) + EncodeEvent(2, 2, 3, TextStat(kTfOp, "a:A")) +
                        EncodeEvent(1, 2, 3, TextStat(kTfOp, "b:B")) + EncodeEvent(1, 2, 3, TextStat(kLevel0, "a:A")));
  CHECK(r.resolved[0].op == r.resolved[1].op);
  CHECK(r.resolved[0].op != r.resolved[2].op);
  CHECK(r.resolved[0].op == r.resolved[3].op);
}

TEST_CASE("more deciding stats than a table holds, the last of each kind counts") {
  std::string stats;
  for (int i = 0; i < 40; ++i) stats += TextStat(kTfOp, "a" + std::to_string(i) + ":A");
  CHECK(Gpu("k", stats) == "A|a39|k");
  CHECK(Gpu("k", TextStat(kTfOp, "a:A") + TextStat(kTfOp, "b:B")) == "B|b|k");
}

}  // namespace
}  // namespace tfprof::xplane
