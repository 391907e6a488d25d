#include "formats/chrome/event_index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "formats/chrome/decimal.h"
#include "formats/chrome/event_places.h"
#include "formats/chrome/pairing.h"
#include "formats/chrome/scanner.h"

namespace tfprof::chrome {
namespace {

constexpr size_t kPieceBytes = size_t{8} << 20;
constexpr __int128 kYearPs = static_cast<__int128>(365) * 86'400 * 1'000'000'000'000;
constexpr int64_t kStepBackPs = 1000;  // less is the noise of a double
constexpr uint64_t kTextId = uint64_t{1} << 63;
constexpr uint32_t kNoLane = UINT32_MAX;

// Scans the whole text and gives its events to `take`; what was odd about the text.
template <typename Take>
ScanFindings ScanAll(const WholeText& text, EventScanner* scanner, Take take) {
  TraceEvent event;
  for (size_t at = 0; !text.Cancelled();) {
    const std::string_view piece = text.bytes.substr(at, kPieceBytes);
    at += piece.size();
    if (piece.empty()) {
      scanner->Finish();
    } else {
      scanner->Feed(piece);
    }
    while (scanner->Next(&event) == EventScanner::Step::kEvent) {
      if (!event.empty) take(event);
    }
    if (piece.empty()) break;
    if (text.on_done) text.on_done(piece);
  }
  return scanner->findings();
}

bool IsTime(const JsonValue& value) { return value.is_number() || value.is_string(); }
bool IsSpanPhase(char phase) { return phase == 'X' || phase == 'B' || phase == 'E'; }
bool IsInstant(char phase) { return phase == 'i' || phase == 'I' || phase == 'R'; }
bool IsNumber(const JsonValue& value) {
  std::string decoded;
  const std::string_view text = TextOf(value, &decoded);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && !text.empty() && end == text.data() + text.size();
}
bool Fits(__int128 ps) { return ps >= INT64_MIN && ps <= INT64_MAX; }

class Surveying {
 public:
  void Take(const TraceEvent& event) {
    ++phases_[static_cast<uint8_t>(event.phase)];
    if (event.phase == 'M') return TakeMetadata(event);
    if (event.phase == 'X' && event.category.is_string() && event.category.raw() != last_category_) {
      last_category_ = event.category.raw();
      kineto_category_ = kineto_category_ || IsKinetoCategory(last_category_);
    }
    if (IsSpanPhase(event.phase) && IsTime(event.timestamp)) TakeTime(event);
  }

  TimelineSurvey Finish(const TopLevel& top, const ScanFindings& found, std::optional<Dialect> forced) && {
    TimelineSurvey survey;
    survey.rank = top.rank;
    survey.dialect = forced ? DialectChoice{*forced, "it was asked for (--format-in)"}
                            : ChooseDialect(top, names_, kineto_category_);
    survey.names = std::move(names_);
    survey.base_ps = BasePs();
    for (size_t i = 0; i < phases_.size(); ++i) {
      if (phases_[i] > 0) survey.phases[static_cast<char>(i)] = phases_[i];
    }
    survey.is_trace = IsTrace(top, survey.phases);
    survey.text = found;
    return survey;
  }

 private:
  void TakeMetadata(const TraceEvent& event) {
    const std::string what = Decode(event.name);
    if (!event.arg(ArgKey::kName).is_string()) return;
    const std::string pid = IdText(event.process);
    if (what == "process_name") names_.processes[pid] = Decode(event.arg(ArgKey::kName));
    if (what == "thread_name") names_.threads[ThreadKey(pid, IdText(event.thread))] = Decode(event.arg(ArgKey::kName));
  }

  // As the op table does (reader.cc): the first event's time, unless most events lie far from it.
  void TakeTime(const TraceEvent& event) {
    const Picoseconds at = ParseMicroseconds(event.timestamp.raw());
    if (at.error != DecimalError::kNone) {
      ++far_;
      return;
    }
    if (!first_ps_) {
      const bool says_nothing = event.phase == 'X' && at.ps == 0 && ParseMicroseconds(event.duration.raw()).ps == 0;
      if (says_nothing) return;
      first_ps_ = at.ps;
    }
    if (Fits(at.ps - *first_ps_)) {
      ++near_;
    } else {
      ++far_;
      if (!first_far_ps_) first_far_ps_ = at.ps;
    }
  }

  __int128 BasePs() const {
    if (far_ > near_ && first_far_ps_) return *first_far_ps_;
    return first_ps_.value_or(0);
  }

