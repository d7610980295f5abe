#include <catch2/catch.hpp>

#include "comm_naming/registry.hpp"

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
  CHECK(origins.take(100) == one);
  CHECK(origins.of(100) == CommIndex::unknown);
  CHECK(origins.take(100) == CommIndex::unknown);
  CHECK(origins.of(100 + 4096) == other);
}

TEST_CASE("a handle that comes back leads to the later object, also during or without the release of the earlier") {
  Origins origins;
  origins.add(100, one);
  origins.add(100, other);
  CHECK(origins.of(100) == other);
  CHECK(origins.take(100) == other);
  origins.add(100, one);  // on another thread, while the release goes on
  CHECK(origins.of(100) == one);
}
