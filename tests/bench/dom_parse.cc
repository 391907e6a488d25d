// A yardstick for scale: the whole timeline as a tree of nlohmann/json, and one walk over its events.
//
//   dom_parse FILE
//
// Prints one line of key=value pairs; durations are summed in microseconds.

#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: dom_parse FILE\n");
    return 2;
  }
  const auto started = std::chrono::steady_clock::now();
  std::ifstream in(argv[1], std::ios::binary);
  const nlohmann::json document = nlohmann::json::parse(in, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    std::fprintf(stderr, "%s: no JSON, or not to be read\n", argv[1]);
    return 3;
  }
  const nlohmann::json& events = document.is_array() ? document : document.at("traceEvents");
  double duration_us = 0;
  for (const nlohmann::json& event : events) {
    if (const auto duration = event.find("dur"); duration != event.end()) duration_us += duration->get<double>();
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - started;
  std::printf("events=%zu seconds=%.6f dur_us=%.3f\n", events.size(), seconds.count(), duration_us);
  return 0;
}