  Names names_;
  std::string last_category_;
  bool kineto_category_ = false;
  std::array<uint64_t, 256> phases_ = {};
  std::optional<__int128> first_ps_, first_far_ps_;
  uint64_t near_ = 0, far_ = 0;
};

class Indexing {
 public:
  Indexing(const WholeText& text, const TimelineSurvey& survey, const Placer& placer)
      : text_(text), survey_(survey), placer_(placer), dialect_(survey.dialect.dialect) {}

  EventIndex Run() && {
    EventScanner scanner;
    ScanAll(text_, &scanner, [this](const TraceEvent& event) { Take(event); });
    FinishPairs();
    // Groups of a few stray events don't stand against markers that are in none.
    index_.grouped = any_group_ && (index_.step_marks.empty() || marks_have_groups_);
    Sort();
    return std::move(index_);
  }

 private:
  struct Pair {
    PairEvent event;
    uint64_t offset;
  };

  void Take(const TraceEvent& event) {
    NotePhase(event, &index_.found);
    const bool memory =
        IsInstant(event.phase) && dialect_ == Dialect::kKineto && TextOf(event.name, &decoded_) == "[memory]";
    if (IsSpanPhase(event.phase) || IsInstant(event.phase)) TakeSpan(event, memory);
    if ((event.phase == 'N' || event.phase == 'O' || event.phase == 'D') && dialect_ == Dialect::kTf1)
      TakeObject(event);
  }

  void TakeObject(const TraceEvent& event) {
    IndexedEvent out;
    out.offset = event.offset;
    if (IsTime(event.timestamp) && Relative(ParseMicroseconds(event.timestamp.raw()), &out.start_ps)) {
      index_.objects.push_back(out);
    }
  }

  bool Relative(const Picoseconds& at, int64_t* relative) const {
    if (at.error != DecimalError::kNone || !Fits(at.ps - survey_.base_ps)) return false;
    *relative = static_cast<int64_t>(at.ps - survey_.base_ps);
    return true;
  }

  void TakeSpan(const TraceEvent& event, bool memory) {
    const uint32_t lane = LaneOf(event);
    if (lane == kNoLane) return;
    if (!event.timestamp.present()) return index_.found.missing_field.Add(event.offset);
    const Picoseconds at = ParseMicroseconds(event.timestamp.raw());
    if (!IsTime(event.timestamp) || at.error == DecimalError::kNotANumber)
      return index_.found.bad_number.Add(event.offset);
    if (event.phase == 'B' || event.phase == 'E') return TakePair(event, lane, at);
    IndexedEvent out{event.offset, 0, 0, lane, 0};
    if (IsInstant(event.phase)) out.flags = IndexedEvent::kInstant;
    if (memory) out.flags |= IndexedEvent::kMemory;
    Picoseconds duration;
    if (event.phase == 'X' && event.duration.present()) duration = ParseMicroseconds(event.duration.raw());
    if (event.phase == 'X' && !event.duration.present()) index_.found.missing_field.Add(event.offset);
    if (duration.error == DecimalError::kNotANumber) return index_.found.bad_number.Add(event.offset);
    if (dialect_ == Dialect::kTf2 && duration.ps == 1) duration.ps = 0;  // the exporter writes 1 ps for 0
    Place(event, at, duration, &out);
    NoteMeaning(event, &out);
    index_.events.push_back(out);
  }

  // When the event was; events without a time stay, marked as such.
  void Place(const TraceEvent& event, const Picoseconds& at, const Picoseconds& duration, IndexedEvent* out) {
    const bool no_time = at.ps == 0 && duration.ps == 0 && (survey_.base_ps > kYearPs || survey_.base_ps < -kYearPs);
    int64_t end_ps = 0;
    if (duration.ps < 0) {
      ++index_.found.unfinished;
    } else if (no_time) {
      index_.found.untimed.Add(event.offset);
    } else if (Relative(at, &out->start_ps) && duration.error == DecimalError::kNone && Fits(duration.ps) &&
               !__builtin_add_overflow(out->start_ps, static_cast<int64_t>(duration.ps), &end_ps)) {
      out->duration_ps = static_cast<int64_t>(duration.ps);
      return;
    } else {
      index_.found.outliers.Add(event.offset);
    }
    out->start_ps = 0;
    out->duration_ps = static_cast<int64_t>(std::clamp<__int128>(duration.ps, 0, INT64_MAX));
    out->flags |= IndexedEvent::kUntimed;
  }

