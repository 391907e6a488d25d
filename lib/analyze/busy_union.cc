#include "analyze/busy_union.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <system_error>
#include <thread>
#include <utility>

namespace tfprof::analyze {
namespace {

using Interval = IntervalList::Interval;

// Intervals of one list, or of two sources below, in order of their starts: a block at a time.
struct Source {
  static constexpr size_t kBlock = 256;

  Source(IntervalList::Reader reader, size_t words_of_list) : list(reader), words(words_of_list) {}
  Source(Source* a, Source* b) : left(a), right(b), words(a->words + b->words) {}

  bool HasMore() { return at < size || Fill(); }
  // Makes the block anew. False: there are no more.
  bool Fill() {
    at = size = 0;
    if (list) {
      size = list->Read(block, kBlock);
    } else {
      while (size < kBlock && MergeSome()) {
      }
    }
    return size > 0;
  }
  bool MergeSome() {
    const bool more_left = left->HasMore(), more_right = right->HasMore();
    if (!more_left || !more_right) {
      Source* rest = more_left ? left : right;
      const size_t n = std::min(kBlock - size, rest->size - rest->at);
      std::copy_n(rest->block + rest->at, n, block + size);
      rest->at += n;
      size += n;
      return n > 0;
    }
    // As many steps as surely find something on both sides. A branch is better than none: lanes take turns in patterns.
    const Interval* a = left->block + left->at;
    const Interval* b = right->block + right->at;
    const size_t steps = std::min({kBlock - size, left->size - left->at, right->size - right->at});
    for (Interval *to = block + size, *end = to + steps; to != end; ++to) *to = b->start_ps < a->start_ps ? *b++ : *a++;
    left->at = static_cast<size_t>(a - left->block);
    right->at = static_cast<size_t>(b - right->block);
    size += steps;
    return true;
  }

