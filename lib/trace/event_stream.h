// Events with all that is known of them, for analyses that look beyond ops: steps, kernels, input, memory, `events`.
//
// Where lane.h gives columns of op ids in nesting order, this gives the events of every line one by one, in the order in
// which XProf takes them (that of the file but for lines with thread pool regions), with name, group and stats. A sink
// says beforehand which stats and which names it wants, so that others cost it nothing. One reading serves any number of
// sinks; a sink that can be forked gets the lines of a plane on several threads.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trace/op_dictionary.h"

namespace tfprof::trace {

// Stats by their names in an XSpace (XProf's xplane_schema).
enum class EventStat : uint8_t {
  kTfOp, kHloOp, kHloCategory, kProgramId, kSymbolId, kIsEager, kStageId, kStageCategory, kGroupId, kFlops, kModelFlops,
  kBytesAccessed, kKernelDetails, kEquation, kCorrelationId, kDeviceOffset, kDeviceDuration, kAsync, kRoot, kProducerType,
  kProducerId, kConsumerType, kConsumerId, kProcess, kId, kIterNum, kIsFunc, kCoreType, kRequestId, kQueueAddr,
  kDeviceOrdinal, kQueueId, kRunId,
  kStageName, kStepName, kStepNum, kGraphType, kShape, kDeviceId, kParentId, kElementId,
  kAllocatorName, kIndexOnHost, kBytesReserved, kBytesAllocated, kBytesAvailable, kFragmentation, kPeakBytesInUse,
  kRequestedBytes, kAllocationBytes, kAddress, kRegionType, kDataType, kLevel0, kAnnotation,
  kCount
};
std::string_view EventStatName(EventStat stat);
// Whether it is a whole number by its meaning, whatever slot a writer put it into.
bool IsWholeNumber(EventStat stat);

// Which slots a stat that is a number may stand in.
enum class NumberSlots : uint8_t {
  kTyped,  // as stored: XProf's typed accessors see only "their" slot
  kAny,    // any that holds a number, also as text; what is none reads as missing
};

// A stat's value as written.
struct StatValue {
  enum class Slot : uint8_t { kNone, kInt64, kUint64, kDouble, kText };
  Slot slot = Slot::kNone;
  uint64_t bits = 0;      // a number, or the bits of a double
  std::string_view text;  // valid during the call that gave it

