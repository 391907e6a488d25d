// Between a reader and a sink of events: only events of chosen steps go on.
//
// An event of a GPU that tells groups belongs to the step that launched it, any other one to the steps of its lane in
// time (step_windows.h). One without a place in time is in no step.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "analyze/step_windows.h"
#include "trace/event_stream.h"

namespace tfprof::analyze {

// What makes an event part of a step, where time tells.
enum class InStep : uint8_t {
  kBegins,    // it begins there
  kOverlaps,  // some of it lies there
  kMarked,    // as kBegins; the others are given too, with StreamEvent::chosen false
};

class StepEvents : public trace::EventSink {
 public:
  // `windows`: of a file, by its index, with the chosen steps alone.
  StepEvents(trace::EventSink* sink, InStep rule, std::function<StepWindows(uint32_t file)> windows)
      : sink_(*sink), rule_(rule), windows_of_(std::move(windows)) {}

  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override { return sink_.Stats(plane); }
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override { return sink_.Classify(event_name); }
  bool BeginLine(const trace::StreamLine& line) override { return sink_.BeginLine(line); }
  void Add(const trace::StreamEvent& event, uint32_t kind) override;
  void EndLine() override { sink_.EndLine(); }
  void EndPlane() override { sink_.EndPlane(); }
  void EndFile() override { sink_.EndFile(); }

 private:
  bool IsChosen(const trace::StreamEvent& event) const;

  trace::EventSink& sink_;
  const InStep rule_;
  const std::function<StepWindows(uint32_t file)> windows_of_;
  StepWindows windows_;              // of the file
  bool by_group_ = false;            // of the plane
  const LaneSteps* lane_ = nullptr;  // likewise
};

}  // namespace tfprof::analyze
