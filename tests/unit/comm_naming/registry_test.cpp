#include "comm_naming/registry.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/dropped.hpp"
#include "counters/counters.hpp"
#include "ops.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

constexpr std::int32_t not_named = -1;

// The knowledge of one process: MPI_COMM_WORLD, MPI_COMM_SELF and communicators created from them.
class Process {
 public:
  explicit Process(std::uint32_t max_children = 1000) {
    registry->set_max_children(max_children);
    REQUIRE(registry->add({}) == CommIndex::world);
    REQUIRE(registry->add({}) == CommIndex::self);
  }

  // A creation call on the parent that gives this process a communicator.
  CommIndex create(CommIndex parent, char letter, std::int32_t smallest_parent_rank = not_named, Op op = Op{}) {
    std::uint32_t const ordinal = ++at(parent).creations;
    CommIndex const index = registry->add({parent, op, Letter{letter}, ordinal});
    if (index != CommIndex::unknown && !at(index).is_folded) at(index).smallest_parent_rank = smallest_parent_rank;
    return index;
  }

  // A creation call that gives this process MPI_COMM_NULL.
  void create_without(CommIndex parent) { ++at(parent).creations; }

  // A creation call that only the members make; ranks in the parent.
  CommIndex create_of_members(CommIndex parent, char letter, std::vector<int> const& ranks,
                              std::vector<int> const& others = {}, CallTag tag = {}) {
    RankSet sets[2];
    for (int const rank : ranks) sets[0].add(rank);
    for (int const rank : others) sets[1].add(rank);
    MembersOfCall call = MembersOfCall::of(sets[0], sets[1]);
    call.tag = tag;
    Communicator const* const made = registry->add_of_members(at(parent), Op{}, Letter{letter}, call);
    return made == nullptr ? CommIndex::unknown : made->index;
  }

  std::string name(CommIndex index) const {
    char room[Registry::max_name];
    return std::string(registry->name(index, room));
  }
  std::string name_of_new(CommIndex parent, char letter, std::int32_t smallest_parent_rank = not_named) {
    return name(create(parent, letter, smallest_parent_rank));
  }
  Communicator& at(CommIndex index) { return (*registry)[index]; }

  std::unique_ptr<Registry> registry = std::make_unique<Registry>();
};

std::uint64_t dropped_comms() { return (*dropped::counts)[Dropped::communicators].load(); }

}  // namespace

TEST_CASE("a communicator that was never seen to be created is a root with a name of its own") {
  Process process;
  RankSet group, other;
  for (int const rank : {4, 7, 9}) group.add(rank);
  for (int const rank : {4, 7, 8}) other.add(rank);
  CommIndex const first = process.registry->add_foreign(group)->index;
  CommIndex const second = process.registry->add_foreign(group)->index;
  std::string const name = process.name(first);
  CHECK(name.starts_with("U1.4."));
  CHECK(process.name(second) == "U2" + name.substr(2));
  CHECK(process.name(process.registry->add_foreign(other)->index).starts_with("U1.4."));
  CHECK(process.name_of_new(first, 'd') == name + "_d1");
  CHECK(process.at(first).depth == 0);
  // Beyond the limit of children, such communicators share a record, of which no creation call is known either.
  process.registry->set_max_children(2);
  CommIndex const shared = process.registry->add_foreign(group)->index;
  CHECK(process.name(shared) == "W_U*");
  CHECK_FALSE(process.registry->copy_of(shared).creation());
}

TEST_CASE("a process in many groups keeps as many as it may have, and its memory is bounded") {
  Process few(100), many(100);
  std::size_t folded_by_many = 0;
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 100'000; ++i) {
    std::string const name = many.name(many.create_of_members(CommIndex::world, 'u', {0, i + 1}));
    if (name == "W_u*") ++folded_by_many;
    if (i % 2000 != 0) continue;
    CommIndex const other = few.create_of_members(CommIndex::world, 'u', {0, i + 1});
    CHECK_FALSE(few.at(other).is_folded);
    if (name != "W_u*") CHECK(few.name(other) == name);
  }
  CHECK(many.registry->size() == 2 + 1 + 100);
  CHECK(folded_by_many == 99'900);
  CHECK(mapped_bytes() - before < 1 << 18);
}

TEST_CASE("deep and long names end in folds") {
  Process process(UINT32_MAX);
  CommIndex index = CommIndex::world;
  for (int depth = 0; depth < 12; ++depth)
    index = process.create_of_members(index, 'u', {1000000000, 2147483646}, {}, INT32_MAX);
  CHECK(process.name(index).ends_with("_u*"));
  Process other(UINT32_MAX);
  CommIndex longest = CommIndex::world;
  while (other.name(longest).size() < Registry::max_name_above_members - 90)
    longest = other.create_of_members(longest, 'i', {1000000000, 2147483646}, {1000000001, 2147483647}, INT32_MAX);
  while (other.at(longest).depth < Registry::max_depth) {
    other.at(longest).creations = UINT32_MAX - 1;
    longest = other.create(longest, 's', INT32_MAX);
  }
  CHECK(other.name(longest).size() < Registry::max_name);
}

