#include "mpi_messages/operation_tags.hpp"

#include <catch2/catch.hpp>

using namespace commprof;
using namespace commprof::mpi_messages;

namespace {

// Handles, and the records behind them.
constexpr std::uint64_t world = 0x1000, duplicate = 0x2000, hidden = 0x3000;
constexpr std::uint64_t unknown = 0;
constexpr CommIndex world_index{0}, dup_index{2};

constexpr Op ibcast{1}, iallreduce{2}, split{3}, wait{4};
constexpr Cause bcast_on_world{world_index, ibcast}, reduce_on_dup{dup_index, iallreduce};

CallOnComm waiting_on(CommIndex index, std::uint64_t comm) { return {{index, wait}, comm, true}; }
CallOnComm calling(Op op, CommIndex index = world_index, std::uint64_t comm = world) {
  return {{index, op}, comm, false};
}

}  // namespace

TEST_CASE("an operation has the next tag of its communicator") {
  OperationTags tags;
  tags.issue(world, bcast_on_world);
  tags.issue(duplicate, reduce_on_dup);
  tags.issue(world, {world_index, iallreduce});
  CHECK(tags.cause_of(-27, world, waiting_on(dup_index, duplicate)) == bcast_on_world);
  CHECK(tags.cause_of(-27, duplicate, waiting_on(world_index, world)) == reduce_on_dup);
  CHECK(tags.cause_of(-28, world, waiting_on(dup_index, duplicate)) == Cause{world_index, iallreduce});
  CHECK(tags.cause_of(-27, duplicate, no_call) == reduce_on_dup);
}

TEST_CASE("a creation takes tags that later operations do not have") {
  OperationTags tags;
  for (int const tag : {-27, -28, -29}) CHECK(tags.cause_of(tag, world, calling(split)) == Cause{world_index, split});
  tags.issue(world, bcast_on_world);
  CHECK(tags.cause_of(-30, world, waiting_on(world_index, world)) == bcast_on_world);
}

TEST_CASE("a message sent before its operation is told of does not take its tag") {
  OperationTags tags;
  tags.issue(world, bcast_on_world);
  CHECK(tags.cause_of(-28, world, waiting_on(dup_index, duplicate)) == Cause{dup_index, wait});
  tags.issue(world, {world_index, iallreduce});
  CHECK(tags.cause_of(-28, world, waiting_on(dup_index, duplicate)) == Cause{world_index, iallreduce});
}

TEST_CASE("what is seen at issue puts the count right, but not for operations issued before, nor from far off") {
  std::int32_t const seen = GENERATE(-40, -31080);
  OperationTags tags;
  tags.expect(world, -40);
  tags.issue(world, bcast_on_world);
  CHECK(tags.cause_of(-40, world, calling(ibcast)) == bcast_on_world);
  CHECK(tags.cause_of(-31080, world, calling(split)) == Cause{world_index, split});
  tags.expect(world, seen);
  tags.issue(world, {world_index, iallreduce});
  CHECK(tags.cause_of(-41, world, waiting_on(world_index, world)) == Cause{world_index, iallreduce});
}

TEST_CASE("what the MPI sends on communicators of its own belongs to the call") {
  OperationTags tags;
  CHECK(tags.cause_of(-27, hidden, calling(split)) == Cause{world_index, split});
  tags.issue(world, bcast_on_world);
  CHECK(tags.cause_of(-27, world, waiting_on(world_index, world)) == bcast_on_world);
  CHECK(tags.cause_of(-27, hidden, no_call) == Cause{});
}

TEST_CASE("a new communicator begins anew") {
  OperationTags tags;
  for (int i = 0; i < 5; ++i) tags.issue(duplicate, bcast_on_world);
  tags.reset(duplicate);
  CHECK(tags.cause_of(-28, hidden, calling(split)) == Cause{world_index, split});
  tags.issue(duplicate, reduce_on_dup);
  CHECK(tags.cause_of(-27, duplicate, waiting_on(dup_index, duplicate)) == reduce_on_dup);
  CHECK(tags.cause_of(-28, duplicate, waiting_on(dup_index, duplicate)) == Cause{dup_index, wait});
}

TEST_CASE("where the communicator is not known, it is that of the call") {
  OperationTags tags;
  tags.issue(world, bcast_on_world);
  tags.issue(duplicate, reduce_on_dup);
  CHECK(tags.cause_of(-27, unknown, waiting_on(world_index, world)) == bcast_on_world);
  CHECK(tags.cause_of(-27, unknown, waiting_on(dup_index, duplicate)) == reduce_on_dup);
  CHECK(tags.cause_of(-27, unknown, no_call) == Cause{});
  CHECK(tags.cause_of(-28, unknown, calling(split)) == Cause{world_index, split});
}

TEST_CASE("as many operations as said are remembered") {
  OperationTags tags;
  constexpr auto n = static_cast<int>(OperationTags::remembered);
  for (int i = 0; i < 2 * n; ++i) tags.issue(world, {world_index, static_cast<Op>(i % 1000)});
  for (int i = n; i < 2 * n; ++i)
    CHECK(tags.cause_of(-27 - i, world, waiting_on(world_index, world)) ==
          Cause{world_index, static_cast<Op>(i % 1000)});
  CHECK(tags.cause_of(-27, world, waiting_on(dup_index, duplicate)) == Cause{dup_index, wait});
}

TEST_CASE("as many communicators as said are remembered") {
  OperationTags tags;
  auto const cause = [](std::uint64_t comm) { return Cause{static_cast<CommIndex>(comm), ibcast}; };
  std::size_t const before = mapped_bytes();
  for (std::uint64_t comm = 1; comm < 3000; ++comm) tags.issue(comm, cause(comm));
  CHECK(mapped_bytes() - before <= (OperationTags::most_comms + 16) * 8192);
  for (std::uint64_t comm = 1; comm < 3000; ++comm)
    REQUIRE(tags.cause_of(-27, comm, no_call) == (comm <= OperationTags::most_comms ? cause(comm) : Cause{}));
}
