#include "formats/chrome/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>

#include "formats/chrome/decimal.h"
#include "formats/chrome/kineto_owners.h"
#include "formats/chrome/lanes.h"

namespace tfprof::chrome {
namespace {

using trace::EventBatch;
using trace::Op;
using trace::Role;
using trace::Side;

constexpr __int128 kYearPs = static_cast<__int128>(365) * 86'400 * 1'000'000'000'000;
constexpr uint64_t kEventCap = 1'000'000;  // TensorFlow's exporter stops here

// How many of a kind, and the byte where the first stood.
struct Counted {
  uint64_t count = 0;
  uint64_t first = 0;
  void Add(uint64_t offset) {
    if (count++ == 0) first = offset;
  }
};

class Reading {
 public:
  Reading(const ReadOptions& options, trace::Sink* sink, ReadPlan* plan, FileFacts* facts)
      : options_(options), plan_(*plan), facts_(*facts), lanes_(sink, options.host, options.temp_dir, plan->sort_spans) {
    if (plan_.names) names_ = *plan_.names;
    if (plan_.base_ps) base_ps_ = plan_.base_ps;
  }

  Result<ReadOutcome> Run(Diagnostics* diagnostics) {
    if (Status failed = ReadText()) return *failed;
    if (Status failed = PlaceEarlyZeros()) return *failed;
    facts_.is_trace = scanner_.top_level().has_trace_events;
    facts_.rank = scanner_.top_level().rank;
    facts_.dialect = Chosen();
    if (Status failed = lanes_.Finish()) return *failed;
    if (!Cancelled() && LearnForAgain()) return ReadOutcome::kAgain;
    Say(diagnostics);
    return ReadOutcome::kDone;
  }

 private:
  bool Cancelled() const { return options_.cancelled != nullptr && *options_.cancelled; }

  Status ReadText() {
    while (!Cancelled()) {
      Result<std::string_view> piece = options_.next_piece();
      if (!piece) return piece.error();
      if (piece->empty()) break;
      scanner_.Feed(*piece);
      if (Status failed = TakeEvents()) return failed;
      if (options_.on_done) options_.on_done(*piece);
    }
    scanner_.Finish();
    return TakeEvents();
  }

  Status TakeEvents() {
    TraceEvent event;
    while (scanner_.Next(&event) == EventScanner::Step::kEvent) {
      if (Status failed = Take(event)) return failed;
    }
    return kOk;
  }

  Status Take(const TraceEvent& event) {
    if (event.empty) return kOk;
    ++facts_.phases[event.phase];
    switch (event.phase) {
      case 'M':
        TakeMetadata(event);
        return kOk;
      case 'X':
      case 'B':
      case 'E':
        return TakeTimed(event);
      case 'i':
      case 'I':
        // TensorFlow's older exporter writes an event of no length as an instant.
        if (!placer_) Decide(event);
        return dialect_.dialect == Dialect::kTf2 && event.phase == 'i' ? TakeTimed(event) : Status(kOk);
      default:
        return kOk;
    }
  }

  void TakeMetadata(const TraceEvent& event) {
    const std::string what = Decode(event.name);
    if (what != "process_name" && what != "thread_name") return;
    if (!event.arg(ArgKey::kName).is_string()) return;
    const std::string name = Decode(event.arg(ArgKey::kName));
    const std::string pid = IdText(event.process), tid = IdText(event.thread);
    std::string& known = what == "process_name" ? names_.processes[pid] : names_.threads[ThreadKey(pid, tid)];
    if (known == name) return;
    known = name;
    // Too late for what already stands on a lane; a second reading knows it from the start.
    names_late_ = names_late_ || placer_ != nullptr;
  }

  // "7" and 7 are one id; an absent one is 0.
  static std::string IdText(const JsonValue& value) { return value.present() ? Decode(value) : "0"; }

  DialectChoice Chosen() const {
    if (plan_.forced) return {*plan_.forced, "it was asked for (--format-in)"};
    return ChooseDialect(scanner_.top_level(), names_, kineto_category_);
  }

  void Decide(const TraceEvent& event) {
    kineto_category_ = kineto_category_ || (event.category.is_string() && IsKinetoCategory(event.category.raw));
    dialect_ = plan_.dialect ? *plan_.dialect : Chosen();
    placer_ = std::make_unique<Placer>(dialect_.dialect, names_);
  }

