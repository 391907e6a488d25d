#include "formats/chrome/timeline_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

#include "formats/chrome/members.h"

namespace tfprof::chrome {
namespace {

using trace::EventStat;
using trace::StatValue;

constexpr int64_t kCpuDevice = 0;  // c10::DeviceType

int64_t NumberOf(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// What stands behind `key` in the text form of a TensorDescription, to the end of its line; "" if it isn't there.
std::string_view FieldOf(std::string_view description, std::string_view key) {
  size_t at = description.find(key);
  while (at != std::string_view::npos && at > 0 && description[at - 1] != ' ' && description[at - 1] != '\n') {
    at = description.find(key, at + 1);
  }
  if (at == std::string_view::npos) return {};
  const std::string_view rest = description.substr(at + key.size());
  return rest.substr(0, rest.find('\n'));
}

// `[3,224]`, from the sizes of its dimensions.
std::string ShapeOf(std::string_view description) {
  const std::string_view shape = description.substr(0, description.find("allocation_description"));
  std::string out = "[";
  for (size_t at = shape.find("size: "); at != std::string_view::npos; at = shape.find("size: ", at + 1)) {
    const std::string_view rest = shape.substr(at + 6);
    out.append(out.size() > 1 ? "," : "").append(rest.substr(0, rest.find('\n')));
  }
  return out + "]";
}

// Tensors of one name and id: an id is free for another one when its tensor is gone.
struct Tensors {
  std::string name;
  std::vector<int64_t> made_ps, gone_ps;
  std::map<int64_t, MemoryMoment> snapshots;  // by time: what the tensor is that lives then
};

void TakeSnapshot(std::string_view object, int64_t at_ps, Tensors* tensor) {
  const JsonValue snapshot = FindMember(FindMember(object, "args").raw(), "snapshot");
  const std::string description = Decode(FindMember(snapshot.raw(), "tensor_description"));
  if (description.empty()) return;
  MemoryMoment& what = tensor->snapshots[at_ps] = MemoryMoment();
  what.requested_bytes = NumberOf(FieldOf(description, "requested_bytes: "));
  what.allocation_bytes = what.requested_bytes;
  what.allocator = FieldOf(description, "allocator_name: ");
  what.shape = ShapeOf(description);
  std::string_view type = FieldOf(description, "dtype: ");
  if (type.starts_with("DT_")) type.remove_prefix(3);
  for (const char c : type) what.data_type += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  what.op_name = tensor->name.substr(0, tensor->name.rfind(':'));
}

std::vector<MemoryMoment> OfTensors(std::string_view text, const EventIndex& index) {
  std::map<std::tuple<std::string, std::string, std::string>, Tensors> tensors;  // pid, id, name
  for (const IndexedEvent& event : index.objects) {
    if (event.is(IndexedEvent::kUntimed)) continue;
    const std::string_view object = text.substr(event.offset);
    const std::string name = Decode(FindMember(object, "name")), phase = Decode(FindMember(object, "ph"));
    Tensors& tensor = tensors[{Decode(FindMember(object, "pid")), Decode(FindMember(object, "id")), name}];
    tensor.name = name;
    if (phase == "N") tensor.made_ps.push_back(event.start_ps);
    if (phase == "D") tensor.gone_ps.push_back(event.start_ps);
    if (phase == "O") TakeSnapshot(object, event.start_ps, &tensor);
  }
  std::vector<std::pair<std::string, MemoryMoment>> moments;  // with the tensor's name
  uint64_t address = 0;
  for (auto& [key, tensor] : tensors) {
    if (tensor.snapshots.empty()) continue;  // nothing tells its size
    std::sort(tensor.made_ps.begin(), tensor.made_ps.end());
    std::sort(tensor.gone_ps.begin(), tensor.gone_ps.end());
    auto gone = tensor.gone_ps.begin();
    for (size_t i = 0; i < tensor.made_ps.size(); ++i) {
      const int64_t made_ps = tensor.made_ps[i];
      // Told again before it is gone it is the same tensor.
      gone = std::lower_bound(gone, tensor.gone_ps.end(), made_ps);
      while (i + 1 < tensor.made_ps.size() && (gone == tensor.gone_ps.end() || tensor.made_ps[i + 1] < *gone)) ++i;
      const int64_t next_ps = i + 1 < tensor.made_ps.size() ? tensor.made_ps[i + 1] : INT64_MAX;
      const auto end = std::lower_bound(gone, tensor.gone_ps.end(), next_ps);
      if (end > gone) gone = std::prev(end);  // told several times: the last counts
      // The last snapshot before the next tensor; one of an earlier time where none was taken of this one.
      auto snapshot = tensor.snapshots.lower_bound(next_ps);
      if (snapshot != tensor.snapshots.begin()) --snapshot;
      MemoryMoment moment = snapshot->second;
      moment.address = ++address;
      moment.at_ps = made_ps;
      moments.push_back({tensor.name, moment});
      if (gone == tensor.gone_ps.end()) continue;
      moment.at_ps = *gone;
      moment.allocation = false;
      moments.push_back({tensor.name, std::move(moment)});
      ++gone;
    }
  }
  const auto signed_bytes = [](const MemoryMoment& m) { return m.allocation ? m.requested_bytes : -m.requested_bytes; };
  std::sort(moments.begin(), moments.end(), [&](const auto& a, const auto& b) {
    return std::tuple(a.second.at_ps, signed_bytes(a.second), std::string_view(a.first)) <
           std::tuple(b.second.at_ps, signed_bytes(b.second), std::string_view(b.first));
  });
  std::map<std::string, int64_t> used;
  std::vector<MemoryMoment> out;
  for (auto& [name, moment] : moments) {
    moment.used_bytes = used[moment.allocator] += signed_bytes(moment);
    out.push_back(std::move(moment));
  }
  return out;
}

std::vector<MemoryMoment> OfInstants(std::string_view text, const EventIndex& index) {
  std::vector<MemoryMoment> out;
  for (const IndexedEvent& event : index.events) {
    if (!event.is(IndexedEvent::kMemory) || event.is(IndexedEvent::kUntimed)) continue;
    const std::string_view args = FindMember(text.substr(event.offset), "args").raw();
    const auto number = [&](std::string_view key) { return NumberOf(Decode(FindMember(args, key))); };
    MemoryMoment moment;
    moment.at_ps = event.start_ps;
    const int64_t bytes = number("Bytes");
    moment.allocation = bytes >= 0;
    moment.allocation_bytes = moment.requested_bytes = bytes >= 0 ? bytes : -bytes;
    moment.address = static_cast<uint64_t>(number("Addr"));
    moment.used_bytes = number("Total Allocated");
    const int64_t reserved = number("Total Reserved");
    moment.tells_free = reserved >= moment.used_bytes && reserved > 0;
    moment.free_bytes = moment.tells_free ? reserved - moment.used_bytes : 0;
    const bool cpu = number("Device Type") == kCpuDevice;
    moment.allocator = cpu ? "cpu" : fmt::format("device {}", number("Device Id"));
    out.push_back(std::move(moment));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const MemoryMoment& a, const MemoryMoment& b) { return a.at_ps < b.at_ps; });
  return out;
}

StatValue IntValue(int64_t number) {
  StatValue value;
  value.slot = StatValue::Slot::kInt64;
  value.bits = static_cast<uint64_t>(number);
  return value;
}

StatValue TextValue(std::string_view text) {
  StatValue value;
  if (text.empty()) return value;
  value.slot = StatValue::Slot::kText;
  value.text = text;
  return value;
}

}  // namespace

std::vector<MemoryMoment> MemoryOf(std::string_view text, const EventIndex& index, Dialect dialect) {
  return dialect == Dialect::kTf1 ? OfTensors(text, index) : OfInstants(text, index);
}

StatValue MomentStats::First(EventStat stat) const {
  switch (stat) {
    case EventStat::kAddress:
      return IntValue(static_cast<int64_t>(moment_->address));
    case EventStat::kAllocationBytes:
      return IntValue(moment_->allocation_bytes);
    case EventStat::kRequestedBytes:
      return IntValue(moment_->requested_bytes);
    case EventStat::kBytesAllocated:
      return IntValue(moment_->used_bytes);
    case EventStat::kBytesAvailable:
      return moment_->tells_free ? IntValue(moment_->free_bytes) : StatValue();
    case EventStat::kAllocatorName:
      return TextValue(moment_->allocator);
    case EventStat::kTfOp:
      return TextValue(moment_->op_name);
    case EventStat::kDataType:
      return TextValue(moment_->data_type);
    case EventStat::kShape:
      return TextValue(moment_->shape);
    default:
      return {};
  }
}

EventStat MomentStats::LatestOf(std::initializer_list<EventStat> stats) const {
  const auto at = std::find_if(stats.begin(), stats.end(), [this](EventStat stat) { return bool{First(stat)}; });
  return at == stats.end() ? EventStat::kCount : *at;
}

}  // namespace tfprof::chrome
