#include "report/tf_data_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tfprof::report {
namespace {

using analyze::TfDataIterator;
using analyze::TfDataPipeline;
using analyze::TfDataResult;

Picoseconds Time(__int128 ps) { return Picoseconds{ps}; }
std::string_view TypeName(const TfDataPipeline& pipeline) { return pipeline.on_device ? "DEVICE" : "HOST"; }

// Ids are addresses, often in the upper half of 64 bits.
std::string IdText(int64_t id) { return std::to_string(static_cast<uint64_t>(id)); }

Value IteratorValue(const TfDataIterator& iterator) {
  return Value::Object{{"id", IdText(iterator.id)},
                       {"parent_id", iterator.parent_id == 0 ? Value() : Value(IdText(iterator.parent_id))},
                       {"name", iterator.long_name},
                       {"calls", iterator.calls},
                       {"self_us", Time(iterator.self_ps)},
                       {"blocking", iterator.blocking}};
}

// An iterator of a pipeline with its place in the tree.
struct Line {
  const TfDataIterator* iterator;
  std::string name;        // indented
  bool bottleneck;
  double share;  // of the self time of the pipeline
};

size_t DepthOf(const TfDataIterator& iterator, const std::map<int64_t, size_t>& depths) {
  const auto above = depths.find(iterator.parent_id);
  return above == depths.end() ? 0 : above->second + 1;
}

std::vector<Line> LinesOf(const TfDataPipeline& pipeline) {
  std::vector<Line> lines;
  std::map<int64_t, size_t> depths;  // the parent stands before its children
  __int128 blocking_ps = 0;
  for (const TfDataIterator& iterator : pipeline.iterators) {
    if (iterator.blocking) blocking_ps += std::max<__int128>(0, iterator.self_ps);
  }
  for (size_t i = 0; i < pipeline.iterators.size(); ++i) {
    const TfDataIterator& iterator = pipeline.iterators[i];
    const size_t depth = DepthOf(iterator, depths);
    depths.emplace(iterator.id, depth);
    Line line{&iterator, std::string(2 * depth, ' ') + iterator.name, pipeline.bottleneck == i, 0};
    if (iterator.blocking && blocking_ps > 0) {
      line.share = std::max(0.0, static_cast<double>(iterator.self_ps) / static_cast<double>(blocking_ps));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

TablePtr PeopleTable(const TfDataPipeline& pipeline) {
  auto table = std::make_shared<Table>();
  table->columns = {MakeColumn("name", "Iterator", Kind::kText), MakeColumn("calls", "Calls", Kind::kInteger),
                    MakeColumn("self_us", "Self", Kind::kTime), MakeColumn("waiting", "Waited for", Kind::kFraction),
                    MakeColumn("mark", "", Kind::kText)};
  table->columns[0].least_width = table->columns[0].readable_width = 20;
  table->columns[3].bar = true;
  auto lines = std::make_shared<std::vector<Line>>(LinesOf(pipeline));
  table->rows = lines->size();
  table->read = [lines](size_t index, Row* row) {
    const Line& line = (*lines)[index];
    row->kind = line.iterator->blocking ? RowKind::kPlain : RowKind::kMuted;
    row->cells = {std::string_view(line.name), line.iterator->calls, Time(line.iterator->self_ps),
                  line.iterator->blocking ? Cell(line.share) : Cell(Missing()),
                  std::string_view(line.bottleneck              ? "◀ slowest"
                                   : line.iterator->blocking ? ""
                                                             : "in the background")};
  };
  return table;
}

std::string CallsText(const TfDataPipeline& pipeline, Unit unit) {
  const std::string slow = pipeline.slow_calls == 0 ? "none" : GroupedText(pipeline.slow_calls);
  return fmt::format("{}, {} slower than {}; {} on average, {} at most",
                     CountText(pipeline.calls, "call", "calls"), slow, TimeText(analyze::kSlowCallPs, unit),
                     TimeText(static_cast<__int128>(pipeline.avg_latency_ps), unit), TimeText(pipeline.max_latency_ps, unit));
}

Sentence VerdictOn(const TfDataPipeline& pipeline, bool input_matters, Unit unit) {
  if (pipeline.on_device) return {"It hands elements to a device from what a pipeline on the host made.", Tone::kQuiet};
  if (pipeline.slow_calls == 0 || !pipeline.bottleneck) {
    return {fmt::format("No call took longer than {}: training doesn't wait for this pipeline.",
                        TimeText(analyze::kSlowCallPs, unit)),
            Tone::kGood};
  }
  const std::string slowest =
      fmt::format("Its slowest call spent {} of {} in {}", TimeText(pipeline.bottleneck_ps, unit),
                  TimeText(pipeline.max_latency_ps, unit), pipeline.iterators[*pipeline.bottleneck].long_name);
  if (!input_matters) return {slowest + "; waiting for input is too little of the steps to gain from that."};
  return {fmt::format("{}: {}.", slowest, pipeline.advice), Tone::kWarning};
}

}  // namespace

Value TfDataPipelines(const TfDataResult& tf_data) {
  Value::Array pipelines;
  for (const TfDataPipeline& pipeline : tf_data.pipelines) {
    Value::Array iterators;
    for (const TfDataIterator& iterator : pipeline.iterators) iterators.push_back(IteratorValue(iterator));
    pipelines.push_back(Value::Object{{"host", pipeline.host},
                                      {"name", pipeline.name},
                                      {"type", TypeName(pipeline)},
                                      {"calls", pipeline.calls},
                                      {"slow_calls", pipeline.slow_calls},
                                      {"avg_latency_us", pipeline.avg_latency_ps / 1e6},
                                      {"min_latency_us", Time(pipeline.min_latency_ps)},
                                      {"max_latency_us", Time(pipeline.max_latency_ps)},
                                      {"advice", pipeline.advice.empty() ? Value() : Value(pipeline.advice)},
                                      {"iterators", std::move(iterators)}});
  }
  return pipelines;
}

Value TfDataBottlenecks(const TfDataResult& tf_data) {
  Value::Array bottlenecks;
  for (const TfDataPipeline& pipeline : tf_data.pipelines) {
    if (pipeline.on_device || !pipeline.bottleneck) continue;
    bottlenecks.push_back(Value::Object{{"iterator", pipeline.iterators[*pipeline.bottleneck].long_name},
                                        {"iterator_latency_us", Time(pipeline.bottleneck_ps)},
                                        {"max_latency_us", Time(pipeline.max_latency_ps)}});
  }
  return bottlenecks;
}

void AppendTfDataBlocks(const TfDataResult& tf_data, bool input_matters, Unit unit, std::vector<Block>* blocks) {
  for (const TfDataPipeline& pipeline : tf_data.pipelines) {
    const std::string where = pipeline.host.empty() ? "" : " on " + pipeline.host;
    blocks->push_back(Title{pipeline.name + where, CallsText(pipeline, unit)});
    Tables tables;
    tables.sections.push_back({"", "", PeopleTable(pipeline)});
    blocks->push_back(std::move(tables));
    blocks->push_back(Paragraph{{VerdictOn(pipeline, input_matters, unit)}});
  }
}

}  // namespace tfprof::report
