#include "comm_naming/communicators.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstring>
#include <mutex>
#include <numeric>

#include "base/dropped.hpp"
#include "base/immortal.hpp"
#include "comm_naming/rank_ranges.hpp"
#include "counters/counters.hpp"
#include "ops.hpp"

namespace commprof {

namespace communicators {

Registry registry;

namespace {

// Guards the scratch room, too. Never held around a call that sets, copies or deletes attributes: MPI runs on_delete with locks of
// its own held.
std::mutex& creation_mutex = registry.mutex;
int keyval = MPI_KEYVAL_INVALID;
MPI_Group world_group = MPI_GROUP_NULL;
Scratch rank_scratch;
constinit Immortal<PageVector<char>> text_scratch;
thread_local Release* current_release = nullptr;

// Hot is, here and in the registry and the counters, what each creation and release runs through: the linker puts it together,
// since MPI's part of them leaves little of ours in the processor's caches.
[[gnu::hot]] void attach(Communicator& record, MPI_Comm comm) {
  std::atomic_ref const handle(record.handle);
  handle.store(handle_bits(comm), std::memory_order_relaxed);
  if (!record.is_folded) record.own_root = record.is_inter ? MPI_ROOT : record.rank;
  // Without the attribute nobody would hear of the communicator's end.
  if (PMPI_Comm_set_attr(comm, keyval, &record) != MPI_SUCCESS) handle.store(0, std::memory_order_relaxed);
}

// The ranks that the members of a group have in another one, ascending by rank in the first. nullptr without memory.
int* translated(MPI_Group group, int size, MPI_Group into) {
  auto const count = static_cast<std::size_t>(size);
  int* const room = rank_scratch.room<int>(2 * count);
  if (room == nullptr) return nullptr;
  for (int rank = 0; rank < size; ++rank) room[rank] = rank;
  PMPI_Group_translate_ranks(group, size, room, into, room + count);
  return room + count;
}

int size_of(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  return size;
}

// The world ranks of a group, but for processes of other worlds.
TextRef members_text(MPI_Group group) {
  int const size = size_of(group);
  int* const world_ranks = translated(group, size, world_group);
  text_scratch->clear();
  if (world_ranks == nullptr) return {};
  auto const known = std::remove(world_ranks, world_ranks + size, MPI_UNDEFINED) - world_ranks;
  if (!append_rank_ranges(*text_scratch, world_ranks, static_cast<std::size_t>(known))) return {};
  return registry.store({text_scratch->begin(), text_scratch->size()});
}

// Calls visit(rank, rank there) for each rank of a group and the one that it has in another, in order. Takes no memory: what
// follows from it has to be the same on all processes, or those that have memory would wait for the others.
template <class Visitor>
void for_each_translated(MPI_Group group, MPI_Group into, Visitor&& visit) {
  constexpr int at_once = 256;
  int const size = size_of(group);
  for (int first = 0; first < size; first += at_once) {
    int here[at_once], there[at_once];
    int const count = std::min(at_once, size - first);
    std::iota(here, here + count, first);
    PMPI_Group_translate_ranks(group, count, here, into, there);
    for (int i = 0; i < count; ++i) visit(here[i], there[i]);
  }
}

// MPI_UNDEFINED if a member has no rank in the other group, which is then that of another world.
int smallest_rank(MPI_Group group, MPI_Group in) {
  int smallest = INT_MAX;
  bool are_all_there = true;
  for_each_translated(group, in, [&](int, int there) {
    smallest = std::min(smallest, there);
    are_all_there &= there != MPI_UNDEFINED;
  });
  return are_all_there ? smallest : MPI_UNDEFINED;
}

// The rank of the member that has the smallest rank in another group.
int rank_of_smallest(MPI_Group group, MPI_Group in) {
  int smallest = INT_MAX, found = 0;
  for_each_translated(group, in, [&](int rank, int there) {
    if (there >= smallest) return;
    smallest = there;
    found = rank;
  });
  return found;
}

WorldRank in_world(MPI_Group group, int rank) {
  int found = MPI_UNDEFINED;
  PMPI_Group_translate_ranks(group, 1, &rank, world_group, &found);
  return found == MPI_UNDEFINED ? WorldRank::elsewhere : static_cast<WorldRank>(found);
}

// The groups of a communicator, for the length of a block.
class Groups {
 public:
  // comm: MPI_COMM_NULL stands for the world.
  Groups(MPI_Comm comm, bool is_inter) : local_(world_group), is_world_(comm == MPI_COMM_NULL) {
    if (is_world_) return;
    PMPI_Comm_group(comm, &local_);
    if (is_inter) PMPI_Comm_remote_group(comm, &remote_);
  }
  Groups(Groups const&) = delete;
  Groups& operator=(Groups const&) = delete;
  ~Groups() {
    if (!is_world_) PMPI_Group_free(&local_);
    if (remote_ != MPI_GROUP_NULL) PMPI_Group_free(&remote_);
  }
  MPI_Group local() const { return local_; }
  MPI_Group remote() const { return remote_; }
  // The group that names what is made from an intercommunicator; the only one otherwise.
  MPI_Group lead(bool is_lead_side) const { return is_lead_side || remote_ == MPI_GROUP_NULL ? local_ : remote_; }