  Status TakeTimed(const TraceEvent& event) {
    if (!placer_) Decide(event);
    if (event.phase == 'X' && !kineto_category_ && event.category.is_string()) {
      kineto_category_ = IsKinetoCategory(event.category.raw);
    }
    Lane* lane = LaneOf(event);
    if (lane == nullptr) return kOk;
    if (!event.timestamp.present()) {
      missing_field_.Add(event.offset);
      return kOk;
    }
    const Picoseconds at = ParseMicroseconds(event.timestamp.raw);
    if (!(event.timestamp.is_number() || event.timestamp.is_string()) || at.error == DecimalError::kNotANumber) {
      bad_number_.Add(event.offset);
      return kOk;
    }
    if (event.phase == 'B' || event.phase == 'E') return TakePair(event, lane, at);
    Picoseconds duration;
    if (event.phase == 'X') {
      if (!event.duration.present()) missing_field_.Add(event.offset);
      if (event.duration.present()) duration = ParseMicroseconds(event.duration.raw);
      if (duration.error == DecimalError::kNotANumber ||
          (event.duration.present() && !event.duration.is_number() && !event.duration.is_string())) {
        bad_number_.Add(event.offset);
        return kOk;
      }
    }
    return TakeSpan(event, lane, at, duration);
  }

  Status TakeSpan(const TraceEvent& event, Lane* lane, const Picoseconds& at, Picoseconds duration) {
    if (dialect_.dialect == Dialect::kTf2 && duration.ps == 1) duration.ps = 0;  // the exporter writes 1 ps for 0
    const uint32_t op = OpOf(event, *lane);
    uint8_t flags = FlagsOf(event, *lane);
    if (duration.ps < 0) {
      unfinished_.Add(event.offset);
      lanes_.AddUntimed(lane, 0, op, flags);
      return kOk;
    }
    if (at.ps == 0 && duration.ps == 0 && at.error == DecimalError::kNone) {
      if (!base_ps_) {  // whether 0 is a time here, the first other event tells
        early_zeros_.push_back({lane, op, flags, event.offset});
        return kOk;
      }
      if (LooksUntimed()) {
        untimed_.Add(event.offset);
        lanes_.AddUntimed(lane, 0, op, flags);
        return kOk;
      }
    }
    int64_t start_ps = 0, end_ps = 0;
    const bool fits = at.error == DecimalError::kNone && duration.error == DecimalError::kNone &&
                      ToRelative(at.ps, &start_ps) && duration.ps <= INT64_MAX &&
                      !__builtin_add_overflow(start_ps, static_cast<int64_t>(duration.ps), &end_ps);
    if (!fits) {
      NoteOutlier(event.offset, at);
      lanes_.AddUntimed(lane, static_cast<int64_t>(std::min<__int128>(duration.ps, INT64_MAX)), op, flags);
      return kOk;
    }
    ++timed_;
    if (!early_zeros_.empty()) {
      if (Status failed = PlaceEarlyZeros()) return failed;
    }
    if (dialect_.dialect == Dialect::kKineto && !plan_.claimed) NoteForOwners(event, *lane, start_ps, end_ps);
    return lanes_.AddSpan(lane, start_ps, static_cast<int64_t>(duration.ps), op, flags);
  }

  Status TakePair(const TraceEvent& event, Lane* lane, const Picoseconds& at) {
    PairEvent pair;
    if (at.error != DecimalError::kNone || !ToRelative(at.ps, &pair.at_ps)) {
      NoteOutlier(event.offset, at);
      return kOk;
    }
    ++timed_;
    pair.end = event.phase == 'E';
    const std::string name = Decode(event.name);
    if (!name.empty()) pair.name = pair_names_.try_emplace(name, static_cast<uint32_t>(pair_names_.size()) + 1).first->second;
    if (!pair.end) pair.op = OpOf(event, *lane);
    if (!lane->has_pairs) lane->sort_pairs = plan_.sort_pairs.contains(PairKey(*lane));
    return lanes_.AddPair(lane, pair);
  }

  static std::string PairKey(const Lane& lane) { return std::to_string(lane.index); }

  // Events at time 0 of no length that came before any other.
  Status PlaceEarlyZeros() {
    for (const EarlyZero& zero : std::exchange(early_zeros_, {})) {
      int64_t start_ps = 0;
      if (!LooksUntimed() && ToRelative(0, &start_ps)) {
        ++timed_;
        if (Status failed = lanes_.AddSpan(zero.lane, start_ps, 0, zero.op, zero.flags)) return failed;
      } else {
        untimed_.Add(zero.offset);
        lanes_.AddUntimed(zero.lane, 0, zero.op, zero.flags);
      }
    }
    return kOk;
  }

  // Real times lie far from 0 when the file's first one does.
  bool LooksUntimed() const { return base_ps_ && (*base_ps_ > kYearPs || *base_ps_ < -kYearPs); }

  bool ToRelative(__int128 ps, int64_t* relative) {
    if (!base_ps_) base_ps_ = ps;
    const __int128 difference = ps - *base_ps_;
    if (difference > INT64_MAX || difference < INT64_MIN) return false;
    *relative = static_cast<int64_t>(difference);
    return true;
  }

