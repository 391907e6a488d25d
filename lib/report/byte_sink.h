// Where writers put their bytes: a string, a file, a pipe. Writers append in pieces of some KiB and keep nothing of
// what they wrote, so that a table of a million rows passes through in bounded memory.
#pragma once

#include <string>
#include <string_view>

namespace tfprof::report {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void Append(std::string_view bytes) = 0;
  // Nobody wants more (a closed pipe, an interrupt): writers stop early.
  virtual bool Closed() const { return false; }
};

class StringSink : public ByteSink {
 public:
  explicit StringSink(std::string* out) : out_(out) {}
  void Append(std::string_view bytes) override { out_->append(bytes); }

 private:
  std::string* out_;
};

// Collects small pieces in `text` and passes them on in large ones; the rest at its end.
class BufferedSink {
 public:
  explicit BufferedSink(ByteSink* sink) : sink_(sink) {}
  ~BufferedSink() { Flush(); }
  BufferedSink(const BufferedSink&) = delete;
  BufferedSink& operator=(const BufferedSink&) = delete;

  std::string text;  // to append to

  // To be called now and then, such as after each row. False: stop.
  bool Pass() {
    if (text.size() < kBytes) return !stopped_;
    Flush();
    return !stopped_;
  }

 private:
  static constexpr size_t kBytes = 1 << 16;

  void Flush() {
    if (!stopped_ && !text.empty()) sink_->Append(text);
    text.clear();
    stopped_ = sink_->Closed();
  }

  ByteSink* sink_;
  bool stopped_ = false;
};

}  // namespace tfprof::report
