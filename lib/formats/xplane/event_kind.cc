#include "formats/xplane/event_kind.h"

#include <unordered_map>

#include "trace/op_name.h"

namespace tfprof::xplane {
namespace {

using KindTable = std::unordered_map<std::string_view, EventKind>;

// Event names that XProf looks for (xplane_schema.cc).
constexpr std::string_view kKnownNames[] = {
    "UnknownHostEventType", "SessionRun", "FunctionRun", "RunGraph", "RunGraphDone", "ExecutorDoneCallback",
    "MemoryAllocation", "MemoryDeallocation", "RemotePerfCounter", "ParallelForOp", "ForeverOp", "WhileOp-EvalCond",
    "WhileOp-StartBody", "ForOp", "Iterator::Prefetch::Generator", "PrefetchProduce", "PrefetchConsume",
    "ParallelInterleaveProduce", "ParallelInterleaveConsume", "ParallelInterleaveInitializeInput", "ParallelMapProduce",
    "ParallelMapConsume", "MapAndBatchProduce", "MapAndBatchConsume", "ParseExampleProduce", "ParseExampleConsume",
    "ParallelBatchProduce", "ParallelBatchConsume", "BrainSessionRun", "ConcatInputTensors", "MergeInputTensors",
    "ScheduleWithoutSplit", "ScheduleWithSplit", "ScheduleWithEagerSplit", "ASBSQueue::Schedule",
    "OrbaxServing::ConcatInputBuffers", "TfrtModelRun", "ServingModelRun", "DoEnqueueContinuationProgram", "WriteHbm",
    "ReadHbm", "TPUPartitionedCallOp-InitializeVarOnTPU", "TPUPartitionedCallOp-ExecuteRemote",
    "TPUPartitionedCallOp-ExecuteLocal", "Linearize", "Delinearize", "TransferBufferFromDevice-FastPath",
    "tpu::System::TransferToDevice=>IssueEvent", "tpu::System::TransferToDevice=>IssueEvent=>Done",
    "tpu::System::TransferFromDevice=>IssueEvent", "tpu::System::TransferFromDevice=>IssueEvent=>Done",
    "tpu::System::Execute"};
constexpr std::string_view kQueuedNames[] = {
    "RunProgramRequest", "HostCallbackRequest", "TransferH2DRequest", "TransferPreprocessedH2DRequest",
    "TransferD2HRequest", "OnDeviceSendRequest", "OnDeviceRecvRequest", "OnDeviceSendRecvLocalRequest", "CustomWait",
    "OnDeviceSendRequestMulti", "OnDeviceRecvRequestMulti", "PjrtAsyncWait"};

KindTable MakeTable() {
  KindTable table = {
      {"TfOpRun", EventKind::kTfOp},
      {"Iterator", EventKind::kTfData},
      {"KernelLaunch", EventKind::kLaunch},
      {"KernelExecute", EventKind::kExecute},
      {"EagerExecute", EventKind::kEagerExecute},
      {"ExecutorState::Process", EventKind::kExecutorProcess},
      {"IteratorGetNextOp::DoCompute", EventKind::kGetNext},
      {"IteratorGetNextAsOptionalOp::DoCompute", EventKind::kGetNextAsOptional},
      {"TraceContext", EventKind::kTraceContext},
      {"ProcessBatch", EventKind::kProcessBatch},
      {"OrbaxServing::ProcessBatch", EventKind::kProcessBatch},
      {"BatchingSessionRun", EventKind::kBatchingSessionRun},
      {"InstantiatedCapturedFunction::Run", EventKind::kCapturedFunctionRun},
      {"InstantiatedCapturedFunction::RunWithBorrowedArgs", EventKind::kCapturedFunctionRun},
      {"InstantiatedCapturedFunction::RunInstantiated", EventKind::kCapturedFunctionRun},
      {"InstantiatedCapturedFunction::RunAsync", EventKind::kCapturedFunctionRun},
      {"TpuExecuteOp", EventKind::kTpuExecuteOp},
      {"EnqueueRequestLocked", EventKind::kEnqueueRequest},
      {"DoEnqueueProgram", EventKind::kDoEnqueueProgram},
      {"CompleteCallbacks", EventKind::kCompleteCallbacks},
  };
  for (const std::string_view name : kKnownNames) table.emplace(name, EventKind::kKnown);
  for (const std::string_view name : kQueuedNames) table.emplace(name, EventKind::kQueuedRequest);
  return table;
}

}  // namespace

EventKind KindOfName(std::string_view event_name) {
  static const KindTable kTable = MakeTable();
  const auto known = kTable.find(event_name);
  if (known != kTable.end()) return known->second;
  switch (trace::ParseTfOpFullname(event_name).category) {
    case trace::OpCategory::kTensorFlow:
      return EventKind::kTfOp;
    case trace::OpCategory::kTfData:
      return EventKind::kTfData;
    default:
      return EventKind::kOther;
  }
}

std::vector<EventKind> KindsOfMetadata(const Plane& plane) {
  std::vector<EventKind> kinds;
  kinds.reserve(plane.event_metadata.entries().size());
  for (const Metadata& entry : plane.event_metadata.entries()) kinds.push_back(KindOfName(entry.name));
  return kinds;
}

}  // namespace tfprof::xplane
