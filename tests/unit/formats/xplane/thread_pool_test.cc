// Lines that XProf sorts for their thread pool regions (reference: op_stats.md §2.1).
#include "formats/xplane/thread_pool.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

constexpr int64_t kStart = 1, kStop = 2, kOp = 3, kUnknown = 4, kConsumer = 5;

std::string Names() {
  return EventName(kStart, "ThreadpoolListener::StartRegion") + EventName(kStop, "ThreadpoolListener::StopRegion") +
         EventName(kOp, "a:A") + StatName(kConsumer, "_c");
}

bool HasRegion(const std::string& events, int64_t timestamp_ns = 1) {
  const std::string bytes = EncodePlane("/host:CPU", EncodeLine(1, "t", events, timestamp_ns) + Names());
  const Layout layout = ReadLayout(bytes);
  const EventScan::OnDone on_done;
  EventScan scan(layout, on_done, nullptr);
  return HasThreadPoolRegion(layout.planes.at(0), layout.planes[0].lines.at(0), &scan);
}

TEST_CASE("a region is a start with a consumer id and a stop after it in the file") {
  const std::string start = EncodeEvent(kStart, 5, 0, IntStat(kConsumer, 7)), stop = EncodeEvent(kStop, 9, 0);
  const std::string op = EncodeEvent(kOp, 6, 1), unknown = EncodeEvent(kUnknown, 6, 1);
  CHECK(HasRegion(start + stop));
  CHECK(HasRegion(op + start + op + unknown + stop + op));
  CHECK(HasRegion(stop + start + EncodeEvent(kStart, 7, 0) + stop));
  CHECK_FALSE(HasRegion(""));
  CHECK_FALSE(HasRegion(start + op));
  CHECK_FALSE(HasRegion(stop + start));
  CHECK_FALSE(HasRegion(EncodeEvent(kStart, 5, 0) + stop));
}

TEST_CASE("a region that starts at 0 is none") {
  const std::string region = EncodeEvent(kStart, 0, 0, IntStat(kConsumer, 7)) + EncodeEvent(kStop, 9, 0);
  CHECK_FALSE(HasRegion(region, 0));
  CHECK(HasRegion(region, 1));
}

TEST_CASE("a plane that lacks one of the names has no regions") {
  const auto names = [](const std::string& content) { return NamesThreadPoolRegions(ReadLayout(content).planes.at(0)); };
  CHECK(names(EncodePlane("p", Names())));
  CHECK_FALSE(names(EncodePlane("p", EventName(1, "ThreadpoolListener::StartRegion"))));
  CHECK_FALSE(names(EncodePlane("p", EventName(1, "ThreadpoolListener::StopRegion") + EventName(2, "a:A"))));
  CHECK_FALSE(names(EncodePlane("p", "")));
}

}  // namespace
}  // namespace tfprof::xplane
