#include "formats/chrome/reader.h"

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

#include "formats/chrome/decimal.h"
#include "formats/chrome/event_places.h"
#include "formats/chrome/findings.h"
#include "formats/chrome/kineto_owners.h"
#include "formats/chrome/lanes.h"

namespace tfprof::chrome {
namespace {

using trace::EventBatch;
using trace::Role;

constexpr __int128 kYearPs = static_cast<__int128>(365) * 86'400 * 1'000'000'000'000;
constexpr uint64_t kEventCap = 1'000'000;  // TensorFlow's exporter stops here

class Reading {
 public:
  Reading(const ReadOptions& options, trace::Sink* sink, ReadPlan* plan, FileFacts* facts)
      : options_(options),
        plan_(*plan),
        facts_(*facts),
        lanes_(sink, options.host, options.temp_dir, plan->sort_spans) {
    if (plan_.names) names_ = *plan_.names;
    if (plan_.base_ps) base_ps_ = plan_.base_ps;
  }

  Result<ReadOutcome> Run(Diagnostics* diagnostics) {
    if (Status failed = ReadText()) return *failed;
    if (must_sort_) {  // seen halfway
      plan_.sort_spans = true;
      return ReadOutcome::kAgain;
    }
    if (Status failed = PlaceEarlyZeros()) return *failed;
    facts_.rank = scanner_.top_level().rank;
    facts_.dialect = Chosen();
    CountPhases();
    facts_.is_trace = IsTrace(*top_, facts_.phases);
    if (Status failed = lanes_.Finish()) return *failed;
    if (!Cancelled() && LearnForAgain()) return ReadOutcome::kAgain;
    found_.unfinished += lanes_.unfinished();
    found_.stray_ends = lanes_.stray_ends();
    TellFindings(options_.path, scanner_.findings(), found_, diagnostics);
    return ReadOutcome::kDone;
  }

 private:
  // Whether reading on is of no use.
  bool Over() { return Cancelled() || (must_sort_ = lanes_.needs_sorting()); }
  bool Cancelled() const { return options_.cancelled != nullptr && *options_.cancelled; }

  Status ReadText() {
    Status failed = options_.threads > 1 ? TakeFromAhead() : TakePieces();
    top_ = &scanner_.top_level();
    return failed;
  }

  Status TakeFromAhead() {
    constexpr size_t kBlocksBetweenLooks = 64;
    ReadAhead ahead(options_.text, &scanner_);
    TraceEvent event;
    size_t blocks = 0;
    while (const EventBlock* block = ahead.Next()) {
      top_ = &block->top;
      for (size_t position = 0; block->Read(&position, &event);) {
        if (Status failed = Take(event)) return failed;
      }
      if (Cancelled() || (++blocks % kBlocksBetweenLooks == 0 && Over())) return kOk;
    }
    return ahead.status();
  }

  Status TakePieces() {
    TraceEvent event;
    for (bool more = true; more && !Over();) {
      Result<std::string_view> piece = options_.text.next();
      if (!piece) return piece.error();
      more = !piece->empty();
      if (more) {
        scanner_.Feed(*piece);
      } else {
        scanner_.Finish();
      }
      while (scanner_.Next(&event) == EventScanner::Step::kEvent) {
        if (Status failed = Take(event)) return failed;
      }
      if (more && options_.text.on_done) options_.text.on_done(*piece);
    }
    return kOk;
  }

  Status Take(const TraceEvent& event) {
    if (event.empty) return kOk;
    ++phases_[static_cast<uint8_t>(event.phase)];
    NotePhase(event, &found_);
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
        if (!places_) Decide(event);
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
    names_late_ = names_late_ || places_ != nullptr;
  }

  DialectChoice Chosen() const {
    if (plan_.forced) return {*plan_.forced, "it was asked for (--format-in)"};
    return ChooseDialect(*top_, names_, kineto_category_);
  }

  void Decide(const TraceEvent& event) {
    NoteCategory(event);
    dialect_ = plan_.dialect ? *plan_.dialect : Chosen();
    places_ = std::make_unique<EventPlaces>(dialect_.dialect, names_, &lanes_);
  }

  void NoteCategory(const TraceEvent& event) {
    if (!event.category.is_string() || event.category.raw() == last_category_) return;
    last_category_ = event.category.raw();
    kineto_category_ = kineto_category_ || IsKinetoCategory(TextOf(event.category, &scratch_));
  }

  Status TakeTimed(const TraceEvent& event) {
    if (!places_) Decide(event);
    if (event.phase == 'X' && !kineto_category_) NoteCategory(event);
    Lane* lane = places_->LaneOf(event);
    if (lane == nullptr) return kOk;
    if (!event.timestamp.present()) {
      found_.missing_field.Add(event.offset);
      return kOk;
    }
    const Picoseconds at = ParseMicroseconds(TextOf(event.timestamp, &scratch_));
    if (!(event.timestamp.is_number() || event.timestamp.is_string()) || at.error == DecimalError::kNotANumber) {
      found_.bad_number.Add(event.offset);
      return kOk;
    }
    if (event.phase == 'B' || event.phase == 'E') return TakePair(event, lane, at);
    Picoseconds duration;
    if (event.phase == 'X') {
      if (!event.duration.present()) found_.missing_field.Add(event.offset);
      if (event.duration.present()) duration = ParseMicroseconds(TextOf(event.duration, &scratch_));
      if (duration.error == DecimalError::kNotANumber ||
          (event.duration.present() && !event.duration.is_number() && !event.duration.is_string())) {
        found_.bad_number.Add(event.offset);
        return kOk;
      }
    }
    return TakeSpan(event, lane, at, duration);
  }