 private:
  MPI_Group local_;
  MPI_Group remote_ = MPI_GROUP_NULL;
  bool is_world_;
};

// "cart 4x2 periods 10", "graph 8", "dist_graph" or nothing.
TextRef topology_text(MPI_Comm comm) {
  int status = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &status);
  if (status == MPI_DIST_GRAPH) return registry.store("dist_graph");
  text_scratch->clear();
  bool fits = true;
  auto const put_number = [&](int number) {
    char digits[12];
    char const* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    fits &= append(*text_scratch, {digits, static_cast<std::size_t>(end - digits)});
  };
  if (status == MPI_GRAPH) {
    int nodes = 0, edges = 0;
    PMPI_Graphdims_get(comm, &nodes, &edges);
    fits &= append(*text_scratch, "graph ");
    put_number(nodes);
  } else if (status == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    int* const room = rank_scratch.room<int>(3 * static_cast<std::size_t>(dimensions) + 1);
    if (room == nullptr) return {};
    int* const periods = room + dimensions;
    PMPI_Cart_get(comm, dimensions, room, periods, periods + dimensions);
    fits &= append(*text_scratch, "cart ");
    for (int i = 0; i < dimensions; ++i) {
      if (i > 0) fits &= append(*text_scratch, "x");
      put_number(room[i]);
    }
    fits &= append(*text_scratch, " periods ");
    for (int i = 0; i < dimensions; ++i) fits &= append(*text_scratch, periods[i] != 0 ? "1" : "0");
  }
  return fits ? registry.store({text_scratch->begin(), text_scratch->size()}) : TextRef{};
}

// The first rank of a group, by its own order, that is in this world.
int first_of_this_world(MPI_Group group) {
  int found = size_of(group);
  for_each_translated(group, world_group, [&](int rank, int there) {
    if (there != MPI_UNDEFINED) found = std::min(found, rank);
  });
  return found;
}

// The members of a communicator of this process alone.
TextRef own_rank_text() {
  static TextRef stored;
  if (stored.length == 0) {
    char digits[12];
    char const* const end = std::to_chars(digits, digits + sizeof digits, registry[CommIndex::world].rank).ptr;
    stored = registry.store({digits, static_cast<std::size_t>(end - digits)});
  }
  return stored;
}

// Whether a communicator has the very members of its parent.
bool has_all_of(Communicator const& record, Communicator const& parent) {
  return !record.is_inter && !record.spans_worlds && !parent.is_inter && !parent.is_folded && record.size == parent.size;
}

// The members, where MPI need not be asked for groups; false if it has to be. parent: nullptr where it is not known.
bool describe_members_at_once(Communicator& record, Communicator const* parent) {
  if (record.is_inter || record.spans_worlds) return false;
  if (record.size == 1) {
    record.members = own_rank_text();
    return true;
  }
  if (parent == nullptr || !parent->is_described_here || !has_all_of(record, *parent)) return false;
  record.members = parent->members;
  return true;
}

void describe_topology(Communicator& record, MPI_Comm comm) {
  if (may_have_topology(record.letter)) record.topology = topology_text(comm);
}

// Fills in what MPI knows of a communicator, without asking it for what the parent tells.
[[gnu::hot]] void describe(Communicator& record, MPI_Comm comm, Communicator const* parent = nullptr) {
  bool const is_part = parent != nullptr && !parent->is_inter && makes_part_of_group(record.letter);
  if (is_part && parent->size == 1) {
    record.size = 1;
  } else {
    PMPI_Comm_rank(comm, &record.rank);
    PMPI_Comm_size(comm, &record.size);
  }
  if (!is_part) {
    int inter = 0;
    PMPI_Comm_test_inter(comm, &inter);
    record.is_inter = inter != 0;
  }
  record.is_described_here = record.rank == 0;
  if (!record.is_inter && !record.spans_worlds && record.rank != 0) return;
  if (describe_members_at_once(record, parent)) return describe_topology(record, comm);
  Groups const groups(comm, record.is_inter);
  if (record.is_inter) {
    PMPI_Comm_remote_size(comm, &record.remote_size);
    int const here = smallest_rank(groups.local(), world_group), there = smallest_rank(groups.remote(), world_group);
    record.spans_worlds = here == MPI_UNDEFINED || there == MPI_UNDEFINED;
    record.is_lead_side = record.spans_worlds || here < there;
  } else if (record.spans_worlds) {
    record.spans_worlds = smallest_rank(groups.local(), world_group) == MPI_UNDEFINED;
  }
  if (record.spans_worlds) record.is_described_here = first_of_this_world(groups.local()) == record.rank;
  if (!record.is_described_here) return;
  if (!record.is_inter) {
    record.members = members_text(groups.local());
    describe_topology(record, comm);
    return;
  }
  MPI_Group both;
  PMPI_Group_union(groups.local(), groups.remote(), &both);
  record.members = members_text(both);
  PMPI_Group_free(&both);
}

// The smallest rank in the parent of a communicator's members, the same on both sides of an intercommunicator.
std::int32_t smallest_rank_in_parent(Communicator const& record, MPI_Comm comm, Communicator const& parent,
                                     MPI_Comm parent_handle) {
  if (has_all_of(record, parent)) return 0;
  if (record.total_size() == 1 && !parent.is_inter && !parent.is_folded) return parent.rank;
  bool const leads = parent.is_inter ? parent.is_lead_side : record.is_lead_side;
  Groups const groups(comm, record.is_inter), parent_groups(parent_handle, parent.is_inter);
  return smallest_rank(groups.lead(leads), parent_groups.lead(leads));
}

// A duplicate has its parent's group and topology, and may still be incomplete, so MPI is not asked.
void describe_as(Communicator& record, Communicator const& original) {
  record.is_inter = original.is_inter;
  record.is_described_here = original.is_described_here;
  record.is_lead_side = original.is_lead_side;
  record.size = original.size;
  record.remote_size = original.remote_size;
  record.rank = original.rank;
  record.members = original.members;
  record.topology = original.topology;
  record.reorder = original.reorder;
}

// Tells all members of a communicator a number that one process of its lead side knows. On an intercommunicator, where a
// broadcast reaches the other side only, it goes there and comes back.
void tell_all(std::uint32_t& number, int root, MPI_Comm comm, Communicator const& described) {
  if (!described.is_inter) {
    PMPI_Bcast(&number, 1, MPI_UINT32_T, root, comm);
    return;
  }
  int const as_sender = described.rank == root ? MPI_ROOT : MPI_PROC_NULL;
  PMPI_Bcast(&number, 1, MPI_UINT32_T, described.is_lead_side ? as_sender : root, comm);
  int const back = described.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  PMPI_Bcast(&number, 1, MPI_UINT32_T, described.is_lead_side ? 0 : back, comm);
}

// The next ordinal of a creation that is not collective over the parent: that of the member with the smallest rank in the
// parent, whose own count of the groups it has led makes the name unique.
[[gnu::cold, gnu::noinline]] std::uint32_t agreed_ordinal(Communicator& parent, MPI_Comm parent_handle, MPI_Comm comm) {
  Communicator described;
  int root = 0;
  std::uint32_t ordinal = 0;
  {
    Guard const lock(creation_mutex);
    described.spans_worlds = parent.spans_worlds;
    describe(described, comm);
    Groups const groups(comm, described.is_inter), parent_groups(parent_handle, parent.is_inter);
    root = rank_of_smallest(groups.lead(described.is_lead_side), parent_groups.local());
    if (described.is_lead_side && described.rank == root) ordinal = ++parent.group_creations;
  }
  // Each world has a profile of its own, so between worlds nothing need be agreed.
  if (!described.spans_worlds) tell_all(ordinal, root, comm, described);
  return ordinal;
}

// Whether the two sides of what a call makes come from two communicators, and know it by different parents.
bool joins_two_parents(CreationCall const& call, CommIndex parent) {
  return call.letter == Letter::intercomm || (call.letter == Letter::connect && parent != CommIndex::self);
}

// The leading side of an intercommunicator of two parents tells the other its name: an empty one if there is no record that
// would have it. Between worlds nothing need be agreed.
CommIndex agree_on_name(CommIndex index, MPI_Comm comm, Communicator const& described) {
  if (described.spans_worlds) return index;
  struct {
    std::int32_t folded_size;  // of the record, if others share it
    char name[Registry::max_name];
  } told{};
  if (described.is_lead_side && index != CommIndex::unknown) {
    Guard const lock(creation_mutex);
    char room[Registry::max_name];
    std::string_view const own = registry.name(index, room);
    std::memcpy(told.name, own.data(), std::min(own.size(), sizeof told.name - 1));
    told.folded_size = registry[index].size;
  }
  int const as_sender = described.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  PMPI_Bcast(&told, sizeof told, MPI_BYTE, described.is_lead_side ? as_sender : 0, comm);
  if (described.is_lead_side || index == CommIndex::unknown) return index;
  Guard const lock(creation_mutex);
  if (told.name[0] == '\0') {
    registry[index].instances = 0;
    return CommIndex::unknown;
  }
  CommIndex const named = registry.set_own_name(index, told.name);
  Communicator& record = registry[named];
  if (record.is_folded) {
    record.size = told.folded_size;
    record.remote_size = 0;
  }
  return named;
}

struct Parent {
  Communicator& record;
  MPI_Comm handle;
};

// What a new record says of its communicator, and one that is shared of those that share it.
[[gnu::hot]] void fill_in(Communicator& record, CreationCall const& call, bool spans_worlds, Parent parent, MPI_Comm comm) {
  if (record.is_folded) {
    // All that is folded lies within the group of the parent, or of the parent that the parent is folded into.
    if (record.members.length == 0)
      record.members = parent.record.is_folded ? parent.record.members : members_text(Groups(parent.handle, false).local());
    return;
  }
  record.spans_worlds = spans_worlds;
  if (call.letter == Letter::dup) describe_as(record, parent.record);
  else describe(record, comm, &parent.record);
  if (call.several) record.smallest_parent_rank = smallest_rank_in_parent(record, comm, parent.record, parent.handle);
  if (call.reorder >= 0) record.reorder = static_cast<std::int8_t>(call.reorder != 0);
}

// Both return the record of what a call has made, nullptr if it made nothing or there is no record. The parent's index is unknown
// where it has none itself.
[[gnu::hot]] inline Communicator* add_of_one_parent(CreationCall const& call, Parent parent, MPI_Comm comm) {
  bool const is_collective_over_parent = call.letter != Letter::create_group && call.letter != Letter::from_group;
  std::uint32_t ordinal = 0;
  if (!is_collective_over_parent) [[unlikely]] {
    if (comm == MPI_COMM_NULL) return nullptr;
    ordinal = agreed_ordinal(parent.record, parent.handle, comm);
  }
  Guard const lock(creation_mutex);
  if (is_collective_over_parent) ordinal = ++parent.record.creations;
  if (comm == MPI_COMM_NULL || parent.record.index == CommIndex::unknown) return nullptr;
  Communicator* const record = registry.add_child(parent.record, call.op, call.letter, ordinal);
  bool const spans_worlds = parent.record.spans_worlds || call.letter == Letter::from_group;
  if (record != nullptr) fill_in(*record, call, spans_worlds, parent, comm);
  return record;
}

// Of a communicator whose sides come from two communicators.
[[gnu::cold, gnu::noinline]] Communicator* add_of_two_parents(CreationCall const& call, Parent parent, MPI_Comm comm) {
  Communicator described;
  CommIndex index = CommIndex::unknown;
  {
    Guard const lock(creation_mutex);
    std::uint32_t const ordinal = ++parent.record.creations;
    if (comm == MPI_COMM_NULL) return nullptr;
    described.spans_worlds = parent.record.spans_worlds;
    describe(described, comm);
    if (parent.record.index != CommIndex::unknown)
      index = described.is_lead_side ? registry.add({parent.record.index, call.op, call.letter, ordinal})
                                     : registry.add_named(call.op, call.letter);
    if (index != CommIndex::unknown) fill_in(registry[index], call, described.spans_worlds, parent, comm);
  }
  CommIndex const named = agree_on_name(index, comm, described);
  return named != CommIndex::unknown ? &registry[named] : nullptr;
}

// A communicator that appears without a creation call that was seen. Members meet such communicators of one group in the
// same order in all but contrived programs, so they agree on the name without a message.
CommIndex add_foreign(MPI_Comm comm) {
  Guard const lock(creation_mutex);
  CommIndex const index = registry.add({CommIndex::unknown, {}, Letter::foreign, 1});
  if (index == CommIndex::unknown) return index;
  Communicator& record = registry[index];
  record.spans_worlds = true;  // as far as is known
  describe(record, comm);
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  if (int* const ranks = translated(group, record.size, world_group)) {
    std::uint32_t hash = 2166136261U;  // FNV-1a
    int* const known = std::remove(ranks, ranks + record.size, MPI_UNDEFINED);
    for (int const* rank = ranks; rank != known; ++rank) hash = (hash ^ static_cast<std::uint32_t>(*rank)) * 16777619U;
    record.group_hash = hash;
    record.smallest_parent_rank = known == ranks ? 0 : *std::min_element(ranks, known);
  }
  PMPI_Group_free(&group);
  for (std::size_t i = 0; i + 1 < registry.size(); ++i) {
    Communicator const& other = registry[static_cast<CommIndex>(i)];
    if (other.letter == Letter::foreign && other.group_hash == record.group_hash &&
        other.smallest_parent_rank == record.smallest_parent_rank)
      ++record.ordinal;
  }
  return index;
}

// A world that was spawned has a communicator to its parents from the start.
bool add_parent_of_world() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) return false;
  CommIndex const index = registry.add_named(Op::Comm_spawn, Letter::spawn);
  if (index == CommIndex::unknown) return true;
  describe(registry[index], parent);
  registry.set_own_name(index, "PARENT");
  attach(registry[index], parent);
  return true;
}

}  // namespace