  Interval block[kBlock];
  size_t at = 0, size = 0;  // what is still to be taken of the block
  std::optional<IntervalList::Reader> list;
  Source* left = nullptr;
  Source* right = nullptr;
  size_t words;
};

// Calls visit(intervals, n) for all intervals of the lists in order of their starts, until it returns false.
// `reader_of(&list)` reads a list.
template <typename Lists, typename ReaderOf, typename Visit>
void MergeAll(Lists& lists, ReaderOf&& reader_of, Visit&& visit) {
  // The longest lists nearest to the root: their intervals pass the fewest merges.
  std::vector<std::unique_ptr<Source>> sources;
  const auto longer = [](const Source* a, const Source* b) { return a->words > b->words; };
  std::priority_queue<Source*, std::vector<Source*>, decltype(longer)> shortest(longer);
  const auto put = [&](std::unique_ptr<Source> source) {
    shortest.push(source.get());
    sources.push_back(std::move(source));
  };
  for (auto& list : lists) {
    if (!list.empty()) put(std::make_unique<Source>(reader_of(&list), list.words()));
  }
  if (shortest.empty()) return;
  const auto take = [&] {
    Source* source = shortest.top();
    shortest.pop();
    return source;
  };
  while (shortest.size() > 1) {
    Source* one = take();
    put(std::make_unique<Source>(one, take()));
  }
  for (Source* root = take(); root->Fill() && visit(root->block, root->size);) {
  }
}

IntervalList MergeToList(std::vector<IntervalList> lists) {
  if (lists.size() == 1) return std::move(lists.front());
  IntervalList merged;
  MergeAll(
      lists, [](IntervalList* list) { return IntervalList::Reader(list); },
      [&](const Interval* intervals, size_t n) {
        merged.Add(intervals, n);
        return true;
      });
  return merged;
}

// How much of [from, until) the lists cover.
uint64_t Covered(const std::vector<IntervalList>& lists, int64_t from_ps, int64_t until_ps) {
  uint64_t busy_ps = 0;
  int64_t covered_until_ps = from_ps;
  MergeAll(
      lists, [&](const IntervalList* list) { return IntervalList::Reader(list, from_ps); },
      [&](const Interval* intervals, size_t n) {
        for (size_t i = 0; i < n; ++i) {
          const int64_t start = std::max(std::min(intervals[i].start_ps, until_ps), covered_until_ps);
          covered_until_ps = std::max(std::min(intervals[i].end_ps, until_ps), covered_until_ps);
          busy_ps += static_cast<uint64_t>(covered_until_ps) - static_cast<uint64_t>(start);
        }
        return intervals[n - 1].start_ps < until_ps;
      });
  return busy_ps;
}

}  // namespace

void BusyUnion::Put(size_t level, IntervalList list) {
  if (levels_.size() <= level) levels_.resize(level + 1);
  std::vector<IntervalList>& lists = levels_[level];
  lists.push_back(std::move(list));
  if (lists.size() == kWays) Put(level + 1, MergeToList(std::exchange(lists, {})));
}

void BusyUnion::Add(IntervalList list) {
  if (!list.empty()) Put(0, std::move(list));
}

void BusyUnion::Merge(BusyUnion other) {
  for (size_t level = 0; level < other.levels_.size(); ++level) {
    for (IntervalList& list : other.levels_[level]) Put(level, std::move(list));
  }
}

std::vector<IntervalList> BusyUnion::TakeAll() {
  std::vector<IntervalList> all;
  for (std::vector<IntervalList>& lists : levels_) {
    for (IntervalList& list : lists) all.push_back(std::move(list));
    lists.clear();
  }
  return all;
}

void BusyUnion::Settle() {
  constexpr size_t kMuchLonger = 4;  // to merge costs more for each interval than to write the short lists anew
  if (levels_.empty()) return;
  std::vector<IntervalList> all = TakeAll();
  std::sort(all.begin(), all.end(),
            [](const IntervalList& a, const IntervalList& b) { return a.words() < b.words(); });
  std::vector<IntervalList> merged;
  size_t words = 0;
  for (IntervalList& list : all) {
    if (!merged.empty() && list.words() > kMuchLonger * words) {
      levels_.back().push_back(MergeToList(std::exchange(merged, {})));
    }
    words += list.words();
    merged.push_back(std::move(list));
  }
  if (!merged.empty()) levels_.back().push_back(MergeToList(std::move(merged)));
}

BusyTime BusyUnion::Measure(unsigned threads) && {
  const std::vector<IntervalList> lists = TakeAll();
  if (lists.empty()) return {};
  const auto longest = std::max_element(lists.begin(), lists.end(), [](const IntervalList& a, const IntervalList& b) {
    return a.words() < b.words();
  });
  // Every thread measures a piece of the time.
  std::vector<int64_t> bounds = longest->Divide(threads);
  int64_t first_ps = lists.front().first_ps(), last_ps = lists.front().last_ps();
  for (const IntervalList& list : lists) {
    first_ps = std::min(first_ps, list.first_ps());
    last_ps = std::max(last_ps, list.last_ps());
  }
  bounds.insert(bounds.begin(), first_ps);
  bounds.push_back(last_ps);
  std::vector<uint64_t> busy(bounds.size() - 1);
  const auto measure = [&](size_t piece) { busy[piece] = Covered(lists, bounds[piece], bounds[piece + 1]); };
  std::vector<std::thread> others;
  size_t started = 1;
  try {
    for (; started < busy.size(); ++started) others.emplace_back(measure, started);
  } catch (const std::system_error&) {
    // The machine has no more threads to give: this one does the rest.
  }
  measure(0);
  for (size_t piece = started; piece < busy.size(); ++piece) measure(piece);
  for (std::thread& thread : others) thread.join();
  return {static_cast<uint64_t>(last_ps) - static_cast<uint64_t>(first_ps),
          std::accumulate(busy.begin(), busy.end(), uint64_t{0})};
}

size_t BusyUnion::words() const {
  size_t words = 0;
  for (const std::vector<IntervalList>& lists : levels_) {
    for (const IntervalList& list : lists) words += list.words();
  }
  return words;
}

}  // namespace tfprof::analyze
