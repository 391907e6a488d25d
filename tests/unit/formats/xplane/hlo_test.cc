// From (program, instruction) to the framework op (reference: op_stats.md §3).
#include "formats/xplane/hlo.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/xspace_builder.h"

namespace tfprof::xplane {
namespace {

using namespace tfprof::testing;

constexpr int64_t kProto = 1, kProgram = 2;

std::string Metadata(const std::string& entries, const char* name = "Hlo Proto") {
  return EncodePlane("/host:metadata", entries + StatName(kProto, name) + StatName(kProgram, "program_id"));
}
std::string Module(std::string_view op_type) {
  return HloProto(testing::HloInstruction("add.1", "add", op_type, "net/add"));
}
std::string ProtoStat(std::string_view proto) { return MetadataStat(BytesValue(kProto, proto)); }

std::string TypeOf(const std::string& bytes, uint64_t program, std::string_view instruction = "add.1") {
  const Layout layout = ReadLayout(bytes);
  HloModules modules(layout);
  const HloInstruction* found = modules.Find(program, instruction);
  return found == nullptr ? "none" : std::string(found->op_type);
}

TEST_CASE("an instruction tells its opcode and the framework op it came from, in any computation") {
  const std::string proto = testing::Bytes(
      1, testing::Bytes(1, "jit_f") + testing::Bytes(3, testing::HloInstruction("add.1", "add", "Add", "net/add")) +
             testing::Bytes(3, testing::Bytes(1, "fused") + testing::HloInstruction("mul.2", "multiply", "", "") +
                                   testing::HloInstruction("add.1", "add", "Second", "")));
  const std::string bytes = Metadata(EventName(5, "jit_f(42)", ProtoStat(proto)));
  const Layout layout = ReadLayout(bytes);
  HloModules modules(layout);
  const HloInstruction* add = modules.Find(42, "add.1");
  REQUIRE(add != nullptr);
  CHECK(add->opcode == "add");
  CHECK(add->op_type == "Add");  // the first of a name
  CHECK(add->op_name == "net/add");
  REQUIRE(modules.Find(42, "mul.2") != nullptr);
  CHECK(modules.Find(42, "mul.2")->op_name.empty());
  CHECK(modules.Find(42, "div.1") == nullptr);
  CHECK(modules.Find(43, "add.1") == nullptr);
  CHECK(modules.Find(42, "add.1") == add);  // stays valid
}

TEST_CASE("a program's id: in the name, else the inner id, else above both a stat") {
  CHECK(TypeOf(Metadata(EventName(5, "jit_f(42)", ProtoStat(Module("T")))), 42) == "T");
  CHECK(TypeOf(Metadata(EventName(5, "jit_f(42)", ProtoStat(Module("T")))), 5) == "none");
  CHECK(TypeOf(Metadata(EventName(5, "jit_f", ProtoStat(Module("T")))), 5) == "T");
  for (const char* name : {"f()", "f(x)", "f(42)x", "f(4 2)", "f(18446744073709551616)", "(", ")", "f(-1)"}) {
    INFO(name);
    CHECK(TypeOf(Metadata(EventName(5, name, ProtoStat(Module("T")))), 5) == "T");
  }
  const std::string stat = MetadataStat(UintValue(kProgram, 77));
  CHECK(TypeOf(Metadata(EventName(5, "jit_f(42)", stat + ProtoStat(Module("T")))), 77) == "T");
  CHECK(TypeOf(Metadata(EventName(5, "jit_f(42)", stat + ProtoStat(Module("T")))), 42) == "none");
}

TEST_CASE("program ids are unsigned: -5 is 2^64 - 5") {
  const std::string stat = MetadataStat(IntValue(kProgram, -5));
  CHECK(TypeOf(Metadata(EventName(5, "f", stat + ProtoStat(Module("T")))), uint64_t{0} - 5) == "T");
  CHECK(TypeOf(Metadata(EventName(-5, "f", ProtoStat(Module("T")))), uint64_t{0} - 5) == "T");
  CHECK(TypeOf(Metadata(EventName(5, "f(18446744073709551611)", ProtoStat(Module("T")))), uint64_t{0} - 5) == "T");
}

TEST_CASE("several metadata planes are read, the first module of an id wins, both spellings are known") {
  const std::string bytes =
      EncodePlane("/host:CPU", EventName(3, "f(3)", ProtoStat(Module("host"))) + StatName(kProto, "Hlo Proto")) +
      Metadata(EventName(1, "f(1)", ProtoStat(Module("A"))), "HLO Proto") +
      Metadata(EventName(1, "f(1)", ProtoStat(Module("B"))) + EventName(2, "g(2)", ProtoStat(Module("C"))));
  CHECK(TypeOf(bytes, 1) == "A");
  CHECK(TypeOf(bytes, 2) == "C");
  CHECK(TypeOf(bytes, 3) == "none");
}

TEST_CASE("protos count in the bytes slot only") {
  CHECK(TypeOf(Metadata(EventName(5, "f", MetadataStat(TextValue(kProto, Module("T"))))), 5) == "none");
}

TEST_CASE("arguments and results are their own type") {
  const auto with_name = [](const char* op_name, const char* op_type) {
    const std::string proto = HloProto(testing::HloInstruction("add.1", "parameter", op_type, op_name));
    return TypeOf(Metadata(EventName(5, "f", ProtoStat(proto))), 5);
  };
  CHECK(with_name("XLA_Args", "") == "XLA_Args");
  CHECK(with_name("XLA_Retvals", "") == "XLA_Retvals");
  CHECK(with_name("XLA_Args", "T") == "T");
  CHECK(with_name("other", "").empty());
}

TEST_CASE("a module that cannot be read does not exist") {
  const std::string whole = Module("T");
  for (size_t size = 1; size < whole.size(); ++size) {
    CHECK(TypeOf(Metadata(EventName(5, "f", ProtoStat(whole.substr(0, size)))), 5) == "none");
  }
  CHECK(TypeOf(Metadata(
                   EventName(5, "f", ProtoStat(HloProto(testing::HloInstruction("add.1", "", "T", "") + "\x12\x7f")))),
               5) == "none");
  CHECK(TypeOf(Metadata(EventName(5, "f", ProtoStat(""))), 5) == "none");
  CHECK(TypeOf("", 5) == "none");
}

TEST_CASE("modules that were asked for and can't be read are counted, once each") {
  const std::string cut = Module("T").substr(0, Module("T").size() - 1);
  const std::string bytes = Metadata(EventName(4, "e", ProtoStat(Module("T"))) + EventName(5, "f", ProtoStat(cut)) +
                                     EventName(6, "g", ProtoStat(cut)) + EventName(7, "h", ProtoStat(cut)));
  const Layout layout = ReadLayout(bytes);
  HloModules modules(layout);
  for (const uint64_t program : {4, 6, 5, 6, 9}) modules.Find(program, "add.1");
  CHECK(modules.broken().count == 2);  // nobody asked for 7, and there is no 9
  CHECK(modules.broken().first_program == 5);
}

TEST_CASE("an instruction's metadata in two parts is one message") {
  const std::string parts = testing::Bytes(7, testing::Bytes(1, "Old") + testing::Bytes(2, "net/add")) +
                            testing::Bytes(7, testing::Bytes(1, "New"));
  const std::string proto = HloProto(testing::Bytes(2, testing::Bytes(1, "add.1") + parts));
  const std::string bytes = Metadata(EventName(5, "f", ProtoStat(proto)));
  const Layout layout = ReadLayout(bytes);
  HloModules modules(layout);
  REQUIRE(modules.Find(5, "add.1") != nullptr);
  CHECK(modules.Find(5, "add.1")->op_type == "New");
  CHECK(modules.Find(5, "add.1")->op_name == "net/add");
}

}  // namespace
}  // namespace tfprof::xplane
