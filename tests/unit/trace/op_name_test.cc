#include "trace/op_name.h"

#include <catch2/catch.hpp>

namespace tfprof::trace {
namespace {

struct Case {
  std::string_view full;
  OpCategory category;
  std::string_view name, type;
};

// Every edge that reference op_stats.md §1 lists.
constexpr Case kCases[] = {
    {"a/b:MatMul", OpCategory::kTensorFlow, "a/b", "MatMul"},
    {"jit(f)/dot_general:", OpCategory::kJax, "jit(f)/dot_general", "dot_general"},
    {"x:add[a=1]", OpCategory::kJax, "x", "add"},
    {"model/dense_1:", OpCategory::kJax, "model/dense_1", "dense"},
    {"Foo/Bar_3:", OpCategory::kTensorFlow, "Foo/Bar_3", "Bar"},
    {"a b:MatMul", OpCategory::kUnknown, "a b:MatMul", ""},
    {"std::string", OpCategory::kUnknown, "std::string", ""},
    {"x_+1:", OpCategory::kJax, "x_+1", "x"},
    {"x_ 1:", OpCategory::kJax, "x_ 1", "x"},
    {"1:", OpCategory::kTensorFlow, "1", "1"},
    {"x_99999999999999999999:", OpCategory::kJax, "x_99999999999999999999", "x_99999999999999999999"},
    {"a/:", OpCategory::kTensorFlow, "a/", ""},
    {"a/_1:", OpCategory::kTensorFlow, "a/_1", ""},
    {"x_1_2:", OpCategory::kJax, "x_1_2", "x_1"},
    {":a", OpCategory::kJax, "", "a"},
    {":Foo", OpCategory::kUnknown, ":Foo", ""},
    {"q: Foo", OpCategory::kUnknown, "q: Foo", ""},
    {"a:B.c", OpCategory::kUnknown, "a:B.c", ""},
    {"\xc3\xa9:Foo", OpCategory::kUnknown, "\xc3\xa9:Foo", ""},
    {"dot.1:", OpCategory::kTensorFlow, "dot.1", "dot.1"},
    {"Iterator:X", OpCategory::kTfData, "Iterator:X", "Dataset"},
    {"Iterator::Prefetch::Map", OpCategory::kTfData, "Iterator::Prefetch::Map", "Dataset"},
    {"a:b[x\ny]", OpCategory::kUnknown, "a:b[x\ny]", ""},
    {"memcpydtoh 5", OpCategory::kMemcpyDToH, "memcpydtoh 5", "MemcpyDToH"},
    {"MEMCPYHToD", OpCategory::kMemcpyHToD, "MEMCPYHToD", "MemcpyHToD"},
    {"MemcpyH2D", OpCategory::kUnknown, "MemcpyH2D", ""},
    {"", OpCategory::kUnknown, "", ""},
};

TEST_CASE("op names and types") {
  for (const Case& c : kCases) {
    INFO(c.full);
    const ParsedOp parsed = ParseTfOpFullname(c.full);
    CHECK(parsed.category == c.category);
    CHECK(parsed.name == c.name);
    CHECK(parsed.type == c.type);
  }
}

}  // namespace
}  // namespace tfprof::trace
