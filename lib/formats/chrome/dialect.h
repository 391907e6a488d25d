// Which writer's conventions a Chrome trace follows, and what names it gave to processes and threads.
//
// First match: a process `/… Compute` → TF1; Kineto's top-level keys or categories → Kineto; a process `/host:CPU` or
// `/device:…` → TF2 / JAX; else generic. Rules: reference chrome_trace.md (d) 3.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "formats/chrome/scanner.h"

namespace tfprof::chrome {

enum class Dialect : uint8_t { kTf1, kTf2, kKineto, kGeneric };

// "tf1-timeline", "tf2-trace", "kineto-trace", "chrome-trace"; also the words of --format-in.
std::string_view DialectName(Dialect dialect);
std::optional<Dialect> DialectOf(std::string_view name);

// Names given by M events. Keys are the texts of pid, and of pid and tid (ThreadKey).
struct Names {
  std::unordered_map<std::string, std::string> processes;
  std::unordered_map<std::string, std::string> threads;

  std::string_view Process(const std::string& pid) const;
  std::string_view Thread(const std::string& pid, const std::string& tid) const;
  bool operator==(const Names&) const = default;
};
std::string ThreadKey(std::string_view pid, std::string_view tid);
// A tid as the number that lanes have: whole numbers from -2^63 up to 2^64 - 1 as their 64 bits; of any other text a hash,
// so that lanes stay apart; 0: there is none.
int64_t LaneIdOf(std::string_view tid);

// Categories that only Kineto writes.
bool IsKinetoCategory(std::string_view category);

struct DialectChoice {
  Dialect dialect = Dialect::kGeneric;
  std::string reason;  // one sentence
};

DialectChoice ChooseDialect(const TopLevel& top, const Names& names, bool kineto_category);

}  // namespace tfprof::chrome
