#include "comm_naming/registry.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/dropped.hpp"
#include "counters/call_cache.hpp"
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

std::uint64_t folded() { return (*dropped::counts)[Folded::communicators].load(); }
std::uint64_t dropped_comms() { return (*dropped::counts)[Dropped::communicators].load(); }

}  // namespace

TEST_CASE("the roots have their names and nothing else") {
  Process process;
  CHECK(process.name(CommIndex::world) == "W");
  CHECK(process.name(CommIndex::self) == "SELF");
  CHECK(process.name(CommIndex::unknown) == "");
  CHECK(process.registry->size() == 2);
  CHECK(process.at(CommIndex::world).parent == CommIndex::unknown);
  CHECK(process.at(CommIndex::world).depth == 0);
}

TEST_CASE("a name is the path of creation calls from the root") {
  Process process;
  CHECK(process.name_of_new(CommIndex::world, 'a') == "W_a1");
  CommIndex const split = process.create(CommIndex::world, 's', 2);
  CHECK(process.name(split) == "W_s2.2");
  CommIndex const created = process.create(split, 'c', 0);
  CHECK(process.name(created) == "W_s2.2_c1.0");
  CHECK(process.name_of_new(CommIndex::self, 'd') == "SELF_d1");
  CHECK(process.at(created).depth == 2);
  CHECK(process.at(created).parent == split);
}

TEST_CASE("the program of Figure 1 of the mpisee paper") {
  // Four processes: a cartesian grid of all, a split of all into {0, 1} and {2, 3}, then a duplicate of the first half
  // and, at the same time, a communicator created out of the second.
  std::vector<std::vector<std::string>> const expected{{"W", "W_a1", "W_s2.0", "W_s2.0_d1"},
                                                       {"W", "W_a1", "W_s2.0", "W_s2.0_d1"},
                                                       {"W", "W_a1", "W_s2.2", "W_s2.2_c1.0"},
                                                       {"W", "W_a1", "W_s2.2", "W_s2.2_c1.0"}};
  for (std::size_t rank = 0; rank < 4; ++rank) {
    Process process;
    bool const in_first_half = rank < 2;
    CommIndex const grid = process.create(CommIndex::world, 'a');
    CommIndex const half = process.create(CommIndex::world, 's', in_first_half ? 0 : 2);
    CommIndex const last = in_first_half ? process.create(half, 'd') : process.create(half, 'c', 0);
    CHECK(std::vector{process.name(CommIndex::world), process.name(grid), process.name(half), process.name(last)} ==
          expected[rank]);
  }
}

TEST_CASE("the ordinal counts all creation calls on the parent, and those alone") {
  Process process;
  CHECK(process.name_of_new(CommIndex::world, 'd') == "W_d1");
  CommIndex const second = process.create(CommIndex::world, 'd');
  CHECK(process.name(second) == "W_d2");
  CHECK(process.name_of_new(second, 's', 5) == "W_d2_s1.5");
  CHECK(process.name_of_new(CommIndex::world, 's', 0) == "W_s3.0");
  process.create_without(CommIndex::world);  // a split with MPI_UNDEFINED: the others have W_s4
  CHECK(process.name_of_new(CommIndex::world, 'd') == "W_d5");
  process.at(second).count_freed(0, false);  // a freed communicator gives no ordinal back
  CHECK(process.name_of_new(CommIndex::world, 'd') == "W_d6");
  CHECK(process.name_of_new(second, 'd') == "W_d2_d2");
}

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
}

TEST_CASE("communicators that were never seen to be created share a record beyond the limit of children") {
  Process process(3);
  RankSet group;
  group.add(4);
  for (int ordinal = 1; ordinal <= 3; ++ordinal) CHECK_FALSE(process.registry->add_foreign(group)->is_folded);
  Communicator const& folded = *process.registry->add_foreign(group);
  CHECK(process.name(folded.index) == "W_U*");
  CHECK_FALSE(process.registry->describe(folded.index).created_by);
  // Each rank is a group of its own. At most four have records of their own: those kept are given up if there are more.
  for (int rank = 5; rank < 1005; ++rank) {
    RankSet another;
    another.add(rank);
    process.registry->add_foreign(another);
  }
  CHECK(process.registry->size() <
        2 + 1 + 3 * 10);  // the level rises by one when the groups have doubled: 2^10 of them
  CHECK(folded.instances > 900);
}