[[gnu::hot]] int on_delete(MPI_Comm comm, int, void* value, void*) {
  // MPI may hold locks of its own here, so this takes none.
  auto& record = *static_cast<Communicator*>(value);
  record.count_freed(handle_bits(comm), state.is_threaded());  // a handle that MPI will give out again
  if (record.is_folded) CallCache::forget_shared(state.is_threaded());
  if (current_release != nullptr && current_release->handle_ == comm) current_release->index_ = record.index;
  return MPI_SUCCESS;
}

bool start(std::uint32_t max_children, MPI_Group world) {
  registry.set_max_children(max_children);
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, nullptr) != MPI_SUCCESS) return false;
  world_group = world;
  if (registry.add({}) != CommIndex::world || registry.add({}) != CommIndex::self) return false;
  Communicator& world_record = registry[CommIndex::world];
  PMPI_Group_rank(world, &world_record.rank);
  world_record.size = size_of(world);
  world_record.is_described_here = world_record.rank == 0;
  if (world_record.is_described_here) world_record.members = members_text(world);
  registry[CommIndex::self].size = 1;
  return true;
}

bool attach_predefined() {
  attach(registry[CommIndex::world], MPI_COMM_WORLD);
  attach(registry[CommIndex::self], MPI_COMM_SELF);
  return add_parent_of_world();
}

