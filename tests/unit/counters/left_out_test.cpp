#include "counters/left_out.hpp"

#include <catch2/catch.hpp>

#include "counters/counters.hpp"
#include "ops.hpp"

using namespace commprof;

namespace {

// The communicators of the tests in this file; other tests use others.
constexpr auto this_comm = static_cast<CommIndex>(770'001);
constexpr auto other_comm = static_cast<CommIndex>(770'002);

RecordKey key_on(CommIndex on, Op op) { return RecordKey::of(on, ScopeIndex::main, op, SizeBin{}); }

std::uint64_t seen_calls(CommIndex on) {
  std::uint64_t calls = 0;
  Shards::mine()->for_each([&](Record const& record) {
    if (record.key.comm() == on) calls += record.calls;
  });
  return calls;
}

// Excludes calls during its lifetime.
struct Leaving {
  Leaving(std::string_view ops, std::string_view comms) {
    left_out.begin(ops, comms, [](CommIndex on) { return on == other_comm; });
  }
  Leaving(Leaving const&) = delete;
  Leaving& operator=(Leaving const&) = delete;
  ~Leaving() { left_out.begin("*", "*", nullptr); }
};

}  // namespace

TEST_CASE("operations and communicators are left out") {
  {
    Leaving const leaving("-Send", "-1");
    CHECK(left_out.has(this_comm, Op::Send));
    CHECK_FALSE(left_out.has(this_comm, Op::Recv));
    CHECK(left_out.has(other_comm, Op::Send));
    CHECK(left_out.has(other_comm, Op::Recv));
  }
  {
    Leaving const leaving("Send", "*");
    CHECK_FALSE(left_out.has(other_comm, Op::Send));
    CHECK(left_out.has(this_comm, Op::Recv));
  }
  CHECK_FALSE(left_out.has(other_comm, Op::Send));
  CHECK_FALSE(left_out.has(this_comm, Op::Recv));
}

TEST_CASE("what is left out has records that nobody sees") {
  Leaving const leaving("-Send", "-1");
  Shard* const shard = Shards::mine();
  REQUIRE(shard != nullptr);
  for (int i = 0; i < 3; ++i) {
    shard->add(key_on(this_comm, Op::Send), {8, 0}, {1});
    shard->add(key_on(this_comm, Op::Recv), {0, 8}, {1});
    shard->add(key_on(other_comm, Op::Recv), {0, 8}, {1});
  }
  CHECK(seen_calls(this_comm) == 3);
  CHECK(seen_calls(other_comm) == 0);
  // A repeated call finds the record of the previous call without a search.
  Record* const record = shard->find_or_insert(key_on(this_comm, Op::Send));
  REQUIRE(record != nullptr);
  CHECK(record->calls == 3);
  CHECK(shard->recent(Op::Send) == record);
}

TEST_CASE("keys of no scope have records, those of a pause have none") {
  RecordKey const unseen = RecordKey::of(this_comm, no_scope, Op::Irecv, SizeBin{});
  CHECK(unseen.is_of_nothing());
  CHECK(unseen.comm() == this_comm);
  CHECK(unseen.op() == Op::Irecv);
  std::uint64_t const before = seen_calls(this_comm);
  Shards::mine()->add(unseen.with(size_bin(4)), {0, 4}, {1});
  CHECK(seen_calls(this_comm) == before);

  RecordKey const paused = RecordKey::of(this_comm, RecordKey::of_nothing);
  CHECK(paused.is_of_nothing());
  CHECK(Shards::mine()->find_or_insert(paused) == nullptr);
}

TEST_CASE("there may be as many of these records as of others") {
  Leaving const leaving("-Send", "*");
  Shard* const shard = Shards::mine();
  constexpr std::uint32_t first = 780'000, many = 20'000;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t i = 0; i < many; ++i) {
      shard->add(key_on(static_cast<CommIndex>(first + i), Op::Send), {}, {1});
      shard->add(key_on(static_cast<CommIndex>(first + i), Op::Recv), {}, {1});
    }
  std::uint64_t records = 0, calls = 0;
  shard->for_each([&](Record const& record) {
    auto const index = static_cast<std::uint32_t>(record.key.comm());
    if (index < first || index >= first + many) return;
    ++records;
    calls += record.calls;
    REQUIRE(record.key.op() == Op::Recv);
  });
  CHECK(records == many);
  CHECK(calls == 2 * many);
}

TEST_CASE("no region's keys are of nothing") {
  auto const last = static_cast<ScopeIndex>(most_scopes);
  CHECK_FALSE(RecordKey::of(this_comm, last, static_cast<Op>(1023), static_cast<SizeBin>(63)).is_of_nothing());
}
