// On which lane an event stands, and which op it is: the four dialects side by side.
//
// Rules: reference chrome_trace.md, table by table: TF1's duplicate streams are dropped per device, derived lines of
// TF2 and Kineto's ranges and waits are views of other work (design §3 rule 5).
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

#include "formats/chrome/dialect.h"
#include "formats/chrome/event.h"
#include "trace/lane.h"
#include "trace/op_dictionary.h"

namespace tfprof::chrome {

struct Placement {
  bool placed = false;  // false: the event is on no lane (Tensors, counters' processes)
  trace::Side side = trace::Side::kHost;
  trace::Role role = trace::Role::kHostOps;
  std::string plane;       // process or device, as shown
  std::string device;      // device side: what shares span, busy and idle
  std::string idle_group;  // host side: lanes that are one thread for idle time; "": the lane itself
};

class Placer {
 public:
  Placer(Dialect dialect, const Names& names);

  // `pid`, `tid`, `category` and `device` (args.device) are decoded texts.
  Placement Place(const std::string& pid, const std::string& tid, std::string_view category,
                  const std::string& device) const;

  // The op of an event on such a lane. False: it is none (transparent for nesting).
  bool OpOf(const TraceEvent& event, const Placement& placement, trace::Op* op) const;

  // The arguments that OpOf looks at on such a lane, beside the name and (by_category) the category.
  ArgSet DecidingArgs(const Placement& placement) const;

  // Whether events of one pid and tid can stand on different lanes, by category and device.
  bool by_category() const { return dialect_ == Dialect::kKineto || dialect_ == Dialect::kGeneric; }

 private:
  Placement PlaceByDialect(const std::string& pid, const std::string& tid, std::string_view category,
                           const std::string& device) const;
  Placement PlaceTf1(const std::string& pid) const;
  Placement PlaceTf2(const std::string& pid, const std::string& tid) const;
  Placement PlaceKineto(const std::string& pid, std::string_view category, const std::string& device) const;
  Placement PlaceGeneric(const std::string& pid, std::string_view category) const;

  Dialect dialect_;
  const Names& names_;
  std::unordered_set<std::string> tf1_all_streams_, tf1_copies_;  // devices with a `stream:all` / `memcpy` process
  std::unordered_set<std::string> tf2_gpu_processes_;             // pids with a thread called `Stream …`
};

}  // namespace tfprof::chrome