CommIndex of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, keyval, &value, &found);
  if (found != 0) [[likely]] return static_cast<Communicator const*>(value)->index;
  CommIndex const index = add_foreign(comm);
  if (index != CommIndex::unknown) attach(registry[index], comm);
  return index;
}

CommIndex of_doubtful(MPI_Comm comm) {
  Guard const lock(creation_mutex);
  return comm == MPI_COMM_NULL ? CommIndex::unknown : registry.find_by_handle(handle_bits(comm));
}

CommIndex of_any(MPI_Comm comm) {
  CommIndex const known = of_doubtful(comm);
  if (comm == MPI_COMM_NULL || known != CommIndex::unknown) return known;
  int has_world = 0;  // a program that uses sessions only has none
  PMPI_Initialized(&has_world);
  if (has_world == 0) return CommIndex::unknown;
  // Where handles are pointers, MPI's own table tells those that dangle; asking for more would follow them.
  if (PMPI_Comm_f2c(PMPI_Comm_c2f(comm)) != comm) return CommIndex::unknown;
  // An invalid handle raises its error on the world, since MPI-4 on MPI_COMM_SELF (§9.3).
  static std::mutex handlers_mutex;
  std::lock_guard const lock(handlers_mutex);
  constexpr int count = 2;
  MPI_Comm const raised_on[count] = {MPI_COMM_WORLD, MPI_COMM_SELF};
  MPI_Errhandler handlers[count];
  for (int i = 0; i < count; ++i) {
    PMPI_Comm_get_errhandler(raised_on[i], &handlers[i]);
    PMPI_Comm_set_errhandler(raised_on[i], MPI_ERRORS_RETURN);
  }
  int size = 0;
  bool const is_valid = PMPI_Comm_size(comm, &size) == MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    PMPI_Comm_set_errhandler(raised_on[i], handlers[i]);
    PMPI_Errhandler_free(&handlers[i]);
  }
  return is_valid ? of(comm) : CommIndex::unknown;
}