  void NoteOutlier(uint64_t offset, const Picoseconds& at) {
    outliers_.Add(offset);
    if (!outlier_base_ps_ && at.error == DecimalError::kNone) outlier_base_ps_ = at.ps;
  }

  Lane* LaneOf(const TraceEvent& event) {
    lane_key_.clear();
    const auto add = [&](const JsonValue& value) {
      lane_key_ += value.is_string() || value.is_number() ? value.raw : std::string_view(value.present() ? "?" : "0");
      lane_key_ += '\0';
    };
    add(event.process);
    add(event.thread);
    if (placer_->by_category()) add(event.category);
    if (dialect_.dialect == Dialect::kKineto) add(event.arg(ArgKey::kDevice));
    if (lane_key_ == last_key_) return last_lane_;
    const auto [at, is_new] = lane_of_.try_emplace(lane_key_, nullptr);
    if (is_new) {
      const std::string pid = IdText(event.process), tid = IdText(event.thread);
      const Placement placement =
          placer_->Place(pid, tid, Decode(event.category), Decode(event.arg(ArgKey::kDevice)));
      if (placement.placed) {
        std::string key = ThreadKey(pid, tid);  // one lane for each side, role and device of a thread
        key += static_cast<char>('0' + static_cast<int>(placement.side) * 8 + static_cast<int>(placement.role));
        key += placement.device;
        Lane& lane = lanes_.Find(key, placement, pid, tid);
        lane.name = names_.Thread(pid, tid);
        at->second = &lane;
      }
    }
    last_key_ = lane_key_;
    last_lane_ = at->second;
    return last_lane_;
  }

  // One look-up by the texts that decide; the op itself is worked out once for each combination.
  uint32_t OpOf(const TraceEvent& event, const Lane& lane) {
    op_key_.clear();
    op_key_ += static_cast<char>('0' + static_cast<int>(lane.placement.side) * 8 + static_cast<int>(lane.placement.role));
    const auto add = [&](const JsonValue& value) {
      if (value.present()) op_key_ += static_cast<char>('a' + static_cast<int>(value.kind));
      op_key_ += value.raw;
      op_key_ += '\0';
    };
    add(event.name);
    if (placer_->by_category()) {
      add(event.category);
    } else {
      for (const ArgKey key : {ArgKey::kName, ArgKey::kOp, ArgKey::kLongName, ArgKey::kTfOp, ArgKey::kLevel0,
                               ArgKey::kAnnotation, ArgKey::kHloOp, ArgKey::kHloCategory}) {
        add(event.arg(key));
      }
    }
    const auto known = op_of_.find(op_key_);
    if (known != op_of_.end()) return known->second;
    Op op;
    const uint32_t id = placer_->OpOf(event, lane.placement, &op) ? lanes_.ops(lane.placement.side).Intern(std::move(op)) : Op::kNone;
    op_of_.emplace(op_key_, id);
    return id;
  }

  uint8_t FlagsOf(const TraceEvent& event, const Lane& lane) {
    uint8_t flags = 0;
    const JsonValue& eager = event.arg(ArgKey::kIsEager);
    if (dialect_.dialect == Dialect::kTf2 && eager.present() && eager.raw != "0" && eager.raw != "false" && !eager.raw.empty()) {
      flags |= EventBatch::kEager;
    }
    if (dialect_.dialect == Dialect::kKineto && lane.placement.role == Role::kStream) {
      const size_t number = device_events_++;
      if (!plan_.claimed) owners_.AddDeviceEvent(event);
      if (plan_.claimed && number < plan_.claimed->size() && !(*plan_.claimed)[number]) flags |= EventBatch::kUnattributed;
    }
    return flags;
  }

  void NoteForOwners(const TraceEvent& event, const Lane& lane, int64_t start_ps, int64_t end_ps) {
    const std::string_view category = event.category.raw;
    if (lane.placement.role != Role::kHostOps) return;
    if (category == "cpu_op") {
      owners_.AddCpuOp(lane.thread, start_ps, end_ps, event);
    } else if (category.ends_with("runtime") || category.ends_with("driver") || category.ends_with("Runtime")) {
      owners_.AddLaunch(lane.thread, start_ps, event);
    }
  }

