#include "formats/chrome/scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/chrome/element.h"
#include "formats/chrome/value_skipper.h"

namespace tfprof::chrome {

class EventScanner::Impl {
 public:
  Impl() {
    for (std::string* carry : {&carry_, &old_carry_}) carry->reserve(kStitchBytes);  // swapping them must not move bytes
  }

  void Feed(std::string_view piece) {
    fed_ += piece.size();
    if (in_long_string_) SkipLongString(&piece);
    piece_ = piece;
    stitched_ = 0;
    if (in_carry_) carry_.erase(0, static_cast<size_t>(p_ - carry_.data()));
    if (in_carry_ && !carry_.empty()) {
      carried_ = carry_.size();
      carry_.reserve(carry_.size() + piece.size());  // so that it never moves under an event
      Show(carry_);
      Stitch();
    } else {
      in_carry_ = false;
      Show(piece_);
    }
  }

  void Finish() { finished_ = true; }

  Step Next(TraceEvent* event) {
    for (;;) {
      LeaveCarry();
      if (!finished_ && (in_long_string_ || static_cast<size_t>(end_ - p_) < wait_for_)) {
        if (Stitch()) continue;
        return NeedMore();
      }
      switch (Advance(event)) {
        case Found::kEvent:
          return Step::kEvent;
        case Found::kMoved:
          break;
        case Found::kStarved:
          if (Stitch()) break;
          return Starved();
      }
      if (state_ == State::kEnd) return Step::kEnd;
    }
  }

  TopLevel top_;
  ScanFindings findings_;

 private:
  enum class State { kDocument, kKey, kSkipValue, kAfterValue, kElement, kRecover, kEnd };
  static constexpr size_t kStitchBytes = 4096;  // more than most elements are long
  enum class Found { kEvent, kMoved, kStarved };

  Found Advance(TraceEvent* event) {
    const auto moved = [](bool done) { return done ? Found::kMoved : Found::kStarved; };
    switch (state_) {
      case State::kDocument:
        return moved(StartDocument());
      case State::kKey:
        return moved(TakeKey());
      case State::kSkipValue:
        return moved(SkipTopLevelValue());
      case State::kAfterValue:
        return moved(TakeAfterValue());
      case State::kElement:
        return TakeElement(event);
      case State::kRecover:
        return moved(Recover());
      case State::kEnd:
        break;
    }
    return Found::kMoved;
  }

  // Bytes of the piece that lie behind end_.
  size_t Unseen() const { return in_carry_ ? piece_.size() - stitched_ : 0; }
  // No more text follows end_.
  bool last() const { return finished_ && Unseen() == 0; }
  uint64_t OffsetOf(const char* p) const { return fed_ - Unseen() - static_cast<uint64_t>(end_ - p); }

  void Show(std::string_view text) {
    p_ = text.data();
    end_ = p_ + text.size();
    parser_.Reset();
  }

  // What was not taken goes to the carry; events may still point into what the carry was.
  Step NeedMore() {
    if (in_carry_ && carried_ == carry_.size()) return Step::kNeedMore;
    carry_.swap(old_carry_);
    carry_.assign(p_, static_cast<size_t>(end_ - p_));
    ReadCarry();
    return Step::kNeedMore;
  }

  void ReadCarry() {
    in_carry_ = true;
    carried_ = carry_.size();
    stitched_ = piece_.size();
    Show(carry_);
  }

  // Puts more of the piece behind the carried element. False: there is no more, or no such element.
  bool Stitch() {
    if (Unseen() == 0) return false;
    const auto taken = static_cast<size_t>(p_ - carry_.data());
    const std::string_view more = piece_.substr(stitched_, std::max(kStitchBytes, carry_.size()));
    carry_ += more;
    stitched_ += more.size();
    Show(carry_);
    p_ += taken;
    return true;
  }

  // Behind the carried bytes reading goes on in the piece itself.
  void LeaveCarry() {
    if (!in_carry_ || carried_ == carry_.size() || static_cast<size_t>(p_ - carry_.data()) < carried_) return;
    const size_t at = static_cast<size_t>(p_ - carry_.data()) - carried_;
    in_carry_ = false;
    Show(piece_);
    p_ += at;
  }