[[gnu::hot]] void created(CreationCall const& call, CommIndex parent_index, MPI_Comm parent_handle, MPI_Comm comm) {
  // Where there is no memory for a record, this process still takes part in what the members have to agree on.
  static Communicator unrecorded;
  Parent const parent{parent_index == CommIndex::unknown ? unrecorded : registry[parent_index], parent_handle};
  Communicator* const record = joins_two_parents(call, parent_index) ? add_of_two_parents(call, parent, comm)
                                                                     : add_of_one_parent(call, parent, comm);
  if (record != nullptr) attach(*record, comm);
}

WorldRank world_rank(CommView const& comm, int rank) {
  if (comm.record.index == CommIndex::world) return static_cast<WorldRank>(rank);
  bool const is_inter = comm.is_inter();
  Groups const groups(comm.handle, is_inter);
  return in_world(is_inter ? groups.remote() : groups.local(), rank);
}

WorldRank world_rank(MPI_Win win, int rank) {
  MPI_Group group;
  PMPI_Win_get_group(win, &group);
  WorldRank const found = in_world(group, rank);
  PMPI_Group_free(&group);
  return found;
}

void world_ranks(MPI_Comm comm, bool is_inter, int size, WorldRank* ranks) {
  Groups const groups(comm, is_inter);
  for_each_translated(is_inter ? groups.remote() : groups.local(), world_group, [&](int rank, int there) {
    if (rank < size) ranks[rank] = there == MPI_UNDEFINED ? WorldRank::elsewhere : static_cast<WorldRank>(there);
  });
}

std::string_view name(CommIndex index, char* room) {
  Guard const lock(creation_mutex);
  return registry.name(index, room);
}

std::string_view next_name(MPI_Comm parent, Letter letter, char* room) {
  CommIndex const index = of(parent);
  if (index == CommIndex::unknown) return {};
  Guard const lock(creation_mutex);
  return registry.name_of_child(index, letter, registry[index].creations + 1, room);
}

void named(MPI_Comm comm, std::string_view name) {
  CommIndex const index = of(comm);
  if (index == CommIndex::unknown) return;
  Guard const lock(creation_mutex);
  if (name != registry.text(registry[index].user_name))
    registry[index].user_name = registry.store(name, Registry::max_user_name);
}

[[gnu::hot]] Release::Release(MPI_Comm const* comm)
    : handle_(comm == nullptr ? MPI_COMM_NULL : *comm), outer_(current_release) {
  current_release = this;
}

[[gnu::hot]] Release::~Release() { current_release = outer_; }

[[gnu::hot]] CommIndex Release::index(int) const { return index_ != CommIndex::unknown ? index_ : of_doubtful(handle_); }

}  // namespace communicators
}  // namespace commprof