TEST_CASE("a root can have a name of its own") {
  Process process;
  CommIndex const parent = process.registry->add_root("PARENT", Op::Comm_spawn, Letter::spawn);
  CHECK(process.name(parent) == "PARENT");
  CHECK(process.name_of_new(parent, 'm') == "PARENT_m1");
}

TEST_CASE("what only the members make is named by them and by their own count") {
  Process process;
  CommIndex const world = CommIndex::world;
  CHECK(process.name(process.create_of_members(world, 'u', {0, 1, 2, 3})) == "W_u1.0-3");
  CHECK(process.name(process.create_of_members(world, 'u', {3, 1, 2, 0})) == "W_u2.0-3");
  CHECK(process.name(process.create_of_members(world, 'u', {0, 2})) == "W_u1.0-2:2");
  CHECK(process.name(process.create_of_members(world, 'f', {0, 2})) == "W_f1.0-2:2");
  CHECK(process.name(process.create_of_members(world, 'u', {0, 2}, {}, 7)) == "W_u1.0-2:2.t7");
  CHECK(process.name(process.create_of_members(world, 'i', {0}, {2, 3})) == "W_i1.0.2-3");
  CHECK(process.name(process.create_of_members(world, 'i', {2, 3}, {0})) == "W_i2.0.2-3");
  // The call takes no ordinal among the calls that all members of the parent make.
  CommIndex const split = process.create(world, 's', 0);
  CHECK(process.name(split) == "W_s1.0");
  CommIndex const group = process.create_of_members(split, 'u', {1});
  CHECK(process.name(group) == "W_s1.0_u1.1");
  CHECK(process.name_of_new(group, 'd') == "W_s1.0_u1.1_d1");
  CHECK(process.at(group).parent == split);
}

