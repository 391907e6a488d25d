// Where inputs stand in memory.
#include "cli/term/lost_input.h"

#include <catch2/catch.hpp>
#include <string>

namespace tfprof::cli {

TEST_CASE("an address is found in the input that was mapped there last") {
  const std::string memory(100, 'x');
  const auto address = [&](size_t at) { return reinterpret_cast<uintptr_t>(memory.data()) + at; };
  MappedInputs inputs;
  CHECK_FALSE(inputs.Find(address(0)));
  inputs.Add(memory, "old");
  inputs.Add(std::string_view(memory).substr(10, 20), "new");
  CHECK(inputs.Find(address(9))->path == "old");
  CHECK(inputs.Find(address(10))->path == "new");
  CHECK(inputs.Find(address(29))->offset == 19);
  CHECK(inputs.Find(address(30))->offset == 30);
  CHECK(inputs.Find(address(99))->path == "old");
  CHECK_FALSE(inputs.Find(address(100)));
}

}  // namespace tfprof::cli