  // Launches, ops and steps, as far as the fields tell that are at hand.
  void NoteMeaning(const TraceEvent& event, IndexedEvent* out) {
    const IndexedLane& lane = index_.lanes[out->lane];
    const bool in_group = dialect_ == Dialect::kTf2 && IsNumber(event.arg(ArgKey::kGroupId));
    any_group_ = any_group_ || in_group;
    if (dialect_ == Dialect::kTf2 && event.has(ArgKey::kStepNum) && !lane.on_device() && !lane.view()) {
      index_.step_marks.push_back(*out);
      marks_have_groups_ = marks_have_groups_ || in_group;
    }
    if (lane.on_device() || lane.placement.role != trace::Role::kHostOps || out->is(IndexedEvent::kUntimed)) return;
    const std::string_view category = TextOf(event.category, &decoded_);
    const uint64_t external = IdNumber(event.arg(ArgKey::kExternalId));
    bool launches = dialect_ == Dialect::kTf2;
    if (dialect_ == Dialect::kKineto) {
      launches = category.ends_with("runtime") || category.ends_with("driver") || category.ends_with("Runtime");
      if (category == "cpu_op") {
        out->flags |= IndexedEvent::kCpuOp;
        if (external != kNoId) index_.cpu_ops.emplace(external, event.offset);
      }
    }
    if (dialect_ == Dialect::kKineto && TextOf(event.name, &decoded_).starts_with("ProfilerStep#")) {
      index_.step_marks.push_back(*out);
    }
    const uint64_t number = launches ? IdNumber(event.arg(ArgKey::kCorrelation)) : kNoId;
    if (number == kNoId) return;
    if (dialect_ == Dialect::kKineto) {
      index_.launches[number] = {out->lane, out->start_ps, external};
    } else {
      index_.launches.try_emplace(number, IndexedLaunch{out->lane, out->start_ps, external});
    }
  }

  void TakePair(const TraceEvent& event, uint32_t lane, const Picoseconds& at) {
    PairEvent pair;
    if (!Relative(at, &pair.at_ps)) return index_.found.outliers.Add(event.offset);
    pair.end = event.phase == 'E';
    const std::string name = Decode(event.name);
    if (!name.empty()) {
      pair.name = pair_names_.try_emplace(name, static_cast<uint32_t>(pair_names_.size()) + 1).first->second;
    }
    pair.op = static_cast<uint32_t>(begins_.size());
    if (!pair.end) begins_.push_back(event.offset);
    pairs_[lane].push_back({pair, event.offset});
  }

  // Begins and ends to spans, by the rules of pairing.h.
  void FinishPairs() {
    for (auto& [lane, pairs] : pairs_) {
      const bool steps_back = std::adjacent_find(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
                                return b.event.at_ps < a.event.at_ps - kStepBackPs;
                              }) != pairs.end();
      if (steps_back) {
        std::stable_sort(pairs.begin(), pairs.end(),
                         [](const Pair& a, const Pair& b) { return a.event.at_ps < b.event.at_ps; });
      }
      Pairing pairing;
      std::vector<PairedSpan> spans;
      int64_t end_ps = INT64_MIN;
      for (const Pair& pair : pairs) {
        pairing.Add(pair.event, &spans);
        end_ps = std::max(end_ps, pair.event.at_ps);
      }
      std::vector<PairedSpan> whole;  // of complete events too: an open begin ends with what is around it
      for (const IndexedEvent& event : index_.events) {
        if (pairing.open().empty()) break;
        if (event.lane != lane || event.flags != 0) continue;
        whole.push_back({event.start_ps, event.start_ps + event.duration_ps, 0});
        end_ps = std::max(end_ps, whole.back().end_ps);
      }
      whole.insert(whole.end(), spans.begin(), spans.end());
      const size_t closed = whole.size();
      CloseOpen(pairing.open(), end_ps, &whole);
      spans.insert(spans.end(), whole.begin() + static_cast<ptrdiff_t>(closed), whole.end());
      for (const PairedSpan& span : spans) {
        index_.events.push_back({begins_[span.op], span.start_ps, span.end_ps - span.start_ps, lane, 0});
      }
      index_.found.unfinished += pairing.unfinished() + pairing.open().size();
      index_.found.stray_ends += pairing.stray_ends();
    }
  }

  uint32_t LaneOf(const TraceEvent& event) {
    key_.clear();
    for (const JsonValue* part : {&event.process, &event.thread}) key_.append(IdText(*part)) += '\0';
    if (placer_.by_category()) key_.append(event.category.raw()) += '\0';
    if (dialect_ == Dialect::kKineto) key_.append(event.arg(ArgKey::kDevice).raw());
    const auto [at, is_new] = lane_of_.try_emplace(key_, kNoLane);
    if (is_new) at->second = NewLane(event);
    return at->second;
  }