  // Nothing can be done with what is here: more is needed, or the text is over.
  Step Starved() {
    if (!finished_) return NeedMore();
    const bool inside_value = state_ == State::kSkipValue || state_ == State::kKey || state_ == State::kAfterValue;
    if (state_ == State::kRecover || (state_ == State::kElement && p_ < end_) || (inside_value && documents_ > 0)) {
      findings_.truncated = true;
      findings_.truncated_at = fed_;
    } else if (state_ == State::kElement) {
      findings_.unterminated_array = true;
    }
    state_ = State::kEnd;
    return Step::kEnd;
  }

  bool StartDocument() {
    if (documents_ == 0 && OffsetOf(p_) == 0) {
      if (end_ - p_ < 3 && !last()) return false;
      if (end_ - p_ >= 3 && std::memcmp(p_, "\xef\xbb\xbf", 3) == 0) p_ += 3;
    }
    p_ = SkipSpace(p_, end_);
    if (p_ == end_) {
      if (last()) state_ = State::kEnd;
      return last();
    }
    if (*p_ != '{' && *p_ != '[') {
      findings_.not_json = findings_.not_json || documents_ == 0;
      state_ = State::kEnd;
      return true;
    }
    ++documents_;
    array_form_ = *p_ == '[';
    ++p_;
    if (array_form_) {
      top_.array_form = top_.has_trace_events = true;
      state_ = State::kElement;
    } else {
      state_ = State::kKey;
    }
    return true;
  }

  // A key of the top-level object and what stands behind its colon.
  bool TakeKey() {
    const char* p = p_;
    while (p < end_ && (IsJsonSpace(*p) || *p == ',')) ++p;
    if (p == end_) return false;
    if (*p == '}') {
      p_ = p + 1;
      state_ = State::kDocument;
      return true;
    }
    bool escaped = false;
    const char* behind = *p == '"' ? parser_.SkipString(p, end_, &escaped) : p;
    if (*p != '"') {  // no JSON from here on
      findings_.not_json = findings_.not_json || !top_.has_trace_events;
      findings_.truncated = findings_.truncated || top_.has_trace_events;
      findings_.truncated_at = OffsetOf(p);
      state_ = State::kEnd;
      return true;
    }
    if (behind == nullptr) return false;
    const std::string_view key(p + 1, static_cast<size_t>(behind - p - 2));
    p = SkipSpace(behind, end_);
    if (p < end_ && *p == ':') p = SkipSpace(p + 1, end_);
    if (p == end_) return false;
    key_ = key.substr(0, 64);
    NoteKey(key_);
    p_ = p;
    if (key == "traceEvents" && *p == '[') {
      ++p_;
      top_.has_trace_events = true;
      state_ = State::kElement;
    } else {
      skipper_.Start();
      state_ = State::kSkipValue;
    }
    return true;
  }

  void NoteKey(std::string_view key) {
    top_.schema_version |= key == "schemaVersion";
    top_.device_properties |= key == "deviceProperties";
    top_.trace_name |= key == "traceName";
    top_.base_time |= key == "baseTimeNanoseconds";
    top_.distributed_info |= key == "distributedInfo";
  }

  bool SkipTopLevelValue() {
    if (!skipper_.Skip(&p_, end_)) return false;
    if (key_ == "distributedInfo") NoteRank(skipper_.head());
    if (key_ == "displayTimeUnit" && skipper_.head().size() > 2) {
      top_.display_time_unit = skipper_.head().substr(1, skipper_.head().size() - 2);
    }
    state_ = State::kAfterValue;
    return true;
  }

  void NoteRank(const std::string& text) {
    size_t at = text.find("\"rank\"");
    if (at == std::string::npos) return;
    at = text.find_first_not_of(" \t\r\n:", at + 6);
    std::string digits;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) digits += text[at];
    if (!digits.empty()) top_.rank = digits;
  }

  bool TakeAfterValue() {
    p_ = SkipSpace(p_, end_);
    if (p_ == end_) return false;
    state_ = State::kKey;
    return true;
  }

