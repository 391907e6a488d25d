// What events are to XProf's grouping (reference: op_stats.md §6, xspace.md "Host event names with meaning").
#include "formats/xplane/event_kind.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

TEST_CASE("known names decide first, then the grammar of op names") {
  const auto [name, kind] = GENERATE(
      std::pair{"EagerExecute", EventKind::kEagerExecute}, std::pair{"EagerExecute: MatMul", EventKind::kOther},
      std::pair{"ExecutorState::Process", EventKind::kExecutorProcess},
      std::pair{"IteratorGetNextOp::DoCompute", EventKind::kGetNext},
      std::pair{"IteratorGetNextAsOptionalOp::DoCompute", EventKind::kGetNextAsOptional},
      std::pair{"KernelLaunch", EventKind::kLaunch}, std::pair{"KernelExecute", EventKind::kExecute},
      std::pair{"TraceContext", EventKind::kTraceContext}, std::pair{"Iterator", EventKind::kTfData},
      std::pair{"InstantiatedCapturedFunction::RunAsync", EventKind::kCapturedFunctionRun},
      std::pair{"TransferH2DRequest", EventKind::kQueuedRequest}, std::pair{"MemoryAllocation", EventKind::kKnown},
      std::pair{"WhileOp-EvalCond", EventKind::kKnown}, std::pair{"a/b:MatMul", EventKind::kTfOp},
      std::pair{"Iterator::Prefetch::Map", EventKind::kTfData}, std::pair{"Iterator::Prefetch::Generator", EventKind::kKnown},
      std::pair{"jit(f)/dot_general:", EventKind::kOther}, std::pair{"MEMCPYHtoD", EventKind::kOther},
      std::pair{"cuLaunchKernel", EventKind::kOther}, std::pair{"", EventKind::kOther});
  INFO(name);
  CHECK(KindOfName(name) == kind);
}

TEST_CASE("a correlation id makes a launch or a kernel of what has no other meaning") {
  CHECK(KindOfEvent(EventKind::kOther, true, true) == EventKind::kLaunch);
  CHECK(KindOfEvent(EventKind::kOther, true, false) == EventKind::kExecute);
  CHECK(KindOfEvent(EventKind::kOther, false, true) == EventKind::kOther);
  for (const EventKind kind : {EventKind::kTfOp, EventKind::kEagerExecute, EventKind::kKnown, EventKind::kProcessBatch}) {
    CHECK(KindOfEvent(kind, true, true) == kind);
    CHECK(KindOfEvent(kind, true, false) == kind);
  }
}

TEST_CASE("TensorFlow ops and kernels get their flag from grouping, all others keep the stored one") {
  CHECK(IsFlaggedByGrouping(EventKind::kTfOp));
  CHECK(IsFlaggedByGrouping(EventKind::kExecute));
  for (const EventKind kind : {EventKind::kOther, EventKind::kTfData, EventKind::kLaunch, EventKind::kKnown}) {
    CHECK_FALSE(IsFlaggedByGrouping(kind));
  }
}

TEST_CASE("kinds of a plane are by index of its metadata, and go by the full name") {
  const std::string bytes =
      EncodePlane("p", EventName(900, "a:A") + EventName(-1, "EagerExecute") + EventName(3, "x", testing::Bytes(4, "b:B")));
  CHECK(KindsOfMetadata(ReadLayout(bytes).planes.at(0)) ==
        std::vector<EventKind>{EventKind::kTfOp, EventKind::kEagerExecute, EventKind::kOther});
}

}  // namespace
}  // namespace tfprof::xplane
