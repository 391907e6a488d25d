// tf.data pipelines: a reducer over the iterator events of XSpaces.
//
// An iterator event (`Iterator::Root::Prefetch`) is a call of one iterator; the calls within it, on its thread, are its
// children. What a background thread made (`PrefetchProduce`) is a child of the call that took it (`PrefetchConsume`), by
// the id of the iterator and of the element. Only the events of tf.data of the file that is open are held (48 bytes each);
// at its end they become pipelines. Strict: other events are transparent, children that ran at the same time on several
// threads are taken off their parent once, ids may be of any integer type; compat: as TensorFlow's own analysis, where any
// event between two calls parts them and self times may be negative. Reference: other_tools.md §2, §7.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/ops_result.h"
#include "analyze/tf_data_result.h"
#include "trace/event_stream.h"

namespace tfprof::analyze {

// One event of tf.data.
struct TfDataEvent {
  static constexpr uint32_t kNone = std::numeric_limits<uint32_t>::max();
  enum class Kind : uint8_t { kIterator, kGenerator, kProduce, kConsume };

  uint64_t begin_ps = 0, end_ps = 0;
  int64_t id = 0;         // of the iterator; Produce and Consume: of the element
  int64_t parent_id = 0;  // of the iterator above
  uint32_t parent = kNone;  // the event around it
  uint32_t name = 0;
  Kind kind = Kind::kIterator;
  bool has_id = false, has_parent_id = false;

  bool is_call() const { return kind == Kind::kIterator || kind == Kind::kGenerator; }
};

class TfData : public trace::EventSink {
 public:
  explicit TfData(Compat compat) : strict_(compat == Compat::kNone) {}

  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override;
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override;
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;
  void EndLine() override;
  void EndFile() override;
  std::unique_ptr<trace::EventSink> Fork() const override;
  void Join(trace::EventSink&& fork) override;

  void Merge(TfData&& other);
  TfDataResult Finish() &&;

 private:
  struct Frame {
    uint64_t begin_ps, end_ps;
    uint32_t event;
  };

  TfDataEvent MakeEvent(const trace::StreamEvent& event, uint32_t kind) const;

  bool strict_;
  TfDataResult result_;

  // The file that is open.
  std::string host_;
  std::vector<std::string> names_;
  std::map<std::string, uint32_t, std::less<>> name_ids_;
  std::vector<TfDataEvent> events_;
  bool host_plane_seen_ = false;
  bool knows_async_ = false;
  // The line.
  size_t line_begin_ = 0;
  std::vector<Frame> stack_;
};

// Makes pipelines of a file's events; `names` by TfDataEvent::name.
void AppendPipelines(const std::string& host, const std::vector<TfDataEvent>& events,
                     const std::vector<std::string>& names, bool strict, TfDataResult* result);

}  // namespace tfprof::analyze