  Found TakeElement(TraceEvent* event) {
    while (p_ < end_ && (IsJsonSpace(*p_) || *p_ == ',')) ++p_;
    if (p_ == end_) return Found::kStarved;
    if (*p_ == ']') {
      ++p_;
      state_ = array_form_ ? State::kDocument : State::kAfterValue;
      return Found::kMoved;
    }
    event->Reset();
    const ElementParse parsed = parser_.Parse(p_, end_, event);
    switch (parsed.step) {
      case ParseStep::kWhole:
        event->offset = OffsetOf(p_);
        p_ = parsed.next;
        wait_for_ = 0;
        ++findings_.elements;
        return parsed.is_object ? Found::kEvent : Found::kMoved;
      case ParseStep::kIncomplete:
        if (last() && parsed.open_string == nullptr) return Found::kStarved;
        if (last()) break;  // a quote too many: what follows may be read yet
        // Parsing is begun anew when twice as much is here, so that a long element costs no more than twice its length.
        wait_for_ = 2 * static_cast<size_t>(end_ - p_);
        if (parsed.open_string != nullptr && Unseen() == 0) ShortenString(parsed.open_string);
        return Found::kStarved;
      case ParseStep::kBroken:
        break;
    }
    broken_at_ = OffsetOf(p_);
    wait_for_ = 0;
    ++p_;
    recovery_ = 0;
    state_ = State::kRecover;
    return Found::kMoved;
  }

  // Looks for `}`, perhaps a comma, `{`; reading goes on at that brace.
  bool Recover() {
    for (; p_ < end_; ++p_) {
      if (*p_ == '}') {
        recovery_ = 1;
      } else if (recovery_ > 0 && *p_ == '{') {
        if (findings_.broken_events++ == 0) findings_.first_broken = broken_at_;
        state_ = State::kElement;
        return true;
      } else if (recovery_ == 1 && *p_ == ',') {
        recovery_ = 2;
      } else if (!IsJsonSpace(*p_)) {
        recovery_ = 0;
      }
    }
    return false;
  }

  // The text ends in a string that is longer than any name may be: its middle goes, and so will what follows of it.
  void ShortenString(const char* open) {
    const auto length = static_cast<size_t>(end_ - open);
    if (length < 4 * kLongestText) return;
    std::string kept(p_, static_cast<size_t>(open - p_) + 1 + kLongestText);
    in_long_string_ = true;
    // Whether the text ends right behind an odd number of backslashes: the next byte is then escaped.
    size_t backslashes = 0;
    while (backslashes < length && end_[-1 - static_cast<ptrdiff_t>(backslashes)] == '\\') ++backslashes;
    long_string_escape_ = backslashes % 2 == 1;
    if (kept.back() == '\\') kept.back() = '?';  // no escape may reach over the gap
    old_carry_ = std::exchange(carry_, std::move(kept));
    ReadCarry();
    wait_for_ = 0;
  }

  // Drops the rest of such a string from the piece.
  void SkipLongString(std::string_view* piece) {
    size_t i = 0;
    for (; i < piece->size(); ++i) {
      if (long_string_escape_) {
        long_string_escape_ = false;
      } else if ((*piece)[i] == '\\') {
        long_string_escape_ = true;
      } else if ((*piece)[i] == '"') {
        in_long_string_ = false;
        break;
      }
    }
    piece->remove_prefix(i);
  }

  State state_ = State::kDocument;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  ElementParser parser_;    // of [p_, end_)
  std::string_view piece_;  // the latest
  std::string carry_;       // an unfinished element, and what was stitched to it from the piece; events may point into it
  std::string old_carry_;   // what it was before; likewise
  bool in_carry_ = false;   // p_ and end_ point into the carry, not the piece
  size_t carried_ = 0;      // bytes of the carry that are of earlier pieces
  size_t stitched_ = 0;     // bytes of the piece that are in the carry
  uint64_t fed_ = 0;        // bytes fed so far
  bool finished_ = false;
  size_t wait_for_ = 0;     // bytes that must be here before the element is parsed anew
  uint64_t documents_ = 0;
  bool array_form_ = false;
  std::string key_;
  ValueSkipper skipper_;
  uint64_t broken_at_ = 0;
  int recovery_ = 0;        // 1: behind `}`, 2: behind `},`
  bool in_long_string_ = false, long_string_escape_ = false;
};

EventScanner::EventScanner() : impl_(std::make_unique<Impl>()) {}
EventScanner::~EventScanner() = default;
void EventScanner::Feed(std::string_view piece) { impl_->Feed(piece); }
void EventScanner::Finish() { impl_->Finish(); }
EventScanner::Step EventScanner::Next(TraceEvent* event) { return impl_->Next(event); }
const TopLevel& EventScanner::top_level() const { return impl_->top_; }
const ScanFindings& EventScanner::findings() const { return impl_->findings_; }

}  // namespace tfprof::chrome
