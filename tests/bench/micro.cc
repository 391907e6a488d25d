// Microbenchmarks of what every event passes through: varints, the event cursor, stats, the nesting stack, busy
// intervals.
//
// Items per second are events (or varints). Data are made from a fixed seed, in the shapes of real files: lengths of
// numbers as TensorFlow writes them, ids of one and two bytes mixed, a few stats on some of the events.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analyze/intervals.h"
#include "analyze/self_time.h"
#include "formats/xplane/event.h"
#include "formats/xplane/stat.h"
#include "wire/fast_varint.h"
#include "wire/reader.h"

namespace tfprof {
namespace {

constexpr size_t kEvents = 1 << 16;

void PutVarint(uint64_t value, std::string* out) {
  for (; value > 127; value >>= 7) out->push_back(static_cast<char>(value | 128));
  out->push_back(static_cast<char>(value));
}

void PutNumber(int field, uint64_t value, std::string* out) {
  PutVarint(static_cast<uint64_t>(field) << 3, out);
  PutVarint(value, out);
}

void PutMessage(int field, const std::string& content, std::string* out) {
  PutVarint(static_cast<uint64_t>(field) << 3 | 2, out);
  PutVarint(content.size(), out);
  out->append(content);
}

// Calls nested three deep, as executor threads show them.
struct Span {
  int64_t start_ps, duration_ps;
};
std::vector<Span> MakeSpans() {
  std::mt19937_64 random(1);
  std::vector<Span> spans;
  for (int64_t at = 0; spans.size() < kEvents; at += 20'000'000) {
    const auto jitter = [&] { return static_cast<int64_t>(random() % 1'000'000); };
    spans.push_back({at, 16'000'000 + jitter()});
    spans.push_back({at + 1'000'000, 5'000'000 + jitter()});
    if (random() % 2 == 0) spans.push_back({at + 2'000'000, 1'000'000 + jitter()});
    spans.push_back({at + 8'000'000, 4'000'000 + jitter()});
  }
  return spans;
}

// A line whose events carry `stats` stats each, the last one a reference with id 3.
std::string MakeLine(int stats) {
  std::mt19937_64 random(2);
  std::string line;
  for (const Span& span : MakeSpans()) {
    std::string event;
    PutNumber(1, 1 + random() % 400, &event);
    PutNumber(2, static_cast<uint64_t>(span.start_ps), &event);
    PutNumber(3, static_cast<uint64_t>(span.duration_ps), &event);
    for (int n = stats; n > 0; --n) {
      std::string stat;
      PutNumber(1, n == 1 ? 3 : static_cast<uint64_t>(n + 3), &stat);
      PutNumber(n == 1 ? 7 : 4, random() % (n == 1 ? 500 : 5'000'000), &stat);
      PutMessage(4, stat, &event);
    }
    PutMessage(4, event, &line);
  }
  return line;
}

void CountItems(benchmark::State& state, size_t items, size_t bytes) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * items));
  if (bytes != 0) state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * bytes));
}

// Varints of mixed lengths (argument: at most so many bytes).
std::string MakeVarints(int max_bytes) {
  std::mt19937_64 random(3);
  std::string text;
  for (size_t n = 0; n < kEvents; ++n) PutVarint(random() >> (64 - 7 * (1 + random() % max_bytes)), &text);
  return text.append(wire::kSlopBytes, '\0');
}

void VarintLoop(benchmark::State& state) {
  const std::string text = MakeVarints(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const uint8_t* p = wire::Begin(text);
    uint64_t sum = 0;
    for (size_t n = 0; n < kEvents; ++n) {
      uint64_t value = 0;
      p = wire::ReadVarintUnchecked(p, &value);
      sum += value;
    }
    benchmark::DoNotOptimize(sum);
  }
  CountItems(state, kEvents, text.size());
}
BENCHMARK(VarintLoop)->Arg(1)->Arg(2)->Arg(7);

void VarintPext(benchmark::State& state) {
  if (!wire::HasFastPext()) return state.SkipWithError("this CPU has no fast PEXT");
  const std::string text = MakeVarints(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const uint8_t* p = wire::Begin(text);
    uint64_t sum = 0;
    for (size_t n = 0; n < kEvents; ++n) {
      const wire::FastVarint varint = wire::ReadFastVarint<true>(p);
      p = varint.next;
      sum += varint.value;
    }
    benchmark::DoNotOptimize(sum);
  }
  CountItems(state, kEvents, text.size());
}
BENCHMARK(VarintPext)->Arg(1)->Arg(2)->Arg(7);

// Argument: stats for each event, of which one is wanted.
void Events(benchmark::State& state) {
  const std::string line = MakeLine(static_cast<int>(state.range(0)));
  xplane::StatFilter filter;
  filter.Want(3);
  xplane::EventBlock block;
  size_t count = 0;
  for (auto _ : state) {
    count = 0;
    int64_t sum = 0;
    xplane::EventCursor cursor(line, &filter);
    while (cursor.Read(&block)) {
      for (size_t i = 0; i < block.size; ++i) sum += block.offset_ps[i] + block.duration_ps[i] + block.metadata_id[i];
      count += block.size;
    }
    benchmark::DoNotOptimize(sum);
  }
  CountItems(state, count, line.size());
}
BENCHMARK(Events)->Arg(0)->Arg(1)->Arg(3)->Arg(8);

void EventsAndWantedStat(benchmark::State& state) {
  const std::string line = MakeLine(static_cast<int>(state.range(0)));
  xplane::StatFilter filter;
  filter.Want(3);
  xplane::EventBlock block;
  size_t count = 0;
  for (auto _ : state) {
    count = 0;
    uint64_t sum = 0;
    xplane::EventCursor cursor(line, &filter);
    while (cursor.Read(&block)) {
      for (size_t i = 0; i < block.size; ++i) {
        xplane::StatCursor stats(block.stats[i], xplane::kEventStats, &filter);
        for (xplane::Stat stat; stats.Next(&stat);) sum += stat.bits;
      }
      count += block.size;
    }
    benchmark::DoNotOptimize(sum);
  }
  CountItems(state, count, line.size());
}
BENCHMARK(EventsAndWantedStat)->Arg(1)->Arg(3)->Arg(8);

void NestingStack(benchmark::State& state) {
  const std::vector<Span> spans = MakeSpans();
  std::vector<uint64_t> self_ps(512);
  for (auto _ : state) {
    analyze::SelfTimeStack stack;
    const auto credit = [&](uint32_t op, uint64_t ps) { self_ps[op] += ps; };
    analyze::SelfTimeStack::Pusher pusher(&stack);
    for (size_t n = 0; n < spans.size(); ++n) {
      pusher.Push(spans[n].start_ps, spans[n].start_ps + spans[n].duration_ps, static_cast<uint32_t>(n % 400), credit);
    }
    benchmark::DoNotOptimize(self_ps.data());
  }
  CountItems(state, spans.size(), 0);
}
BENCHMARK(NestingStack);

void BusyIntervals(benchmark::State& state) {
  const std::vector<Span> spans = MakeSpans();
  for (auto _ : state) {
    analyze::IntervalList busy;
    for (const Span& span : spans) busy.Add(span.start_ps, span.start_ps + span.duration_ps);
    benchmark::DoNotOptimize(busy.busy_ps());
  }
  CountItems(state, spans.size(), 0);
}
BENCHMARK(BusyIntervals);

}  // namespace
}  // namespace tfprof