  // Whether the file has to be read once more, and with what knowledge.
  bool LearnForAgain() {
    bool again = false;
    if (placer_ != nullptr) {
      const DialectChoice final_choice = Chosen();
      const bool names_matter = dialect_.dialect != Dialect::kKineto || final_choice.dialect != Dialect::kKineto;
      if ((names_late_ && names_matter && !plan_.names) || final_choice.dialect != dialect_.dialect) {
        plan_.names = names_;
        plan_.dialect = final_choice;
        again = true;
      }
    }
    if (outliers_.count > timed_ && outlier_base_ps_ && !plan_.base_ps) {
      plan_.base_ps = outlier_base_ps_;
      again = true;
    }
    if (lanes_.needs_sorting()) {
      plan_.sort_spans = true;
      again = true;
    }
    for (const Lane& lane : lanes_.all()) {
      if (lane.pairs_step_back && !lane.sort_pairs && plan_.sort_pairs.insert(PairKey(lane)).second) again = true;
    }
    if (!again && dialect_.dialect == Dialect::kKineto && !plan_.claimed) {
      std::vector<bool> claimed = owners_.Claimed();
      if (std::find(claimed.begin(), claimed.end(), false) != claimed.end()) {
        plan_.claimed = std::move(claimed);
        again = true;
      }
    }
    return again;
  }

  void Say(Diagnostics* diagnostics) const {
    const ScanFindings& found = scanner_.findings();
    const auto say = [&](DiagCode code, const Counted& counted, std::string_view text) {
      if (counted.count == 0) return;
      diagnostics->Add(code, fmt::format("{}: {}; first at byte {}", options_.path, text, counted.first), counted.count);
    };
    if (found.truncated) {
      diagnostics->Add(DiagCode::kTruncatedInput,
                       fmt::format("{}: the text ends inside an event or another value, at byte {}; what came before was "
                                   "read; copy the file anew or write the profile again",
                                   options_.path, found.truncated_at));
    }
    if (found.unterminated_array) {
      diagnostics->Add(DiagCode::kUnterminatedArray,
                       fmt::format("{}: the array of events has no closing bracket; nothing is missing else", options_.path));
    }
    say(DiagCode::kBrokenEvent, {found.broken_events, found.first_broken}, "events could not be parsed and were skipped");
    say(DiagCode::kBadNumber, bad_number_, "events whose ts or dur is no number were skipped");
    say(DiagCode::kMissingField, missing_field_, "events lack a field that they need (ts, or dur: it counts as 0)");
    say(DiagCode::kUntimedEvent, untimed_, "events have time 0 and duration 0 among real times; they have no place in time");
    say(DiagCode::kTimeOutlier, outliers_,
        "events lie years away from the others; they keep their time in their rows but are left out of span, busy and idle");
    if (const uint64_t n = unfinished_.count + lanes_.unfinished(); n > 0) {
      diagnostics->Add(DiagCode::kUnfinishedEvent,
                       fmt::format("{}: events have no end of their own (begins that end with what is around them, and "
                                   "negative durations, which count as 0)",
                                   options_.path),
                       n);
    }
    if (lanes_.stray_ends() > 0) {
      diagnostics->Add(DiagCode::kStrayEnd, fmt::format("{}: ends without a begin were passed over", options_.path),
                       lanes_.stray_ends());
    }
    uint64_t events = 0;
    for (const auto& [phase, count] : facts_.phases) events += phase == 'M' || phase == 0 ? 0 : count;
    if (dialect_.dialect == Dialect::kTf2 && (events == kEventCap || events == 5 * kEventCap)) {
      diagnostics->Add(DiagCode::kEventLimit,
                       fmt::format("{}: it holds exactly {} events, where the exporter stops: later events are most likely "
                                   "missing; read the .xplane.pb of the run instead",
                                   options_.path, events));
    }
  }

  const ReadOptions& options_;
  ReadPlan& plan_;
  FileFacts& facts_;
  Lanes lanes_;
  EventScanner scanner_;
  Names names_;
  DialectChoice dialect_;
  std::unique_ptr<Placer> placer_;
  bool names_late_ = false, kineto_category_ = false;
  std::optional<__int128> base_ps_, outlier_base_ps_;
  uint64_t timed_ = 0;
  size_t device_events_ = 0;
  std::unordered_map<std::string, Lane*> lane_of_;
  std::string lane_key_, last_key_;
  Lane* last_lane_ = nullptr;
  std::unordered_map<std::string, uint32_t> op_of_;
  std::string op_key_;
  std::unordered_map<std::string, uint32_t> pair_names_;
  KinetoOwners owners_;
  struct EarlyZero {
    Lane* lane;
    uint32_t op;
    uint8_t flags;
    uint64_t offset;
  };
  std::vector<EarlyZero> early_zeros_;
  Counted missing_field_, bad_number_, unfinished_, untimed_, outliers_;
};

}  // namespace

Result<ReadOutcome> Read(const ReadOptions& options, trace::Sink* sink, ReadPlan* plan, FileFacts* facts,
                         Diagnostics* diagnostics) {
  *facts = FileFacts();
  return Reading(options, sink, plan, facts).Run(diagnostics);
}

}  // namespace tfprof::chrome