TEST_CASE("a communicator is freed once all that share its record are, and has the handle of the latest") {
  Process process(0);
  CommIndex const fold = process.create(CommIndex::world, 'd');
  process.at(fold).handle = 0x84000001;
  CHECK_FALSE(process.registry->is_freed(fold));
  REQUIRE(process.create(CommIndex::world, 'd') == fold);
  process.at(fold).handle = 0x84000002;
  process.at(fold).count_freed(0x84000001);
  CHECK(process.at(fold).has_handle(0x84000002));
  CHECK_FALSE(process.registry->is_freed(fold));
  process.at(fold).count_freed(0x84000002);
  CHECK_FALSE(process.at(fold).has_handle(0x84000002));
  CHECK(process.registry->is_freed(fold));
  process.create(CommIndex::world, 'd');
  CHECK_FALSE(process.registry->is_freed(fold));
  CHECK_FALSE(no_communicator.has_handle(0x84000002));
}

TEST_CASE("a handle is found among many, of communicators that come and go") {
  Process process(100'000);
  Registry& registry = *process.registry;
  std::vector<CommIndex> comms;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    comms.push_back(process.create(CommIndex::world, 'd'));
    process.at(comms.back()).handle = 0x1000 + i;
    if (i % 100 == 50) CHECK(registry.find_by_handle(0x1000 + i / 2) == comms[i / 2]);
  }
  for (std::uint64_t i = 0; i < 1000; ++i) REQUIRE(registry.find_by_handle(0x1000 + i) == comms[i]);
  for (std::uint64_t i = 0; i < 1000; i += 2) process.at(comms[i]).count_freed(0x1000 + i);
  for (std::uint64_t i = 0; i < 1000; i += 2) {
    REQUIRE(registry.find_by_handle(0x1000 + i) == CommIndex::unknown);
    CommIndex const next = process.create(CommIndex::world, 'd');
    // Another thread looks for a handle before this communicator has got its handle.
    REQUIRE(registry.find_by_handle(0x1001) == comms[1]);
    process.at(next).handle = 0x1000 + i;
    REQUIRE(registry.find_by_handle(0x1000 + i) == next);
  }
  CHECK(registry.find_by_handle(0x999) == CommIndex::unknown);

  registry.set_max_children(0);
  CommIndex const fold = process.create(CommIndex::world, 'd');
  for (std::uint64_t const handle : {0x9001U, 0x9002U}) {
    REQUIRE(process.create(CommIndex::world, 'd') == fold);
    process.at(fold).handle = handle;
    CHECK(registry.find_by_handle(handle) == fold);
  }
}

TEST_CASE("communicators that memory does not suffice for are counted as dropped") {
  auto const registry = std::make_unique<Registry>();
  std::uint64_t const before = dropped_comms();
  {
    MemoryShortage const shortage;
    CHECK(registry->add({}) == CommIndex::unknown);
    CHECK(registry->size() == 0);
  }
  CHECK(dropped_comms() == before + 1);
  CHECK(registry->add({}) == CommIndex::world);
  // A folded record that cannot be created leaves its parent without one.
  registry->set_max_children(0);
  while (registry->size() < 64) registry->add({});  // up to the end of the first chunk
  {
    MemoryShortage const shortage;
    CHECK(registry->add({CommIndex::world, Op{}, Letter{'d'}, 1}) == CommIndex::unknown);
  }
  CHECK(dropped_comms() == before + 2);
  CommIndex const fold = registry->add({CommIndex::world, Op{}, Letter{'d'}, 2});
  REQUIRE(fold != CommIndex::unknown);
  CHECK((*registry)[fold].instances == 1);
}

TEST_CASE("a communicator has its latest name, and room for one") {
  Process process;
  Communicator& comm = process.at(CommIndex::world);
  char room[Registry::max_user_name];
  auto const rename = [&](std::string const& name) {
    process.registry->rename(comm, name);
    CHECK(process.registry->user_name(CommIndex::world, room) == name);
  };
  CHECK(process.registry->user_name(CommIndex::world, room).empty());
  rename("");
  rename(std::string(60, 'l'));
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 100'000; ++i) process.registry->rename(comm, std::string(1 + i % 60, 's'));
  CHECK(mapped_bytes() == before);
  rename("short");
  rename(std::string(Registry::max_user_name, 'n'));
  rename("");
}

TEST_CASE("a description is all of one moment while another thread names the communicator and makes others") {
  Process process;
  Registry& registry = *process.registry;
  CommIndex const comm = process.create(CommIndex::world, 'd');
  std::string const names[] = {std::string(3, 'a'), std::string(900, 'b')};
  std::atomic<bool> done{false};
  std::thread thread([&] {
    for (std::uint32_t i = 0; i < 20'000; ++i) {
      std::lock_guard const lock(registry.mutex);
      registry.rename(process.at(comm), names[i % 2]);
      Communicator* const made = registry.add_child(process.at(comm), Op::Comm_split, Letter::split, i + 1);
      if (made == nullptr) continue;
      made->size = 5;
      made->members = registry.store("0-4");
      made->is_described_here = true;
    }
    done = true;
  });
  std::uint64_t torn = 0;
  do {
    char room[Registry::max_user_name];
    std::string_view const name = registry.user_name(comm, room);
    if (!name.empty() && name != names[0] && name != names[1]) ++torn;
    for (std::size_t i = 3; i < registry.size(); ++i) {
      auto const described = registry.copy_of(static_cast<CommIndex>(i));
      bool const is_of_split = described.parent == comm && described.creation() == Op::Comm_split;
      bool const is_whole =
          !described.is_described_here || (described.total_size() == 5 && registry.text(described.members) == "0-4");
      if (!is_of_split || !is_whole) ++torn;
    }
  } while (!done);
  thread.join();
  CHECK(torn == 0);
  CHECK(registry.size() == 3 + 1000 + 1);  // those beyond 1000 children share one record
}