  uint32_t NewLane(const TraceEvent& event) {
    IndexedLane lane;
    lane.pid = IdText(event.process);
    lane.tid = IdText(event.thread);
    lane.placement = placer_.Place(lane.pid, lane.tid, Decode(event.category), Decode(event.arg(ArgKey::kDevice)));
    if (!lane.placement.placed) return kNoLane;
    // One lane for each side, role and device of a thread.
    std::string key = ThreadKey(lane.pid, lane.tid);
    key += static_cast<char>('0' + static_cast<int>(lane.placement.side) * 8 + static_cast<int>(lane.placement.role));
    key += lane.placement.device;
    const auto [at, is_new] = lanes_by_key_.try_emplace(key, static_cast<uint32_t>(index_.lanes.size()));
    if (!is_new) return at->second;
    lane.name = survey_.names.Thread(lane.pid, lane.tid);
    const std::string plane = lane.on_device() ? "D" + lane.placement.device : "H" + lane.pid;
    lane.plane = planes_.try_emplace(plane, static_cast<uint32_t>(planes_.size())).first->second;
    index_.planes = static_cast<uint32_t>(planes_.size());
    index_.lanes.push_back(std::move(lane));
    return at->second;
  }

  void Sort() {
    std::vector<IndexedEvent>& events = index_.events;
    std::stable_sort(events.begin(), events.end(), [](const IndexedEvent& a, const IndexedEvent& b) {
      if (a.lane != b.lane) return a.lane < b.lane;
      return a.start_ps != b.start_ps ? a.start_ps < b.start_ps : a.duration_ps > b.duration_ps;
    });
    int64_t first_ps = INT64_MAX;
    for (const IndexedEvent& event : events) {
      const trace::Role role = index_.lanes[event.lane].placement.role;
      if (role == trace::Role::kView || role == trace::Role::kOther || event.is(IndexedEvent::kUntimed)) continue;
      if (!event.is(IndexedEvent::kInstant) || dialect_ == Dialect::kTf2) first_ps = std::min(first_ps, event.start_ps);
    }
    index_.base_ps = survey_.base_ps;
    if (first_ps != INT64_MAX) {
      ShiftBy(first_ps);
      index_.base_ps += first_ps;
    }
    for (size_t i = 0; i < events.size(); ++i) {
      IndexedLane& lane = index_.lanes[events[i].lane];
      if (lane.end == 0) lane.begin = i;
      lane.end = i + 1;
    }
  }

  void ShiftBy(int64_t first_ps) {
    for (std::vector<IndexedEvent>* events : {&index_.events, &index_.objects, &index_.step_marks}) {
      for (IndexedEvent& event : *events) {
        if (event.is(IndexedEvent::kUntimed) || !__builtin_sub_overflow(event.start_ps, first_ps, &event.start_ps))
          continue;
        event.start_ps = 0;
        event.flags |= IndexedEvent::kUntimed;
      }
    }
    for (auto& [number, launch] : index_.launches) {
      if (__builtin_sub_overflow(launch.start_ps, first_ps, &launch.start_ps)) launch.start_ps = INT64_MAX;
    }
  }

  const WholeText& text_;
  const TimelineSurvey& survey_;
  const Placer& placer_;
  const Dialect dialect_;
  EventIndex index_;
  bool any_group_ = false, marks_have_groups_ = false;
  std::string key_, decoded_;
  std::unordered_map<std::string, uint32_t> lane_of_, lanes_by_key_, planes_, pair_names_;
  std::map<uint32_t, std::vector<Pair>> pairs_;
  std::vector<uint64_t> begins_;
};

}  // namespace

uint64_t IdNumber(const JsonValue& value) {
  if (!value.is_number() && !value.is_string()) return kNoId;
  uint64_t id = 0;
  std::string decoded;
  const std::string_view text = TextOf(value, &decoded);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error == std::errc() && end == text.data() + text.size() && id < kTextId) return id;
  return (std::hash<std::string_view>{}(text) | kTextId) & ~uint64_t{1};
}

TimelineSurvey SurveyTimeline(const WholeText& text, std::optional<Dialect> forced) {
  Surveying surveying;
  EventScanner scanner;
  const ScanFindings found = ScanAll(text, &scanner, [&](const TraceEvent& event) { surveying.Take(event); });
  return std::move(surveying).Finish(scanner.top_level(), found, forced);
}

EventIndex IndexEvents(const WholeText& text, const TimelineSurvey& survey, const Placer& placer) {
  return Indexing(text, survey, placer).Run();
}

}  // namespace tfprof::chrome
