#include "formats/xplane/hlo.h"

#include <charconv>
#include <optional>

namespace tfprof::xplane {
namespace {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

// Field numbers of xla/service/hlo.proto and xla/xla_data.proto.
constexpr uint32_t kProtoModule = 1, kModuleComputations = 3, kComputationInstructions = 2;
constexpr uint32_t kInstructionName = 1, kInstructionOpcode = 2, kInstructionMetadata = 7;
constexpr uint32_t kMetadataOpType = 1, kMetadataOpName = 2;

// Calls visit(bytes) for each field `number`; false when the message is broken.
template <typename Visit>
bool ForEachMessage(Bytes message, uint32_t number, Visit&& visit) {
  FieldReader reader(message);
  Field field;
  for (;;) {
    const wire::Next next = reader.Read(&field);
    if (next == wire::Next::kEnd) return true;
    if (next == wire::Next::kBroken) return false;
    if (field.Is(number, WireType::kBytes) && !visit(field.bytes)) return false;
  }
}

bool ReadOpMetadata(Bytes message, HloInstruction* out) {
  FieldReader reader(message);
  Field field;
  for (;;) {
    const wire::Next next = reader.Read(&field);
    if (next != wire::Next::kField) return next == wire::Next::kEnd;
    if (field.Is(kMetadataOpType, WireType::kBytes)) out->op_type = field.bytes;
    if (field.Is(kMetadataOpName, WireType::kBytes)) out->op_name = field.bytes;
  }
}

bool ReadInstruction(Bytes message, std::string_view* name, HloInstruction* out) {
  FieldReader reader(message);
  Field field;
  for (;;) {
    const wire::Next next = reader.Read(&field);
    if (next == wire::Next::kBroken) return false;
    if (next == wire::Next::kEnd) break;
    if (field.Is(kInstructionName, WireType::kBytes)) *name = field.bytes;
    if (field.Is(kInstructionOpcode, WireType::kBytes)) out->opcode = field.bytes;
    // A second one would be merged into the first: of each of its fields the last counts.
    if (field.Is(kInstructionMetadata, WireType::kBytes) && !ReadOpMetadata(field.bytes, out)) return false;
  }
  if (out->op_type.empty() && (out->op_name == "XLA_Args" || out->op_name == "XLA_Retvals"))
    out->op_type = out->op_name;
  return true;
}

// `name(123)` → 123
std::optional<uint64_t> ProgramInName(std::string_view name) {
  if (name.empty() || name.back() != ')') return std::nullopt;
  const size_t open = name.rfind('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view digits = name.substr(open + 1, name.size() - open - 2);
  uint64_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return id;
}

}  // namespace

void HloModules::IndexPrograms() {
  for (const Plane& plane : layout_.planes) {
    if (plane.name != "/host:metadata") continue;
    for (const Metadata& entry : plane.event_metadata.entries()) {
      std::optional<Stat> proto, program;
      StatCursor cursor(entry.body, kMetadataStats);
      for (Stat stat; cursor.Next(&stat);) {
        const std::string_view name = plane.StatName(stat.metadata_id);
        if (!proto && (name == "Hlo Proto" || name == "HLO Proto")) proto = stat;
        if (!program && name == "program_id") program = stat;
      }
      if (!proto || proto->slot != Stat::Slot::kBytes) continue;
      uint64_t id = ProgramInName(entry.name).value_or(static_cast<uint64_t>(entry.inner_id));
      if (program) id = program->int_or_uint();
      protos_.try_emplace(id, proto->text);
    }
  }
}

HloModules::Broken HloModules::broken() {
  const std::lock_guard lock(mutex_);
  return broken_;
}

void HloModules::NoteBroken(uint64_t program_id, Bytes proto) {
  ++broken_.count;
  if (broken_.first != nullptr && broken_.first < wire::Begin(proto)) return;
  broken_.first = wire::Begin(proto);
  broken_.first_program = program_id;
}

const HloInstruction* HloModules::Find(uint64_t program_id, std::string_view instruction_name) {
  const std::lock_guard lock(mutex_);
  if (!indexed_) IndexPrograms();
  indexed_ = true;
  const auto [at, is_new] = modules_.try_emplace(program_id);
  if (is_new) {
    const auto proto = protos_.find(program_id);
    auto module = std::make_unique<Module>();
    const auto take_instruction = [&](Bytes message) {
      std::string_view name;
      HloInstruction instruction;
      if (!ReadInstruction(message, &name, &instruction)) return false;
      module->try_emplace(name, instruction);
      return true;
    };
    const auto take_computation = [&](Bytes m) {
      return ForEachMessage(m, kComputationInstructions, take_instruction);
    };
    const auto take_module = [&](Bytes m) { return ForEachMessage(m, kModuleComputations, take_computation); };
    // A module that can't be read does not exist.
    if (proto != protos_.end()) {
      if (ForEachMessage(proto->second, kProtoModule, take_module)) {
        at->second = std::move(module);
      } else {
        NoteBroken(program_id, proto->second);
      }
    }
  }
  if (at->second == nullptr) return nullptr;
  const auto found = at->second->find(instruction_name);
  return found == at->second->end() ? nullptr : &found->second;
}

}  // namespace tfprof::xplane
