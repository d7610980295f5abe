#include "comm_naming/origins.hpp"

#include <catch2/catch.hpp>

using namespace commprof;

namespace {

constexpr CommIndex one{7}, other{8};

}  // namespace

TEST_CASE("an object leads to its communicator until it is released") {
  Origins origins;
  CHECK(origins.of(100) == CommIndex::unknown);
  origins.add(100, one);
  origins.add(100 + 4096, other);  // the same slot
  CHECK(origins.of(100) == one);
  CHECK(origins.of(100 + 4096) == other);
  Origins::Release const failing(origins, 100), released(origins, 100);
  CHECK(failing.comm(false) == one);
  CHECK(origins.of(100) == one);
  CHECK(released.comm(true) == one);
  CHECK(origins.of(100) == CommIndex::unknown);
  CHECK(origins.of(100 + 4096) == other);
}

TEST_CASE("a handle that comes back leads to the later object, also during or without the release of the earlier") {
  Origins origins;
  origins.add(100, one);
  origins.add(100, other);
  CHECK(origins.of(100) == other);
  Origins::Release const released(origins, 100);
  origins.add(100, one);  // on another thread
  CHECK(released.comm(true) == other);
  CHECK(origins.of(100) == one);
}