  explicit operator bool() const { return slot != Slot::kNone; }
  int64_t int64_only() const { return slot == Slot::kInt64 ? static_cast<int64_t>(bits) : 0; }
  uint64_t int_or_uint() const { return slot == Slot::kInt64 || slot == Slot::kUint64 ? bits : 0; }
  double double_only() const { return slot == Slot::kDouble ? std::bit_cast<double>(bits) : 0.0; }
  // From any slot. 0: there is no number.
  double any_number() const;
  // From any slot, in that of signed numbers if it fits there, else of unsigned ones. A double is cut towards 0; text is
  // decimal, or hexadecimal after `0x`. Empty: it is no number, or none of 64 bits.
  StatValue whole_number() const;
};

// The HLO instruction that an event's stats name, as the file's HLO protos know it.
struct HloOrigin {
  bool named = false;  // the event names one
  bool found = false;  // a module of the file has it
  uint64_t program = 0;
  std::string_view instruction;               // the last `::` part
  std::string_view opcode, op_name, op_type;  // of the instruction's metadata
};

// The stats of one event; of those that the sink asked for.
class EventStats {
 public:
  virtual ~EventStats() = default;
  // Of several stats of one name the first (as XProf's GetStat finds it), or the last (as its ForEachStat leaves it).
  virtual StatValue First(EventStat stat) const = 0;
  virtual StatValue Last(EventStat stat) const = 0;
  // Which of these stands last in the event; kCount: none is there.
  virtual EventStat LatestOf(std::initializer_list<EventStat> stats) const = 0;
  // For sinks that asked for kHloOp and kProgramId.
  virtual HloOrigin Hlo() const = 0;
  // Of files that tell (StreamFile::tells_ops): the op in whose row of the op table the event counts, null: none; and the
  // name of the op that a kernel belongs to, "": none.
  virtual const Op* TellOp() const { return nullptr; }
  virtual std::string_view TellOwner() const { return {}; }
};

enum class StreamPlaneKind : uint8_t {
  kHost,   // exactly `/host:CPU`
  kGpu,    // `/device:GPU:…`
  kTpu,    // `/device:TPU:…`, SparseCores too
  kOther,
};

struct StreamPlane {
  uint32_t index = 0;
  StreamPlaneKind kind = StreamPlaneKind::kOther;
  std::string_view name;
  bool sparse_core = false;
  bool on_device = false;  // its events are work of a device
  bool launches = false;   // of a host: all that it does hands work to a device
  bool made_up = false;    // its events stand for what the file tells otherwise: they are no events of its own
  std::function<StatValue(std::string_view name)> stat;  // the last stat of the plane itself with that name
  std::function<bool(std::string_view name)> knows_stat;  // whether its events could have such a stat
};

struct StreamFile {
  std::string_view path, host;
  uint32_t index = 0;           // among the files of the run
  int64_t trace_start_ps = 0;   // of its earliest event on a lane with ops, for sinks that asked for it
  bool already_grouped = false; // it was saved with groups and derived lines
  bool tells_ops = false;       // its reader says which op an event is (EventStats::TellOp); else its texts do
  bool names_steps = false;     // only events with a step_name mark steps, whatever others are called
  std::span<const StreamPlane> planes;
  std::span<const std::string_view> errors, warnings;
};

// A moment on the file's time axis as it is told to the user, for whom 0 is the start of the trace. Ends of the axis
// stand for what lies beyond them.
inline int64_t FromTraceStart(int64_t at_ps, int64_t trace_start_ps) {
  int64_t from_start_ps = 0;
  if (!__builtin_sub_overflow(at_ps, trace_start_ps, &from_start_ps)) return from_start_ps;
  return trace_start_ps < 0 ? INT64_MAX : INT64_MIN;
}

struct StreamLine {
  uint32_t index = 0;
  int64_t id = 0;
  std::string_view name;
  int64_t timestamp_ns = 0;
  bool derived = false;  // a view of the work of other lines (reference: xspace.md §5)
  std::string_view id_text;  // as LaneInfo's (lane.h)
};

inline constexpr int64_t kNoEventGroup = INT64_MIN;

struct StreamEvent {
  std::string_view name;
  uint32_t name_id = 0;      // within its plane
  uint64_t ordinal = 0;      // within its line, in file order
  int64_t offset_ps = 0, duration_ps = 0;  // as stored
  uint64_t begin_ps = 0, end_ps = 0;       // as XProf computes them: line start · 1000 + offset, mod 2^64
  int64_t start_ps = 0;      // strict: from the file's base
  bool timed = true;         // false: it has no place in the trace's time, start_ps means nothing
  int64_t group = kNoEventGroup;
  std::string_view step_name;  // of a user's step marker ("train 7"); "" elsewhere
  uint64_t occurrences = 0;    // an aggregate of that many; 0: one event
  bool chosen = true;          // false: of no step that was asked for (analyze/step_events.h)
  const EventStats* stats = nullptr;
};

class EventSink {
 public:
  static constexpr uint32_t kSkip = 0;

  virtual ~EventSink() = default;
  // Asked once for each plane: the stats that it looks at, and whether it wants anything of the plane at all.
  virtual std::vector<EventStat> Stats(const StreamPlane& plane) const = 0;
  virtual void BeginFile(const StreamFile&) {}
  virtual bool BeginPlane(const StreamPlane& plane) = 0;
  // What events of that name are to the sink, any number that Add gets back; kSkip: not wanted. Asked once for a name.
  virtual uint32_t Classify(std::string_view event_name) = 0;
  virtual bool BeginLine(const StreamLine& line) = 0;
  virtual void Add(const StreamEvent& event, uint32_t kind) = 0;
  virtual void EndLine() {}
  virtual void EndPlane() {}
  virtual void EndFile() {}

  // After BeginPlane: a sink of the same kind for some of the plane's lines, which another thread reads. It gets no
  // BeginFile, BeginPlane, EndPlane or EndFile of its own. Null: this one must get all lines itself.
  virtual std::unique_ptr<EventSink> Fork() const { return nullptr; }
  // Before EndPlane: what a fork got counts here, as if its lines had come after those that were here before.
  virtual void Join(EventSink&& /*fork*/) {}
};

}  // namespace tfprof::trace