// Eight processes create random groups. Each process knows only its own groups.
TEST_CASE("all members of a group come to one name") {
  std::mt19937 random(3);
  std::vector<Process> processes(8);
  for (Process& process : processes) process.registry->set_max_children(10'000);
  std::set<std::string> names;
  for (int i = 0; i < 2000; ++i) {
    unsigned const set = std::uniform_int_distribution<unsigned>(1, 255)(random);
    unsigned const second = std::uniform_int_distribution<unsigned>(0, 255)(random) & ~set;
    int const tag = std::uniform_int_distribution<int>(0, 1)(random);
    std::vector<int> groups[2];
    for (int rank = 0; rank < 8; ++rank) {
      if ((set >> rank & 1U) != 0) groups[0].push_back(rank);
      if ((second >> rank & 1U) != 0) groups[1].push_back(rank);
    }
    std::set<std::string> of_members;
    for (int side = 0; side < 2; ++side)
      for (int const rank : groups[side]) {
        Process& process = processes[static_cast<std::size_t>(rank)];
        of_members.insert(process.name(
            process.create_of_members(CommIndex::world, second == 0 ? 'u' : 'i', groups[side], groups[1 - side], tag)));
      }
    REQUIRE(of_members.size() == 1);
    REQUIRE(names.insert(*of_members.begin()).second);
  }
  CHECK(names.size() > 1500);
}

TEST_CASE("members fold alike what they make too often") {
  Process one(2), other(2);
  for (int i = 1; i <= 5; ++i) {
    std::string const expected = i <= 2 ? "W_u" + std::to_string(i) + ".0-1" : "W_u*";
    for (Process* const process : {&one, &other})
      CHECK(process->name(process->create_of_members(CommIndex::world, 'u', {0, 1})) == expected);
  }
  CommIndex const fold = one.create_of_members(CommIndex::world, 'u', {0, 1});
  CHECK(one.at(fold).instances == 4);
  CHECK(one.name(one.create_of_members(fold, 'u', {0})) == "W_u*");
  CHECK(one.name(one.create_of_members(fold, 'i', {0}, {1})) == "W_i*");
}

TEST_CASE("a process in many groups keeps a part of what a process in few keeps") {
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
  // At each of log2(100,000 / 100) levels, half of 100 records are made anew.
  CHECK(many.registry->size() < 2 + 1 + 100 + 11 * 60);
  CHECK(folded_by_many > 99'000);
  CHECK(mapped_bytes() - before < 1 << 18);
}

TEST_CASE("deep and long names end in folds") {
  Process process(UINT32_MAX);
  CommIndex index = CommIndex::world;
  int depth = 0;
  while (!process.at(index).is_folded && depth < 100) {
    index = process.create_of_members(index, 'u', {1000000000, 2147483646}, {}, INT32_MAX);
    ++depth;
  }
  CHECK(depth < 12);
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

TEST_CASE("a record says what it was made by") {
  Process process;
  CommIndex const index = process.create(CommIndex::world, 'd', not_named, Op::Comm_idup);
  CHECK(process.at(index).created_by == Op::Comm_idup);
  CHECK(process.at(index).letter == Letter{'d'});
  CHECK(process.at(index).ordinal == 1);
  CHECK(process.at(index).instances == 1);
  CHECK_FALSE(process.at(index).is_folded);
}

TEST_CASE("children beyond the greatest ordinal share a record for each letter") {
  Process process(3);
  std::uint64_t const folded_before = folded();
  CHECK(process.name_of_new(CommIndex::world, 'd') == "W_d1");
  CHECK(process.name_of_new(CommIndex::world, 's', 0) == "W_s2.0");
  CHECK(process.name_of_new(CommIndex::world, 'd') == "W_d3");
  CHECK(folded() == folded_before);

  CommIndex const fourth = process.create(CommIndex::world, 'd');
  CHECK(process.name(fourth) == "W_d*");
  CHECK(process.at(fourth).is_folded);
  CommIndex const fifth = process.create(CommIndex::world, 's', 0);
  CHECK(process.name(fifth) == "W_s*");
  CHECK(process.create(CommIndex::world, 'd') == fourth);
  CHECK(process.create(CommIndex::world, 's', 2) == fifth);
  CHECK(process.create(CommIndex::world, 'd') == fourth);
  CHECK(process.at(fourth).instances == 3);
  CHECK(process.at(fifth).instances == 2);
  CHECK(folded() == folded_before + 5);
  CHECK(process.registry->size() == 2 + 3 + 2);

  // Another parent has a count of its own.
  CHECK(process.name_of_new(CommIndex::self, 'd') == "SELF_d1");
}

TEST_CASE("the default greatest ordinal is 1000") {
  Process process;
  Registry untouched;
  REQUIRE(untouched.add({}) == CommIndex::world);
  CommIndex const last = untouched.add({CommIndex::world, Op{}, Letter{'d'}, 1000});
  CHECK_FALSE(untouched[last].is_folded);
  CommIndex const beyond = untouched.add({CommIndex::world, Op{}, Letter{'d'}, 1001});
  CHECK(untouched[beyond].is_folded);
}

TEST_CASE("a folded record has the members of its parent") {
  Process process(1);
  Communicator& world = process.at(CommIndex::world);
  world.size = 8;
  world.members = process.registry->store("0-7");
  process.create(CommIndex::world, 's', 0);
  CommIndex const fold = process.create(CommIndex::world, 's', 0, Op::Comm_split);
  CHECK(process.at(fold).size == 8);
  CHECK(process.registry->text(process.at(fold).members) == "0-7");
  CHECK(process.at(fold).created_by == Op::Comm_split);
  CHECK(process.at(fold).parent == CommIndex::world);
}

TEST_CASE("children of a folded record are folded beside it") {
  Process process(1);
  process.create(CommIndex::world, 'd');
  CommIndex const fold = process.create(CommIndex::world, 'd');
  REQUIRE(process.name(fold) == "W_d*");
  CHECK(process.create(fold, 'd') == fold);  // it is folded although it is the first creation call on the parent
  CommIndex const split = process.create(fold, 's', 0);
  CHECK(process.name(split) == "W_s*");
  CHECK(process.create(split, 'd') == fold);
  CHECK(process.create(CommIndex::world, 's', 0) == split);
  CHECK(process.registry->size() == 2 + 1 + 2);
}

TEST_CASE("a program that creates without end needs bounded memory") {
  Process process(10);
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 100'000; ++i) {
    CommIndex const index = process.create(CommIndex::world, i % 2 == 0 ? 'd' : 's', i % 2 == 0 ? not_named : 0);
    process.at(index).count_freed(0, false);
    process.create(index, 'c', 0);
  }
  // Two roots, ten children with records of their own, a child of each of them, and W_d*, W_s*, W_c*.
  CHECK(process.registry->size() == 2 + 10 + 10 + 3);
  CHECK(mapped_bytes() == before);
}

TEST_CASE("nesting beyond 64 levels is folded, alike for every chain of letters") {
  Process process;
  CommIndex index = CommIndex::world;
  std::string expected = "W";
  for (std::uint32_t depth = 1; depth <= Registry::max_depth; ++depth) {
    index = process.create(index, 'd');
    expected += "_d1";
    REQUIRE(process.at(index).depth == depth);
    REQUIRE_FALSE(process.at(index).is_folded);
  }
  CHECK(process.name(index) == expected);
  CommIndex const deeper = process.create(index, 'd');
  CHECK(process.at(deeper).is_folded);
  CHECK(process.name(deeper) == expected + "_d*");
  CHECK(process.create(deeper, 'd') == deeper);
  CHECK(process.name_of_new(deeper, 's', 3) == expected + "_s*");
  CHECK(process.registry->size() == 2 + 64 + 2);
}

TEST_CASE("the longest name fits into its room") {
  Process process(UINT32_MAX);
  CommIndex index = process.registry->add_root(".2147483647.ffffffff", Op{}, Letter::foreign);
  process.at(index).ordinal = UINT32_MAX;
  std::string expected = "U4294967295.2147483647.ffffffff";
  for (std::uint32_t depth = 1; depth <= Registry::max_depth; ++depth) {
    process.at(index).creations = UINT32_MAX - 1;
    index = process.create(index, 's', INT32_MAX);
    expected += "_s4294967295.2147483647";
  }
  index = process.create(index, 's', INT32_MAX);
  expected += "_s*";
  CHECK(process.name(index) == expected);
  CHECK(expected.size() == 31 + 64 * 23 + 3);
  CHECK(expected.size() <= Registry::max_name);
}

TEST_CASE("a communicator is freed once all that share its record are") {
  bool const threaded = GENERATE(false, true);
  Process process(1);
  CommIndex const own = process.create(CommIndex::world, 'd');
  CHECK_FALSE(process.registry->is_freed(own));
  process.at(own).count_freed(0, threaded);
  CHECK(process.registry->is_freed(own));

  CommIndex const fold = process.create(CommIndex::world, 'd');
  process.create(CommIndex::world, 'd');
  process.at(fold).count_freed(0, threaded);
  CHECK_FALSE(process.registry->is_freed(fold));
  process.at(fold).count_freed(0, threaded);
  CHECK(process.registry->is_freed(fold));
  process.create(CommIndex::world, 'd');
  CHECK_FALSE(process.registry->is_freed(fold));
}

TEST_CASE("a record that is shared keeps the handle of the latest communicator") {
  bool const threaded = GENERATE(false, true);
  Process process(0);
  CommIndex const fold = process.create(CommIndex::world, 'd');
  process.at(fold).handle = 0x84000001;
  REQUIRE(process.create(CommIndex::world, 'd') == fold);
  process.at(fold).handle = 0x84000002;
  process.at(fold).count_freed(0x84000001, threaded);
  CHECK(process.at(fold).has_handle(0x84000002));
  process.at(fold).count_freed(0x84000002, threaded);
  CHECK_FALSE(process.at(fold).has_handle(0x84000002));
  CHECK_FALSE(no_communicator.has_handle(0x84000002));
}

TEST_CASE("frees are counted from several threads at once") {
  Process process(0);
  CommIndex fold = CommIndex::unknown;
  constexpr int threads = 4, frees = 5000;
  for (int i = 0; i < threads * frees; ++i) fold = process.create(CommIndex::world, 'd');
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&] {
      for (int n = 0; n < frees; ++n) process.at(fold).count_freed(0, true);
    });
  for (std::thread& thread : running) thread.join();
  CHECK(process.at(fold).freed == threads * frees);
  CHECK(process.registry->is_freed(fold));
}

