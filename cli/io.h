// Everything that a run of the program touches outside its inputs: streams, environment, terminal, clock, signals.
//
// `main` makes one of the process (process_io.h); tests make one in memory. Nothing else in the program looks at these.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "report/byte_sink.h"

namespace tfprof::cli {

// A stream that can fail: after that it takes and drops everything.
class OutputStream : public report::ByteSink {
 public:
  // errno of the write that failed, 0 if none did. EPIPE: the reader has gone, which is its good right.
  virtual int error() const = 0;
  bool Closed() const override { return error() != 0; }
};

struct Io {
  OutputStream* out = nullptr;  // the answer, and nothing else
  OutputStream* err = nullptr;  // everything else
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::optional<size_t> terminal_width;  // columns
  std::function<std::optional<std::string>(const char* name)> env;
  std::function<double()> clock_s;  // monotonic
  bool handles_signals = false;     // SIGINT and SIGTERM end the process in order while inputs are read
};

}  // namespace tfprof::cli
