// HLO modules of an XSpace: from (program, instruction) to the framework op it came from.
//
// `/host:metadata` planes hold a serialized HloProto for each program, in all easily hundreds of MB. They are walked by
// lengths, and only the modules that are asked for, once, when first asked for. Safe to use from several threads.
// Rules (program ids, first module wins, slots): reference op_stats.md §3.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "formats/xplane/layout.h"

namespace tfprof::xplane {

// Views into the file.
struct HloInstruction {
  std::string_view opcode;
  std::string_view op_type, op_name;  // of the instruction's metadata; `XLA_Args` and `XLA_Retvals` are their own type
};

class HloModules {
 public:
  explicit HloModules(const Layout& layout) : layout_(layout) {}

  // Modules that were asked for and can't be read, and where the first of them stands.
  struct Broken {
    uint64_t count = 0;
    uint64_t first_program = 0;
    const uint8_t* first = nullptr;
  };
  Broken broken();

  // Null when the file has no (readable) module of that program, or the module no such instruction. Stays valid.
  const HloInstruction* Find(uint64_t program_id, std::string_view instruction_name);

 private:
  using Module = std::unordered_map<std::string_view, HloInstruction>;

  void IndexPrograms();
  void NoteBroken(uint64_t program_id, Bytes proto);

  const Layout& layout_;
  std::mutex mutex_;
  bool indexed_ = false;
  std::unordered_map<uint64_t, Bytes> protos_;  // program → HloProto
  Broken broken_;
  std::unordered_map<uint64_t, std::unique_ptr<Module>> modules_;  // those that were asked for
};

}  // namespace tfprof::xplane