TEST_CASE("a handle leads to the live communicator that has it") {
  Process process;
  process.at(CommIndex::world).handle = 0x44000000;
  process.at(CommIndex::self).handle = 0x44000001;
  CommIndex const first = process.create(CommIndex::world, 'd');
  process.at(first).handle = 0x84000001;
  Registry& registry = *process.registry;
  CHECK(registry.find_by_handle(0x44000000) == CommIndex::world);
  CHECK(registry.find_by_handle(0x84000001) == first);
  CHECK(registry.find_by_handle(0x84000002) == CommIndex::unknown);

  CHECK(registry[first].has_handle(0x84000001));
  process.at(first).count_freed(0x84000001, false);
  CHECK_FALSE(registry[first].has_handle(0x84000001));
  CHECK(registry.find_by_handle(0x84000001) == CommIndex::unknown);

  // MPI gives the handle of a freed communicator to the next one.
  CommIndex const second = process.create(CommIndex::world, 'd');
  process.at(second).handle = 0x84000001;
  CHECK(registry.find_by_handle(0x84000001) == second);
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
  for (std::uint64_t i = 0; i < 1000; i += 2) process.at(comms[i]).count_freed(0x1000 + i, false);
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

TEST_CASE("a handle is found as fast among many communicators, with or without predefined ones") {
  Process process(UINT32_MAX);
  bool const has_world = GENERATE(false, true);
  if (has_world) process.at(CommIndex::world).handle = 7;
  auto const seconds_of = [](auto&& work) {
    auto const begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::steady_clock::now() - begin;
  };
  constexpr std::uint64_t many = 200'000, first = 1000;
  auto const making = seconds_of([&] {
    for (std::uint64_t i = 0; i < many; ++i) process.at(process.create(CommIndex::world, 'd')).handle = first + i;
    CHECK(process.registry->find_by_handle(first) == static_cast<CommIndex>(2));
  });
  // A search through all of them takes 200,000 steps.
  auto const finding = seconds_of([&] {
    for (int i = 0; i < 1000; ++i) CHECK(process.registry->find_by_handle(first) == static_cast<CommIndex>(2));
  });
  CHECK(finding < making);
  CHECK(process.registry->find_by_handle(7) == (has_world ? CommIndex::world : CommIndex::unknown));
}

TEST_CASE("the name that a child will have is known beforehand") {
  Registry registry;
  registry.set_max_children(2);
  registry.add({});
  registry.add({});
  char room[Registry::max_name];
  for (std::uint32_t ordinal = 1; ordinal <= 4; ++ordinal) {
    std::string const expected(registry.name_of_child(CommIndex::world, Letter::spawn, ordinal, room));
    CommIndex const child = registry.add({CommIndex::world, Op{}, Letter::spawn, ordinal});
    CHECK(registry.name(child, room) == expected);
    std::string const grandchild(registry.name_of_child(child, Letter::dup, 1, room));
    CHECK(registry.name(registry.add({child, Op{}, Letter::dup, 1}), room) == grandchild);
  }
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
      auto const described = registry.describe(static_cast<CommIndex>(i));
      bool const is_of_split = described.parent == comm && described.created_by == Op::Comm_split;
      bool const is_whole =
          !described.is_described_here || (described.total_size == 5 && registry.text(described.members) == "0-4");
      if (!is_of_split || !is_whole) ++torn;
    }
  } while (!done);
  thread.join();
  CHECK(torn == 0);
  CHECK(registry.size() == 3 + 1000 + 1);  // those beyond 1000 children share one record
}