  Status TakeSpan(const TraceEvent& event, Lane* lane, const Picoseconds& at, Picoseconds duration) {
    if (dialect_.dialect == Dialect::kTf2 && duration.ps == 1) duration.ps = 0;  // the exporter writes 1 ps for 0
    const uint32_t op = places_->OpOf(event, *lane);
    uint8_t flags = FlagsOf(event, *lane);
    if (duration.ps < 0) {
      ++found_.unfinished;
      lanes_.AddUntimed(lane, 0, op, flags);
      return kOk;
    }
    if (at.ps == 0 && duration.ps == 0 && at.error == DecimalError::kNone) {
      if (!base_ps_) {  // whether 0 is a time here, the first other event tells
        early_zeros_.push_back({lane, op, flags, event.offset});
        return kOk;
      }
      if (LooksUntimed()) {
        found_.untimed.Add(event.offset);
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
    if (!name.empty())
      pair.name = pair_names_.try_emplace(name, static_cast<uint32_t>(pair_names_.size()) + 1).first->second;
    if (!pair.end) pair.op = places_->OpOf(event, *lane);
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
        found_.untimed.Add(zero.offset);
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
    found_.outliers.Add(offset);
    if (!outlier_base_ps_ && at.error == DecimalError::kNone) outlier_base_ps_ = at.ps;
  }

  uint8_t FlagsOf(const TraceEvent& event, const Lane& lane) {
    uint8_t flags = 0;
    const JsonValue& eager = event.arg(ArgKey::kIsEager);
    if (dialect_.dialect == Dialect::kTf2 && eager.present() && SaysYes(eager)) flags |= EventBatch::kEager;
    if (dialect_.dialect == Dialect::kKineto && lane.placement.role == Role::kStream) {
      const size_t number = device_events_++;
      if (!plan_.claimed) owners_.AddDeviceEvent(event);
      if (plan_.claimed && number < plan_.claimed->size() && !(*plan_.claimed)[number])
        flags |= EventBatch::kUnattributed;
    }
    return flags;
  }

  bool SaysYes(const JsonValue& value) {
    if (value.kind == JsonValue::Kind::kBool) return value.raw() == "true";
    const std::string_view text = TextOf(value, &scratch_);
    return !text.empty() && text != "0" && text != "false";
  }

  void NoteForOwners(const TraceEvent& event, const Lane& lane, int64_t start_ps, int64_t end_ps) {
    const std::string_view category = TextOf(event.category, &scratch_);
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
    if (places_ != nullptr) {
      const DialectChoice final_choice = Chosen();
      const bool names_matter = dialect_.dialect != Dialect::kKineto || final_choice.dialect != Dialect::kKineto;
      if ((names_late_ && names_matter && !plan_.names) || final_choice.dialect != dialect_.dialect) {
        plan_.names = names_;
        plan_.dialect = final_choice;
        again = true;
      }
    }
    if (found_.outliers.count > timed_ && outlier_base_ps_ && !plan_.base_ps) {
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

  void CountPhases() {
    uint64_t events = 0;
    for (size_t i = 0; i < phases_.size(); ++i) {
      if (phases_[i] == 0) continue;
      const char phase = static_cast<char>(i);
      facts_.phases[phase] = phases_[i];
      if (phase != 'M' && phase != 0) events += phases_[i];
    }
    if (dialect_.dialect == Dialect::kTf2 && (events == kEventCap || events == 5 * kEventCap))
      found_.capped_at = events;
  }

  const ReadOptions& options_;
  ReadPlan& plan_;
  FileFacts& facts_;
  Lanes lanes_;
  EventScanner scanner_;
  const TopLevel* top_ = &scanner_.top_level();  // what is known of it at the event that is taken
  Names names_;
  DialectChoice dialect_;
  std::unique_ptr<EventPlaces> places_;  // from the first event that has a place on
  bool names_late_ = false, kineto_category_ = false, must_sort_ = false;
  std::string last_category_;  // as written
  std::string scratch_;        // see TextOf
  std::array<uint64_t, 256> phases_ = {};
  std::optional<__int128> base_ps_, outlier_base_ps_;
  uint64_t timed_ = 0;
  size_t device_events_ = 0;
  std::unordered_map<std::string, uint32_t> pair_names_;
  KinetoOwners owners_;
  struct EarlyZero {
    Lane* lane;
    uint32_t op;
    uint8_t flags;
    uint64_t offset;
  };
  std::vector<EarlyZero> early_zeros_;
  EventFindings found_;
};

}  // namespace

Result<ReadOutcome> Read(const ReadOptions& options, trace::Sink* sink, ReadPlan* plan, FileFacts* facts,
                         Diagnostics* diagnostics) {
  *facts = FileFacts();
  return Reading(options, sink, plan, facts).Run(diagnostics);
}

}  // namespace tfprof::chrome
