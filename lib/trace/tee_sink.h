// Gives the lanes of one reading to several analyses.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trace/lane.h"

namespace tfprof::trace {

class TeeSink : public Sink {
 public:
  explicit TeeSink(std::vector<Sink*> sinks) : sinks_(std::move(sinks)) {}

  LaneConsumer* Open(const LaneInfo& info) override {
    if (free_.empty()) {
      lanes_.push_back(std::make_unique<Lane>(this));
      free_.push_back(lanes_.back().get());
    }
    Lane* lane = free_.back();
    lane->to.clear();
    for (Sink* sink : sinks_) {
      if (LaneConsumer* consumer = sink->Open(info)) lane->to.push_back(consumer);
    }
    if (lane->to.empty()) return nullptr;
    free_.pop_back();
    return lane;
  }
  void EndPlane(const OpDictionary& ops) override {
    for (Sink* sink : sinks_) sink->EndPlane(ops);
  }
  void Settle() override {
    for (Sink* sink : sinks_) sink->Settle();
  }

 private:
  struct Lane : public LaneConsumer {
    explicit Lane(TeeSink* tee) : owner(tee) {}
    void Add(const EventBatch& batch) override {
      for (LaneConsumer* consumer : to) consumer->Add(batch);
    }
    void Close() override {
      for (LaneConsumer* consumer : to) consumer->Close();
      owner->free_.push_back(this);
    }
    TeeSink* owner;
    std::vector<LaneConsumer*> to;
  };

  std::vector<Sink*> sinks_;
  std::vector<std::unique_ptr<Lane>> lanes_;  // all ever made; the free ones are used again
  std::vector<Lane*> free_;
};

}  // namespace tfprof::trace
