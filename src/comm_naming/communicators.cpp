#include "comm_naming/communicators.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <mutex>

#include "comm_naming/rank_ranges.hpp"
#include "profile/dropped.hpp"

namespace commprof {

int CommView::rank() const {
  if (!record.is_folded) [[likely]] return record.rank;
  int rank = 0;
  PMPI_Comm_rank(handle, &rank);
  return rank;
}

int CommView::size() const {
  if (!record.is_folded) [[likely]] return record.size;
  int size = 0;
  PMPI_Comm_size(handle, &size);
  return size;
}

int CommView::remote_size() const { return record.is_inter ? record.remote_size : size(); }

namespace communicators {

Registry registry;

namespace {

// Guards the registry and the scratch room. Never held around a call that sets, copies or deletes attributes: MPI runs
// on_delete with locks of its own held.
std::mutex creation_mutex;
int keyval = MPI_KEYVAL_INVALID;
MPI_Group world_group = MPI_GROUP_NULL;
Scratch rank_scratch;
PageVector<char> text_scratch;
thread_local Release* current_release = nullptr;

void attach(CommIndex index, MPI_Comm comm) {
  registry[index].handle = handle_bits(comm);
  PMPI_Comm_set_attr(comm, keyval, reinterpret_cast<void*>(static_cast<std::uintptr_t>(index)));
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

TextRef members_text(MPI_Group group, int size) {
  int* const world_ranks = translated(group, size, world_group);
  text_scratch.clear();
  if (world_ranks == nullptr || !append_rank_ranges(text_scratch, world_ranks, static_cast<std::size_t>(size))) return {};
  return registry.store({text_scratch.begin(), text_scratch.size()});
}

std::int32_t smallest_rank_in(MPI_Comm parent, MPI_Group group, int size) {
  MPI_Group parent_group;
  PMPI_Comm_group(parent, &parent_group);
  int const* const ranks = translated(group, size, parent_group);
  std::int32_t const smallest = ranks == nullptr ? 0 : *std::min_element(ranks, ranks + size);
  PMPI_Group_free(&parent_group);
  return smallest;
}

// "cart 4x2 periods 10", "graph 8", "dist_graph" or nothing.
TextRef topology_text(MPI_Comm comm) {
  int status = MPI_UNDEFINED;
  PMPI_Topo_test(comm, &status);
  if (status == MPI_DIST_GRAPH) return registry.store("dist_graph");
  text_scratch.clear();
  bool fits = true;
  auto const put_number = [&](int number) {
    char digits[12];
    char const* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    fits &= append(text_scratch, {digits, static_cast<std::size_t>(end - digits)});
  };
  if (status == MPI_GRAPH) {
    int nodes = 0, edges = 0;
    PMPI_Graphdims_get(comm, &nodes, &edges);
    fits &= append(text_scratch, "graph ");
    put_number(nodes);
  } else if (status == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    int* const room = rank_scratch.room<int>(3 * static_cast<std::size_t>(dimensions) + 1);
    if (room == nullptr) return {};
    int* const periods = room + dimensions;
    PMPI_Cart_get(comm, dimensions, room, periods, periods + dimensions);
    fits &= append(text_scratch, "cart ");
    for (int i = 0; i < dimensions; ++i) {
      if (i > 0) fits &= append(text_scratch, "x");
      put_number(room[i]);
    }
    fits &= append(text_scratch, " periods ");
    for (int i = 0; i < dimensions; ++i) fits &= append(text_scratch, periods[i] != 0 ? "1" : "0");
  }
  return fits ? registry.store({text_scratch.begin(), text_scratch.size()}) : TextRef{};
}

// Fills in what MPI knows of a communicator.
void describe(Communicator& record, MPI_Comm comm, MPI_Comm parent, bool several) {
  PMPI_Comm_rank(comm, &record.rank);
  PMPI_Comm_size(comm, &record.size);
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  record.is_inter = inter != 0;
  if (record.is_inter) PMPI_Comm_remote_size(comm, &record.remote_size);
  if (!several && record.rank != 0) return;
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  if (several) record.smallest_parent_rank = smallest_rank_in(parent, group, record.size);
  if (record.rank == 0) record.members = members_text(group, record.size);
  PMPI_Group_free(&group);
  if (record.rank == 0 && !record.is_inter) record.topology = topology_text(comm);
}

// A duplicate has its parent's group and topology, and may still be incomplete, so MPI is not asked.
void describe_as(Communicator& record, Communicator const& original) {
  record.is_inter = original.is_inter;
  record.size = original.size;
  record.remote_size = original.remote_size;
  record.rank = original.rank;
  record.members = original.members;
  record.topology = original.topology;
  record.reorder = original.reorder;
}

// The next ordinal of MPI_Comm_create_group on the parent: that of the member with the smallest rank in the parent, whose
// own count of the groups it has led makes the name unique.
std::uint32_t agreed_ordinal(Communicator& parent, MPI_Comm parent_handle, MPI_Comm comm) {
  MPI_Group group, parent_group;
  int size = 0;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(parent_handle, &parent_group);
  PMPI_Group_size(group, &size);
  int root = 0;
  bool is_root = false;
  std::uint32_t ordinal = 0;
  {
    std::lock_guard const lock(creation_mutex);
    if (int const* const ranks = translated(group, size, parent_group))
      root = static_cast<int>(std::min_element(ranks, ranks + size) - ranks);
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    is_root = rank == root;
    if (is_root) ordinal = ++parent.group_creations;
  }
  PMPI_Group_free(&parent_group);
  PMPI_Group_free(&group);
  PMPI_Bcast(&ordinal, 1, MPI_UINT32_T, root, comm);
  return ordinal;
}

// A communicator that appears without a creation call that was seen. Members meet such communicators of one group in the
// same order in all but contrived programs, so they agree on the name without a message.
CommIndex add_foreign(MPI_Comm comm) {
  std::lock_guard const lock(creation_mutex);
  CommIndex const index = registry.add({CommIndex::unknown, {}, Letter::foreign, 1});
  if (index == CommIndex::unknown) return index;
  Communicator& record = registry[index];
  describe(record, comm, comm, false);
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  if (int const* const ranks = translated(group, record.size, world_group)) {
    std::uint32_t hash = 2166136261U;  // FNV-1a
    for (int i = 0; i < record.size; ++i) hash = (hash ^ static_cast<std::uint32_t>(ranks[i])) * 16777619U;
    record.group_hash = hash;
    record.smallest_parent_rank = *std::min_element(ranks, ranks + record.size);
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

}  // namespace

int on_delete(MPI_Comm comm, int, void* value, void*) {
  // MPI may hold locks of its own here, so this takes none.
  auto const index = static_cast<CommIndex>(reinterpret_cast<std::uintptr_t>(value));
  registry.count_freed(index);
  if (current_release != nullptr && current_release->handle_ == comm) current_release->index_ = index;
  return MPI_SUCCESS;
}

bool start(std::uint32_t max_children) {
  registry.set_max_children(max_children);
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, nullptr) != MPI_SUCCESS) return false;
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
  for (MPI_Comm const comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    CommIndex const index = registry.add({});
    if (index == CommIndex::unknown) return false;
    describe(registry[index], comm, comm, false);
    attach(index, comm);
  }
  registry[CommIndex::self].members = {};  // each process has one of its own
  return true;
}

CommIndex of(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, keyval, &value, &found);
  if (found != 0) [[likely]] return static_cast<CommIndex>(reinterpret_cast<std::uintptr_t>(value));
  CommIndex const index = add_foreign(comm);
  if (index != CommIndex::unknown) attach(index, comm);
  return index;
}

CommIndex of_doubtful(MPI_Comm comm) {
  std::lock_guard const lock(creation_mutex);
  return comm == MPI_COMM_NULL ? CommIndex::unknown : registry.find_by_handle(handle_bits(comm));
}

void created(CreationCall const& call, CommIndex parent_index, MPI_Comm parent_handle, MPI_Comm comm) {
  if (parent_index == CommIndex::unknown) return;
  Communicator& parent = registry[parent_index];
  std::uint32_t ordinal = 0;
  if (call.letter == Letter::create_group) {
    if (comm == MPI_COMM_NULL) return;
    ordinal = agreed_ordinal(parent, parent_handle, comm);
  }
  CommIndex index;
  {
    std::lock_guard const lock(creation_mutex);
    if (call.letter != Letter::create_group) ordinal = ++parent.creations;
    if (comm == MPI_COMM_NULL) return;
    index = registry.add({parent_index, call.op, call.letter, ordinal});
    if (index == CommIndex::unknown) return;
    Communicator& record = registry[index];
    if (!record.is_folded) {
      if (call.letter == Letter{'d'}) describe_as(record, parent);
      else describe(record, comm, parent_handle, call.several);
      if (call.reorder >= 0) record.reorder = static_cast<std::int8_t>(call.reorder != 0);
    }
  }
  attach(index, comm);
}

void named(MPI_Comm comm, char const* name) {
  CommIndex const index = of(comm);
  if (index == CommIndex::unknown || name == nullptr) return;
  std::lock_guard const lock(creation_mutex);
  std::string_view const text = name;
  if (text != registry.text(registry[index].user_name))
    registry[index].user_name = registry.store(text, Registry::max_user_name);
}

Release::Release(MPI_Comm const* comm)
    : handle_(comm == nullptr ? MPI_COMM_NULL : *comm), outer_(current_release) {
  current_release = this;
}

Release::~Release() { current_release = outer_; }

CommIndex Release::index() const { return index_ != CommIndex::unknown ? index_ : of_doubtful(handle_); }

}  // namespace communicators
}  // namespace commprof
