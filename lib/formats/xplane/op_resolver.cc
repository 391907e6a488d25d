#include "formats/xplane/op_resolver.h"

#include <utility>

#include "trace/op_name.h"
#include "trace/owner.h"

namespace tfprof::xplane {
namespace {

using trace::Op;

constexpr int64_t kLocal = int64_t{1} << 62;  // text ids from here on are of local_texts_

StatKinds WantedStats(const Plane& plane, PlaneKind kind, bool stored_eager) {
  const StatKind eager = stored_eager ? StatKind::kIsEager : StatKind::kIgnored;
  if (kind == PlaneKind::kHost) {
    return StatKinds(plane, {{"hlo_op", StatKind::kHloOp},
                             {"program_id", StatKind::kProgramId},
                             {"_ipl_stage_id", StatKind::kStageId},
                             {"_ipl_stage_cat", StatKind::kStageCategory},
                             {"is_eager", eager}});
  }
  return StatKinds(plane, {{"tf_op", StatKind::kTfOp},
                           {"hlo_op", StatKind::kHloOp},
                           {"hlo_category", StatKind::kHloCategory},
                           {"program_id", StatKind::kProgramId},
                           {"level 0", StatKind::kLevel0},
                           {"annotation", StatKind::kAnnotation},
                           {"is_eager", eager},
                           {"device_offset_ps", StatKind::kDeviceOffset},
                           {"device_duration_ps", StatKind::kDeviceDuration}});
}

// What a key says of a stat beside its value.
constexpr uint64_t KeyPart(StatKind kind, Stat::Slot slot) {
  return static_cast<uint64_t>(kind) << 8 | static_cast<uint64_t>(slot);
}

}  // namespace

OpResolver::OpResolver(const Plane& plane, PlaneKind kind, bool stored_eager, HloModules* hlo, trace::OpDictionary* ops)
    : plane_(plane),
      kind_(kind),
      kinds_(WantedStats(plane, kind, stored_eager)),
      hlo_(hlo),
      ops_(ops),
      by_metadata_(plane.event_metadata.entries().size(), kUnknownOp) {
  uint64_t most = 0;
  for (const Metadata& entry : plane.event_metadata.entries()) {
    const auto key = static_cast<uint64_t>(entry.key);
    if (key < 4 * by_metadata_.size() + 4096) most = std::max(most, key + 1);
  }
  by_key_.assign(most, kUnknownOp);
  if (kind_ == PlaneKind::kGpu || kind_ == PlaneKind::kTpu) {
    metadata_stats_.resize(by_metadata_.size());
    metadata_stats_read_.resize(by_metadata_.size());
  }
}

int64_t OpResolver::TextId(const Stat& stat) {
  std::string_view text = stat.text;
  if (stat.slot == Stat::Slot::kRef) {
    const auto key = static_cast<int64_t>(stat.bits);
    if (key < kLocal && key != kNoText) return key;
    text = plane_.StatName(key);  // a key that means something else among text ids
  } else if (stat.slot != Stat::Slot::kString && stat.slot != Stat::Slot::kBytes) {
    return kNoText;
  }
  if (text.empty()) return kNoText;
  const auto [at, is_new] =
      local_ids_.try_emplace(std::string(text), kLocal + static_cast<int64_t>(local_texts_.size()));
  if (is_new) local_texts_.emplace_back(text);
  return at->second;
}

std::string_view OpResolver::Text(int64_t id) const {
  if (id == kNoText) return {};
  return id >= kLocal ? std::string_view(local_texts_[static_cast<size_t>(id - kLocal)]) : plane_.StatName(id);
}

void OpResolver::Take(StatKind kind, const Stat& stat, Deciding* out, ResolvedEvent* event) {
  switch (kind) {
    case StatKind::kTfOp:
      out->tf_op = TextId(stat);
      break;
    case StatKind::kHloOp:
      out->hlo_op = TextId(stat);
      break;
    case StatKind::kHloCategory:
      out->hlo_category = TextId(stat);
      break;
    case StatKind::kLevel0:
      out->level0 = TextId(stat);
      break;
    case StatKind::kAnnotation:
      out->annotation = TextId(stat);
      break;
    case StatKind::kStageCategory:
      out->stage_category = TextId(stat);
      break;
    case StatKind::kStageId:
      out->stage_id = 0;  // that it is a stage counts, not which
      break;
    case StatKind::kProgramId:
      out->program_id = static_cast<uint64_t>(stat.any_int());
      out->has_program = true;
      break;
    case StatKind::kIsEager:
      event->eager = stat.any_int() != 0;
      break;
    case StatKind::kDeviceOffset:
      event->device_start_ps = stat.any_int();
      event->has_device_time = true;
      break;
    case StatKind::kDeviceDuration:
      event->device_duration_ps = stat.any_int();
      break;
    case StatKind::kIgnored:
      break;
  }
}

inline size_t OpResolver::ReadStats(Bytes stats, uint64_t* words, ResolvedEvent* event) {
  size_t count = 0;
  bool duration = false, too_many = false;
  StatCursor cursor(stats, kEventStats, &kinds_.filter());
  for (Stat stat; cursor.Next(&stat);) {
    event->broken |= stat.broken;
    const StatKind kind = kinds_.Of(stat.metadata_id);
    if (kind == StatKind::kIgnored) continue;
    if (kind == StatKind::kIsEager || kind == StatKind::kDeviceOffset || kind == StatKind::kDeviceDuration) {
      Deciding none;
      Take(kind, stat, &none, event);
      duration |= kind == StatKind::kDeviceDuration;
      continue;
    }
    if (count + 2 > kMaxWords) {
      too_many = true;
      continue;
    }
    const uint64_t what = KeyPart(kind, stat.slot);
    const uint64_t value = stat.slot == Stat::Slot::kString || stat.slot == Stat::Slot::kBytes
                               ? static_cast<uint64_t>(TextId(stat))
                               : stat.bits;
    if (count == 0) {
      words[0] |= what << 32;  // beside the metadata index
      words[1] = value;
      count = 2;
    } else {
      words[count++] = what;
      words[count++] = value;
    }
  }
  event->has_device_time = event->has_device_time && duration;
  if (event->broken) broken_stats_.Note(stats);
  return too_many ? kTooMany : count;
}

ResolvedEvent OpResolver::Resolve(const Event& event) {
  const ResolvedEvent result = ResolveByStats(event, plane_.event_metadata.IndexOf(event.metadata_id));
  const auto id = static_cast<uint64_t>(event.metadata_id);
  if (event.stats.empty() || !kinds_.any()) {
    if (id < by_key_.size()) by_key_[id] = result.op;
  } else if (!result.has_device_time && !result.broken) {
    known_stats_.Remember(KnownStats::KeyOf(id, event.stats), result.op, result.eager);
  }
  return result;
}

ResolvedEvent OpResolver::ResolveByStats(const Event& event, uint32_t metadata) {
  ResolvedEvent result;
  uint64_t words[kMaxWords];  // not cleared: that would cost more than the rest
  words[0] = metadata;
  const size_t count = kinds_.any() && !event.stats.empty() ? ReadStats(event.stats, words, &result) : 0;
  if (count == 0 && metadata != MetadataMap::kNone) {
    if (by_metadata_[metadata] == kUnknownOp) by_metadata_[metadata] = Lookup(metadata, Deciding());
    result.op = by_metadata_[metadata];
  } else if (count == 0 || count == kTooMany) {
    result.op = LookupFromStats(metadata, event.stats);
  } else {
    result.op = combinations_.Find(words, count);
    if (result.op == kUnknownOp) {
      result.op = LookupFromStats(metadata, event.stats);
      combinations_.Remember(words, count, result.op);
    }
  }
  return result;
}

uint32_t OpResolver::LookupFromStats(uint32_t metadata, Bytes stats) {
  Deciding deciding;
  ResolvedEvent ignored;
  StatCursor cursor(stats, kEventStats);
  for (Stat stat; cursor.Next(&stat);) Take(kinds_.Of(stat.metadata_id), stat, &deciding, &ignored);
  return metadata == MetadataMap::kNone ? Decide({}, {}, deciding) : Lookup(metadata, deciding);
}

// What the event's own stats don't tell, those of its metadata do (TPU planes keep nearly all of them there).
uint32_t OpResolver::Lookup(uint32_t metadata, const Deciding& own) {
  const Metadata& entry = plane_.event_metadata.entries()[metadata];
  Deciding stats = own;
  if (!metadata_stats_.empty()) {
    Deciding& shared = metadata_stats_[metadata];
    if (!metadata_stats_read_[metadata]) {
      metadata_stats_read_[metadata] = true;
      ResolvedEvent ignored;
      StatCursor cursor(entry.body, kMetadataStats);
      for (Stat stat; cursor.Next(&stat);) {
        ignored.broken |= stat.broken;
        Take(kinds_.Of(stat.metadata_id), stat, &shared, &ignored);
      }
      if (ignored.broken) broken_stats_.Note(entry.body);
    }
    const auto fill = [](int64_t* mine, int64_t theirs) { *mine = *mine == kNoText ? theirs : *mine; };
    fill(&stats.tf_op, shared.tf_op);
    fill(&stats.hlo_op, shared.hlo_op);
    fill(&stats.hlo_category, shared.hlo_category);
    fill(&stats.level0, shared.level0);
    fill(&stats.annotation, shared.annotation);
    if (!stats.has_program) {
      stats.has_program = shared.has_program;
      stats.program_id = shared.program_id;
    }
  }
  return Decide(entry.name, entry.display_name, stats);
}

uint32_t OpResolver::Decide(std::string_view event_name, std::string_view display_name, const Deciding& stats) {
  if (kind_ == PlaneKind::kHost) return DecideHost(event_name, stats);
  if (kind_ == PlaneKind::kOther) return Op::kNone;
  return DecideDevice(event_name, display_name, stats);
}

// `op_name:op_type` of the HLO instruction, and its opcode; "" when the module or the instruction isn't in the file.
std::string OpResolver::FrameworkName(const Deciding& stats, std::string_view* hlo_type) {
  if (Text(stats.hlo_op).empty() || !stats.has_program) return {};
  const HloInstruction* found = hlo_->Find(stats.program_id, trace::LastHloOp(Text(stats.hlo_op)));
  if (found == nullptr) {
    unresolved_hlo_.emplace(stats.program_id, Text(stats.hlo_op));
    return {};
  }
  *hlo_type = found->opcode;
  if (found->op_name.empty() && found->op_type.empty()) return {};
  return std::string(found->op_name) + ":" + std::string(found->op_type);
}

uint32_t OpResolver::DecideHost(std::string_view event_name, const Deciding& stats) {
  if (!Text(stats.hlo_op).empty()) {  // XLA on the CPU; `end: …` events only mark where an asynchronous one ended
    if (event_name.starts_with("end: ")) return Op::kNone;
    std::string_view hlo_type;
    const std::string framework_name = FrameworkName(stats, &hlo_type);
    Op op = trace::ResolveOwner(
        {.hlo_framework_name = framework_name, .hlo_op = trace::LastHloOp(Text(stats.hlo_op)), .hlo_type = hlo_type});
    return ops_->Intern(std::move(op));
  }
  if (event_name.empty()) return Op::kNone;
  const trace::ParsedOp parsed = trace::ParseTfOpFullname(event_name);
  if (stats.stage_id != kNoText &&
      !Text(stats.stage_category).empty()) {  // an input pipeline stage names its type itself
    return ops_->Intern({std::string(Text(stats.stage_category)), std::string(event_name), "", true});
  }
  if (parsed.category == trace::OpCategory::kUnknown) return Op::kNone;
  return ops_->Intern(trace::OpFromFullName(event_name));
}

uint32_t OpResolver::DecideDevice(std::string_view event_name, std::string_view display_name, const Deciding& stats) {
  const std::string_view shown = display_name.empty() ? event_name : display_name;
  std::string_view annotation = Text(stats.level0);
  if (annotation.empty()) annotation = trace::OutermostAnnotation(Text(stats.annotation));
  std::string_view hlo_type = Text(stats.hlo_category);
  std::string_view opcode;
  const std::string framework_name = FrameworkName(stats, &opcode);
  if (hlo_type.empty()) hlo_type = opcode;
  std::string_view hlo_op = trace::LastHloOp(Text(stats.hlo_op));
  // A TPU op without a framework name is an HLO op of its own name.
  if (hlo_op.empty() && kind_ == PlaneKind::kTpu && !hlo_type.empty()) hlo_op = shown;
  Op op = trace::ResolveOwner({.hlo_framework_name = framework_name,
                               .tf_op = Text(stats.tf_op),
                               .annotation = annotation,
                               .hlo_op = hlo_op,
                               .hlo_type = hlo_type,
                               .kernel = shown});
  return ops_->Intern(std::move(op));
}

}  // namespace tfprof::xplane
