// An Io in memory, and a way to call Run with it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "cli/io.h"
#include "cli/run.h"

namespace tfprof::cli {

class MemoryStream : public OutputStream {
 public:
  void Append(std::string_view bytes) override {
    if (error_ != 0) return;
    text += bytes;
    if (limit && text.size() >= *limit) error_ = error_at_limit;
  }
  int error() const override { return error_; }

  std::string text;
  std::optional<size_t> limit;  // bytes after which it fails
  int error_at_limit = 0;

 private:
  int error_ = 0;
};

struct MemoryRun {
  MemoryStream out, err;
  std::map<std::string, std::string> env;
  Io io;

  MemoryRun() {
    io.out = &out;
    io.err = &err;
    io.env = [this](const char* name) -> std::optional<std::string> {
      const auto at = env.find(name);
      if (at == env.end()) return std::nullopt;
      return at->second;
    };
    io.clock_s = [] { return 0.0; };
  }
  MemoryRun(const MemoryRun&) = delete;
  MemoryRun& operator=(const MemoryRun&) = delete;

  int Call(const Args& args) { return Run(args, io); }
};

}  // namespace tfprof::cli
