#include "placement/machine.hpp"

#include <catch2/catch.hpp>

using namespace mpisee_through;

TEST_CASE("the level of two slots is the innermost place that they share") {
  // Hosts a and c are below one switch, b is below another. The third slot of a may run on both of its packages.
  Machine const machine(
      {{"a", {"s1", "top"}, {{"0", "0", "0"}, {"0", "0", "1"}, {"0-1", "0-1", "0-3"}, {"1", "1", "3"}}},
       {"b", {"s2", "top"}, {{}, {}}},
       {"c", {"s1", "top"}, {{"0", "", "0"}, {"0", "", "0"}}}});
  REQUIRE(machine.levels() == 7);
  CHECK(machine.name_of_level(3) == "host");
  CHECK(machine.name_of_level(4) == "switch1");
  CHECK(machine.name_of_level(6) == "network");
  auto const level = [&](std::size_t host, std::size_t number, std::size_t other_host, std::size_t other) {
    SlotIndex const one = machine.slot(host, number), two = machine.slot(other_host, other);
    CHECK(machine.level_between(one, two) == machine.level_between(two, one));
    return machine.level_between(one, two);
  };
  CHECK(level(2, 0, 2, 1) == core_level);
  CHECK(level(0, 0, 0, 1) == numa_level);
  CHECK(level(0, 0, 0, 3) == host_level);
  CHECK(level(0, 0, 0, 2) == host_level);
  CHECK(level(1, 0, 1, 1) == host_level);  // nothing is known of the inside of b
  CHECK(level(0, 0, 2, 0) == host_level + 1);
  CHECK(level(0, 0, 1, 0) == host_level + 2);
}

TEST_CASE("slots of one place are adjacent, whatever their order was") {
  Machine const machine({{"a", {}, {{"1", "1", "10"}, {"0", "0", "2"}, {"1", "1", "9"}, {"0", "0", "1"}}}});
  CHECK(machine.slot(0, 3) == 0);
  CHECK(machine.slot(0, 1) == 1);
  CHECK(machine.slot(0, 2) == 2);
  CHECK(machine.slot(0, 0) == 3);
  CHECK(machine.place_of(0, package_level).size() == 2);
  CHECK(machine.divides(package_level));
  CHECK_FALSE(machine.divides(numa_level));
}
