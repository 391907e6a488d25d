// Steps and what their time went into: a reducer over the events of XSpaces.
//
// What went on for a file's steps is held while that file is read (strict: as unions of each activity), then becomes
// rows. `Merge` adds the files of a run in any order; `Finish` sorts them. Strict: a step is what lies between the
// user's marker and the end of the device's work for it; compat: XProf's rules, which use either the host or the
// devices. Reference: other_tools.md §2–§4, §10.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/steps_result.h"
#include "trace/event_stream.h"

namespace tfprof::analyze {

class Steps : public trace::EventSink {
 public:
  explicit Steps(Compat compat) : strict_(compat == Compat::kNone), compat_(compat) {}

  std::vector<trace::EventStat> Stats(const trace::StreamPlane& plane) const override;
  void BeginFile(const trace::StreamFile& file) override;
  bool BeginPlane(const trace::StreamPlane& plane) override;
  uint32_t Classify(std::string_view event_name) override;
  bool BeginLine(const trace::StreamLine& line) override;
  void Add(const trace::StreamEvent& event, uint32_t kind) override;
  void EndPlane() override;
  void EndFile() override;
  std::unique_ptr<trace::EventSink> Fork() const override;
  void Join(trace::EventSink&& fork) override;

  void Merge(Steps&& other);
  StepsResult Finish() &&;

 private:
  // What is known of one group.
  struct Group {
    std::vector<TimeSpan> device_marks, host_marks;
    std::vector<ActivitySpan> spans;  // compat
    StepActivities activities;        // strict
    TimeSpan device_work;             // strict, of a GPU: from the first begin of its events to the last end
    std::string name;
    bool user_step = false;  // a marker of the user's, with a number
    bool marked = false;     // some marker of the host's
    bool on_device = false;
    bool works = false;  // device_work is set

    void AddDeviceWork(TimeSpan time);
    void Append(Group&& other);
  };
  // Groups by number, in order. Those used last are found at once: neighbouring events take turns among few.
  class Groups {
   public:
    Group& operator[](int64_t number) {
      Recent& recent = recent_[static_cast<uint64_t>(number) % recent_.size()];
      if (recent.group == nullptr || recent.number != number) recent = {number, &all_[number]};
      return *recent.group;
    }
    const Group& at(int64_t number) const { return all_.at(number); }
    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }
    void clear() {
      all_.clear();
      recent_ = {};
    }

   private:
    struct Recent {
      int64_t number = 0;
      Group* group = nullptr;
    };
    std::map<int64_t, Group> all_;
    std::array<Recent, 256> recent_{};
  };
  // One file's, when read.
  struct HostSteps {
    uint32_t file = 0;
    bool has_gpu = false, has_tpu = false;
    uint64_t devices = 0;
    std::string device_type;
    StepKind kind = StepKind::kNone;
    std::vector<StepRow> rows;
    uint64_t left_out = 0;
    Precision precision;
    StepCoverage coverage;
    uint64_t enqueue_ps = 0, between_enqueues_ps = 0;
  };
  using FlowKey = std::pair<uint64_t, uint64_t>;
  // A stage of the input pipeline that is the outermost only if none of these flows has a producer.
  struct DoubtfulStage {
    int64_t group;
    TimeSpan time;
    StepActivity otherwise;
    std::vector<FlowKey> flows;
  };
  struct Frame {
    TimeSpan time;
    bool below_stage;
    size_t flows;  // those of the frames up to this one
  };
  // The last span of an activity on the line, which the next may join (compat).
  struct LastSpan {
    int64_t group = 0;
    size_t index = 0;
    bool any = false;
  };
  // A run's part on a GPU (compat).
  struct DeviceEvent {
    TimeSpan time;
    int64_t group;
  };

  bool IsWork(const trace::StreamEvent& event, uint32_t kind) const;
  void AddHost(const trace::StreamEvent& event, uint32_t kind, TimeSpan time);
  void AddGpu(const trace::StreamEvent& event, uint32_t kind, TimeSpan time);
  void AddTpu(const trace::StreamEvent& event, uint32_t kind, TimeSpan time);
  void AddEnqueue(const trace::StreamEvent& event, TimeSpan time);
  bool OutermostStage(const trace::StreamEvent& event, TimeSpan time, std::vector<FlowKey>* doubt);
  void Put(int64_t group, TimeSpan time, StepActivity activity);
  void MarkRuns();
  StepActivity GpuActivity(const trace::StreamEvent& event, uint32_t kind, TimeSpan time);
  void EndHostPlane();
  void EndGpuPlane();
  void EndTpuPlane();
  void MakeCompatRows();
  void MakeStrictRows();
  void MarkCutRows();
  StepRow MakeRow(int64_t number, Group* group, TimeSpan time) const;
  static TimeSpan LongestOf(const Group& group);
  static TimeSpan HullOf(std::initializer_list<const std::vector<TimeSpan>*> lists);

  bool strict_;
  Compat compat_;
  std::vector<HostSteps> hosts_;

  // The file that is open.
  HostSteps file_;
  std::string host_;
  int64_t trace_start_ps_ = 0;
  bool already_grouped_ = false, names_steps_ = false, tells_ops_ = false;
  StepCoverageMeter coverage_;
  std::set<std::string, std::less<>> devices_;  // strict: names of planes with work; several pieces are one device
  Groups groups_;
  // The plane.
  std::string plane_name_;
  trace::StreamPlaneKind plane_ = trace::StreamPlaneKind::kOther;
  bool has_stages_ = false, launches_ = false, made_up_ = false, plane_works_ = false, has_hlo_ops_ = false;
  Groups plane_groups_;                     // of a GPU
  std::vector<DeviceEvent> device_events_;  // likewise, compat
  std::vector<ActivitySpan> device_spans_;  // of a TPU
  std::set<FlowKey> producers_;
  std::vector<DoubtfulStage> doubtful_;
  // The line.
  bool derived_ = false, step_line_ = false;
  std::array<LastSpan, kStepActivities> last_{};
  std::vector<Frame> stack_;
  std::vector<FlowKey> stack_flows_;
  TimeSpan last_enqueue_;
};

}  // namespace tfprof::analyze
