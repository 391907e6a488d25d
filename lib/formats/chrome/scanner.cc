#include "formats/chrome/scanner.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/chrome/element.h"
#include "formats/chrome/value_skipper.h"

namespace tfprof::chrome {

class EventScanner::Impl {
 public:
  Impl() {
    for (std::string* carry : {&carry_, &old_carry_})
      carry->reserve(kStitchBytes);  // swapping them must not move bytes
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
  enum class State { kDocument, kKey, kSkipKey, kColon, kSkipValue, kAfterValue, kElement, kRecover, kEnd };
  static constexpr size_t kStitchBytes = 4096;                 // more than most elements are long
  static constexpr size_t kLongestElement = size_t{16} << 20;  // its long strings shortened; longer ones are broken
  static constexpr uint64_t kParsedAgain = 1 << 16;            // bytes that may be, beside those of the text so far
  static constexpr size_t kLongestKey = 64;                    // of those that are known, and then some
  enum class Found { kEvent, kMoved, kStarved };

  Found Advance(TraceEvent* event) {
    const auto moved = [](bool done) { return done ? Found::kMoved : Found::kStarved; };
    switch (state_) {
      case State::kDocument:
        return moved(StartDocument());
      case State::kKey:
        return moved(TakeKey());
      case State::kSkipKey:
        return moved(SkipLongKey());
      case State::kColon:
        return moved(TakeColon());
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
  uint64_t OffsetOf(const char* p) const {
    uint64_t offset = fed_ - Unseen() - static_cast<uint64_t>(end_ - p);
    for (size_t i = gaps_.size(); i-- > 0 && offset < gaps_[i].end;) offset -= gaps_[i].bytes;
    return offset;
  }

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
    gaps_.clear();
    Show(piece_);
    p_ += at;
  }

  // Nothing can be done with what is here: more is needed, or the text is over.
  Step Starved() {
    if (!finished_) return NeedMore();
    const bool inside_value = state_ == State::kSkipKey || state_ == State::kColon || state_ == State::kSkipValue ||
                              state_ == State::kKey || state_ == State::kAfterValue;
    if (state_ == State::kRecover && !inside_element_ && EndsLikeArray()) {
      CountBroken();
    } else if (state_ == State::kRecover || (inside_value && documents_ > 0)) {
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
    if (behind_array_ && p_ < end_ && (*p_ == ',' || *p_ == ']')) {
      const char* p = p_;
      while (p < end_ && (IsJsonSpace(*p) || *p == ',')) ++p;
      if (p == end_ && !last()) return false;
      if (p < end_ && TakeStrayClosing(p)) return true;
    }
    if (p_ == end_) {
      if (last()) state_ = State::kEnd;
      return last();
    }
    if (*p_ != '{' && *p_ != '[') {
      findings_.not_json = findings_.not_json || documents_ == 0;
      findings_.trailing = documents_ > 0;
      findings_.trailing_at = OffsetOf(p_);
      state_ = State::kEnd;
      return true;
    }
    ++documents_;
    behind_array_ = false;
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
    if (behind_array_ && TakeStrayClosing(p)) return true;
    behind_array_ = false;
    if (*p == '}') {
      p_ = p + 1;
      state_ = State::kDocument;
      return true;
    }
    JsonValue key{p + 1, 0, JsonValue::Kind::kString};
    const char* behind = *p == '"' ? parser_.SkipString(p, end_, &key.escaped) : p;
    if (*p != '"') {  // no JSON from here on
      findings_.not_json = findings_.not_json || !top_.has_trace_events;
      findings_.truncated = findings_.truncated || top_.has_trace_events;
      findings_.truncated_at = OffsetOf(p);
      state_ = State::kEnd;
      return true;
    }
    if (behind == nullptr &&
        static_cast<size_t>(end_ - p) > kLongestKey * 6 + 2) {  // none that is known, even in escapes
      p_ = p;
      key_.clear();
      skipper_.Start();
      state_ = State::kSkipKey;
      return true;
    }
    if (behind == nullptr) return AwaitTwice();
    key.size = static_cast<uint32_t>(std::min(static_cast<size_t>(behind - p - 2), kLongestKey * 6));
    p = SkipSpace(behind, end_);
    if (p < end_ && *p == ':') p = SkipSpace(p + 1, end_);
    if (p == end_) return AwaitTwice();
    key_ = Decode(key).substr(0, kLongestKey);
    p_ = p;
    wait_for_ = 0;
    if (key_ == "traceEvents" && *p == '[') {
      ++p_;
      top_.has_trace_events = true;
      state_ = State::kElement;
    } else {
      skipper_.Start();
      state_ = State::kSkipValue;
    }
    return true;
  }

  bool SkipLongKey() {
    if (!skipper_.Skip(&p_, end_)) return false;
    state_ = State::kColon;
    return true;
  }

  bool TakeColon() {
    p_ = SkipSpace(p_, end_);
    if (p_ == end_) return false;
    if (*p_ == ':') ++p_;
    skipper_.Start();
    state_ = State::kSkipValue;
    return true;
  }

  bool SkipTopLevelValue() {
    if (!skipper_.Skip(&p_, end_)) return false;
    NoteMember(key_, skipper_.head(), &top_);
    state_ = State::kAfterValue;
    return true;
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
      closed_at_ = OffsetOf(p_);
      behind_array_ = true;
      ++p_;
      state_ = array_form_ ? State::kDocument : State::kAfterValue;
      return Found::kMoved;
    }
    event->Reset();
    const ElementParse parsed = parser_.Parse(p_, end_, event);
    const bool whole = parsed.step == ParseStep::kWhole;
    const auto length = static_cast<size_t>((whole ? parsed.next : end_) - p_);
    if (whole && length <= kLongestElement) return TakeWhole(parsed, length, event);
    if (parsed.step == ParseStep::kBroken) return BeginRecovery(parsed.next);
    if (length > kLongestElement) return BeginRecovery(p_ + kLongestElement);
    if (last()) {  // a quote or bracket too many: what follows may be read yet
      const Found found = BeginRecovery(end_);
      inside_element_ = true;
      return found;
    }
    findings_.parsed_in_vain += length;
    AwaitTwice();
    wait_for_ = std::min(wait_for_, kLongestElement + 1);
    if (parsed.open_string != nullptr && Unseen() == 0) ShortenString(parsed.open_string);
    return Found::kStarved;
  }

  // Parsing is begun anew when twice as much is here, so that what is long costs no more than twice its length.
  bool AwaitTwice() {
    wait_for_ = 2 * static_cast<size_t>(end_ - p_);
    return false;
  }

  Found TakeWhole(const ElementParse& parsed, size_t length, TraceEvent* event) {
    event->offset = OffsetOf(p_);
    p_ = parsed.next;
    wait_for_ = 0;
    if (recovering_) {
      if (event->phase == 0) {  // a part of the broken element
        recovery_ = 1;
        state_ = State::kRecover;
        return Found::kMoved;
      }
      CountBroken();
    }
    ++findings_.elements;
    if (parsed.is_object) return Found::kEvent;
    const bool tells_nothing = length == 4 && std::memcmp(parsed.next - length, "null", length) == 0;
    if (!tells_nothing && findings_.no_events++ == 0) findings_.first_no_event = event->offset;
    return Found::kMoved;
  }

  // Behind the array of events: a `]` too many, or the array's elements going on behind a `]` that was one.
  bool TakeStrayClosing(const char* p) {
    if (*p != ']' && *p != '{') return false;
    CountBrokenAt(*p == ']' ? OffsetOf(p) : closed_at_);
    p_ = p;
    if (*p == ']') {
      ++p_;
    } else {
      state_ = State::kElement;
    }
    return true;
  }

  // The element at p_ is broken; parsing came up to `reached`. Whole events may stand inside it: a quote that is
  // missing makes text of the next one's beginning. To look there is to parse again, for which there is an allowance.
  Found BeginRecovery(const char* reached) {
    const uint64_t at = OffsetOf(p_), reached_at = OffsetOf(reached);
    findings_.parsed_in_vain += static_cast<uint64_t>(reached - p_);
    if (recovering_ && behind_end_ && at >= parsed_to_) CountBroken();  // the one before, without anything between
    if (!std::exchange(recovering_, true)) broken_at_ = at;
    if (at < parsed_to_) parsed_again_ += std::min(parsed_to_, reached_at) - at;
    parsed_to_ = std::max(parsed_to_, reached_at);
    wait_for_ = 0;
    recovery_ = *p_ == '}' ? 1 : 0;
    p_ = parsed_again_ < kParsedAgain + parsed_to_ ? p_ + 1 : std::max(p_ + 1, reached);
    state_ = State::kRecover;
    return Found::kMoved;
  }

  void CountBroken() {
    recovering_ = inside_element_ = false;
    CountBrokenAt(broken_at_);
  }

  void CountBrokenAt(uint64_t offset) {
    if (findings_.broken_events++ == 0) findings_.first_broken = offset;
  }

  // Looks for the next `{`, where an element may begin; `}` and perhaps a comma before it say that the broken one
  // ended.
  bool Recover() {
    for (; p_ < end_; ++p_) {
      if (IsJsonSpace(*p_)) continue;
      tail_[0] = std::exchange(tail_[1], *p_);
      if (*p_ == '}') {
        recovery_ = 1;
      } else if (*p_ == '{') {
        behind_end_ = recovery_ > 0;
        state_ = State::kElement;
        return true;
      } else if (recovery_ == 1 && *p_ == ',') {
        recovery_ = 2;
      } else {
        recovery_ = 0;
      }
    }
    return false;
  }

  // Whether what was passed over last closes the array of events, and the text with it.
  bool EndsLikeArray() const { return array_form_ ? tail_[1] == ']' : tail_[0] == ']' && tail_[1] == '}'; }

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
    gaps_.push_back({fed_, length - 1 - kLongestText});
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
    gaps_.back().end += i;
    gaps_.back().bytes += i;
  }

  State state_ = State::kDocument;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  ElementParser parser_;    // of [p_, end_)
  std::string_view piece_;  // the latest
  std::string carry_;  // an unfinished element, and what was stitched to it from the piece; events may point into it
  std::string old_carry_;  // what it was before; likewise
  bool in_carry_ = false;  // p_ and end_ point into the carry, not the piece
  size_t carried_ = 0;     // bytes of the carry that are of earlier pieces
  size_t stitched_ = 0;    // bytes of the piece that are in the carry
  uint64_t fed_ = 0;       // bytes fed so far
  bool finished_ = false;
  size_t wait_for_ = 0;  // bytes that must be here before the element is parsed anew
  uint64_t documents_ = 0;
  bool array_form_ = false;
  std::string key_;
  ValueSkipper skipper_;
  struct Gap {
    uint64_t end;  // offset of the byte behind it
    uint64_t bytes;
  };
  std::vector<Gap> gaps_;        // what the carry lacks of its text
  bool behind_array_ = false;    // of events: its `]` was the last that stood at the top level
  uint64_t closed_at_ = 0;       // where that was
  bool recovering_ = false;      // an element was broken, and no event found since
  bool inside_element_ = false;  // and that was because the text ends inside it
  uint64_t broken_at_ = 0;
  uint64_t parsed_to_ = 0, parsed_again_ = 0;  // of broken elements: up to where, and how many bytes more than once
  int recovery_ = 0;                           // 1: behind `}`, 2: behind `},`
  bool behind_end_ = false;                    // the element at p_ stands behind such
  char tail_[2] = {};                          // passed over last, blanks left out
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
