#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "base/process.hpp"
#include "comm_naming/comm_name.hpp"

using namespace commprof;

namespace {

RunFacts spawner() {
  RunFacts facts;
  facts.rank = 3;
  facts.pid = 4711;
  std::strcpy(facts.host, "node-7");
  return facts;
}

}  // namespace

TEST_CASE("a setting that does not fit is not written at all") {
  char whole[256], room[256];
  write_parent_setting(spawner(), "W_p1", whole);
  std::size_t const length = std::strlen(whole);
  write_parent_setting(spawner(), "W_p1", room, length + 1);
  CHECK(std::string(room) == whole);
  write_parent_setting(spawner(), "W_p1", room, length);
  CHECK(std::string(room).empty());
}

TEST_CASE("what is no such setting is not taken for one") {
  ParentWorld parent;
  CHECK_FALSE(read_parent_setting(nullptr, parent));
  for (char const* const value :
       {"", "h", "h x 2 W_p1 p", "h 1 x W_p1 p", "h 1 2", "h 1 2  p", " 1 2 W_p1 p", "h 1z 2 W_p1 p"})
    CHECK_FALSE(read_parent_setting(value, parent));
}
