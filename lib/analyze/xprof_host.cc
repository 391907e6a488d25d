#include "analyze/xprof_host.h"

#include <algorithm>
#include <limits>

namespace tfprof::analyze {

using trace::XprofEvent;

void XprofHostPlane::BeginLine(bool in_order) {
  in_order_ = in_order;
  next_number_ = 0;
  first_ps_ = std::numeric_limits<uint64_t>::max();
  last_ps_ = 0;
  line_op_ps_ = 0;
}

void XprofHostPlane::Add(std::span<const XprofEvent> events) {
  if (!in_order_) {
    held_.insert(held_.end(), events.begin(), events.end());
    return;
  }
  for (const XprofEvent& event : events) Stream(event, next_number_++);
}

void XprofHostPlane::Stream(const XprofEvent& event, uint32_t number) {
  PassEndsUntil(event.begin_ps);
  stack_.push_back({number, event.begin_ps, 0});
  ends_.push_back({event.end_ps, number, event.op, (event.flags & XprofEvent::kEager) != 0});
  std::push_heap(ends_.begin(), ends_.end(), IsLater);
  first_ps_ = std::min(first_ps_, event.begin_ps);
  last_ps_ = std::max(last_ps_, event.end_ps);
}

// An end at the very time of a begin comes first: its event stands before in the file.
void XprofHostPlane::PassEndsUntil(uint64_t time_ps) {
  while (!ends_.empty() && ends_.front().time_ps <= time_ps) {
    PassEnd(ends_.front());
    std::pop_heap(ends_.begin(), ends_.end(), IsLater);
    ends_.pop_back();
  }
}

void XprofHostPlane::PassEnd(const End& end) {
  while (!stack_.empty() && stack_.back().number != end.number) stack_.pop_back();
  if (stack_.empty()) return;
  const Open open = stack_.back();
  stack_.pop_back();
  const uint64_t time_ps = end.time_ps - open.begin_ps;
  const uint64_t self_ps = time_ps - open.children_ps;
  if (!stack_.empty()) stack_.back().children_ps += time_ps;
  if (end.op >= records_.size()) records_.resize(end.op + 1);
  Record& record = records_[end.op];
  if (record.occurrences++ == 0) order_.push_back(end.op);
  record.time_ps += time_ps;
  record.self_ps += self_ps;
  record.eager = record.eager || end.eager;
  line_op_ps_ += self_ps;
}

void XprofHostPlane::RunHeld() {
  struct Mark {
    uint64_t time_ps;
    uint64_t place;  // 2 · number of the event, + 1 for its end
  };
  std::vector<Mark> marks;
  marks.reserve(2 * held_.size());
  for (const XprofEvent& event : held_) {
    marks.push_back({event.begin_ps, marks.size()});
    marks.push_back({event.end_ps, marks.size()});
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return a.time_ps != b.time_ps ? a.time_ps < b.time_ps : a.place < b.place;
  });
  for (const Mark& mark : marks) {
    const auto number = static_cast<uint32_t>(mark.place / 2);
    const XprofEvent& event = held_[number];
    if (mark.place % 2 == 0) {
      stack_.push_back({number, mark.time_ps, 0});
    } else {
      PassEnd({mark.time_ps, number, event.op, (event.flags & XprofEvent::kEager) != 0});
    }
  }
  if (!marks.empty()) {
    first_ps_ = marks.front().time_ps;
    last_ps_ = marks.back().time_ps;
  }
  held_.clear();
}

void XprofHostPlane::EndLine() {
  if (!in_order_) RunHeld();
  PassEndsUntil(std::numeric_limits<uint64_t>::max());
  stack_.clear();
  const bool has_events = first_ps_ <= last_ps_;
  lanes_ += has_events;
  const uint64_t total_ps = std::max(has_events ? last_ps_ - first_ps_ : 0, line_op_ps_);
  total_ps_ += total_ps;
  op_ps_ += line_op_ps_;
  if (!idle_in_order_) order_.push_back(XprofEvent::kNone);
  idle_in_order_ = true;
}

void XprofHostPlane::Finish(const trace::XprofNames& names, XprofOpSet* host) {
  XprofOpSet plane;
  for (const uint32_t op : order_) {
    if (op == XprofEvent::kNone) {
      plane.AddSpan(total_ps_, op_ps_);
      continue;
    }
    XprofMetrics metrics;
    metrics.type = names.ops[op].type;
    metrics.eager = records_[op].eager;
    metrics.occurrences = records_[op].occurrences;
    metrics.time_ps = records_[op].time_ps;
    metrics.self_ps = records_[op].self_ps;
    plane.Of(names.ops[op].module, names.ops[op].name).metrics.Add(metrics);
  }
  host->Combine(plane);
  *this = XprofHostPlane();
}

}  // namespace tfprof::analyze
