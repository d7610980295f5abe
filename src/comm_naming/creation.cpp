#include "comm_naming/creation.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

#include "comm_naming/comm_name.hpp"
#include "counters/counters.hpp"

namespace commprof::communicators {

MPI_Group world_group = MPI_GROUP_NULL;

int size_of(MPI_Group group) { return told_by<PMPI_Group_size>(group); }

namespace {

// Calls visit(rank, rank_in_other) for each rank of a group, in order. Allocates nothing, so that a process without
// memory names communicators as the others do.
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

// The smallest rank that a member of the group has in another group. MPI_UNDEFINED if a member has none there; the
// other group then belongs to another world.
int smallest_rank(MPI_Group group, MPI_Group in) {
  int smallest = INT_MAX;
  bool are_all_there = true;
  for_each_translated(group, in, [&](int, int there) {
    smallest = std::min(smallest, there);
    are_all_there &= there != MPI_UNDEFINED;
  });
  return are_all_there ? smallest : MPI_UNDEFINED;
}

// The group's first rank that belongs to this world.
int first_of_this_world(MPI_Group group) {
  int found = size_of(group);
  for_each_translated(group, world_group, [&](int rank, int there) {
    if (there != MPI_UNDEFINED) found = std::min(found, rank);
  });
  return found;
}

// The world rank of a member.
WorldRank in_world(MPI_Group group, int rank) {
  int found = MPI_UNDEFINED;
  if (rank < 0 || rank >= size_of(group)) return WorldRank::elsewhere;
  PMPI_Group_translate_ranks(group, 1, &rank, world_group, &found);
  return found == MPI_UNDEFINED ? WorldRank::elsewhere : static_cast<WorldRank>(found);
}

// The groups of a communicator. Frees them in the destructor.
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
  // The lead side's group of an intercommunicator; the only group otherwise.
  MPI_Group lead(bool is_lead_side) const { return is_lead_side || remote_ == MPI_GROUP_NULL ? local_ : remote_; }

 private:
  MPI_Group local_;
  MPI_Group remote_ = MPI_GROUP_NULL;
  bool is_world_;
};

}  // namespace

WorldRank world_rank(CommView const& comm, int rank) {
  if (comm.record.index == CommIndex::world && rank < comm.record.size) return static_cast<WorldRank>(rank);
  bool const is_inter = comm.is_inter();
  Groups const groups(comm.handle, is_inter);
  return in_world(is_inter ? groups.remote() : groups.local(), rank);
}

WorldRank world_rank(MPI_Win win, int rank) {
  MPI_Group group = MPI_GROUP_NULL;
  if (PMPI_Win_get_group(win, &group) != MPI_SUCCESS) return WorldRank::elsewhere;
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

namespace {

constinit LastingVector<char> text_scratch;

// Whether a communicator has all members of its parent.
bool has_all_of(Communicator const& record, Communicator const& parent) {
  return !record.is_inter && !record.spans_worlds && !parent.is_inter && !parent.is_folded &&
         record.size == parent.size;
}

// "cart 4x2 periods 10", "graph 8", "dist_graph" or empty.
TextRef topology_text(Letter letter, MPI_Comm comm) {
  int const status = topology_of(letter, comm);
  if (status == MPI_DIST_GRAPH) return registry.store("dist_graph");
  text_scratch.clear();
  bool fits = true;
  if (status == MPI_GRAPH) {
    int nodes = 0, edges = 0;
    PMPI_Graphdims_get(comm, &nodes, &edges);
    fits &= append(text_scratch, "graph ");
    fits &= append_number(text_scratch, nodes);
  } else if (status == MPI_CART) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    static LastingVector<int> room;
    if (!room.resize(3 * static_cast<std::size_t>(dimensions) + 1)) return {};
    int* const periods = room.begin() + dimensions;
    PMPI_Cart_get(comm, dimensions, room.begin(), periods, periods + dimensions);
    fits &= append(text_scratch, "cart ");
    for (int i = 0; i < dimensions; ++i) {
      if (i > 0) fits &= append(text_scratch, "x");
      fits &= append_number(text_scratch, room.begin()[i]);
    }
    fits &= append(text_scratch, " periods ");
    for (int i = 0; i < dimensions; ++i) fits &= append(text_scratch, periods[i] != 0 ? "1" : "0");
  }
  return fits ? registry.store({text_scratch.begin(), text_scratch.size()}) : TextRef{};
}

// The members text of a communicator that only has this process.
TextRef own_rank_text() {
  static TextRef stored;
  if (stored.length == 0) {
    text_scratch.clear();
    if (append_number(text_scratch, registry[CommIndex::world].rank))
      stored = registry.store({text_scratch.begin(), text_scratch.size()});
  }
  return stored;
}

// Fills in the members without asking MPI for groups. False if MPI must be asked. parent: nullptr if unknown.
[[gnu::hot]] bool describe_members_at_once(Communicator& record, Communicator const* parent) {
  if (record.is_inter || record.spans_worlds) return false;
  if (record.size == 1) {
    record.members = own_rank_text();
    return true;
  }
  if (parent == nullptr || !parent->is_described_here || !has_all_of(record, *parent)) return false;
  record.members = parent->members;
  return true;
}

[[gnu::hot]] void describe_topology(Communicator& record, MPI_Comm comm) {
  if (may_have_topology(record.letter)) record.topology = topology_text(record.letter, comm);
}

}  // namespace

TextRef members_text(MPI_Group group) {
  static LastingVector<int> ranks;  // of this world
  ranks.clear();
  bool fits = true;
  for_each_translated(group, world_group, [&](int, int there) {
    if (there != MPI_UNDEFINED) fits &= ranks.push_back(there);
  });
  text_scratch.clear();
  if (!fits || !append_rank_ranges(text_scratch, ranks.begin(), ranks.size())) return {};
  if (!fold_long_ranges(text_scratch, ranks.size())) return {};
  return registry.store({text_scratch.begin(), text_scratch.size()});
}

[[gnu::hot]] void describe(Communicator& record, MPI_Comm comm, Communicator const* parent) {
  bool const is_part = parent != nullptr && !parent->is_inter && makes_part_of_group(record.letter);
  if (is_part && parent->size == 1) {
    record.size = 1;
  } else {
    record.rank = told_by<PMPI_Comm_rank>(comm);
    record.size = told_by<PMPI_Comm_size>(comm);
  }
  if (!is_part) record.is_inter = told_by<PMPI_Comm_test_inter>(comm) != 0;
  record.has_all_processes = !record.is_inter && !record.spans_worlds && record.size == registry[CommIndex::world].size;
  record.is_described_here = record.rank == 0;
  if (!record.is_inter && !record.spans_worlds && record.rank != 0) return;
  if (describe_members_at_once(record, parent)) return describe_topology(record, comm);
  Groups const groups(comm, record.is_inter);
  if (record.is_inter) {
    record.remote_size = told_by<PMPI_Comm_remote_size>(comm);
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

namespace {

// Describes a duplicate, which has the group and topology of the original. Does not ask MPI: the duplicate may still be
// incomplete (MPI_Comm_idup).
[[gnu::hot]] void describe_as(Communicator& record, Communicator const& original) {
  record.is_inter = original.is_inter;
  record.has_all_processes = original.has_all_processes;
  record.is_described_here = original.is_described_here;
  record.is_lead_side = original.is_lead_side;
  record.size = original.size;
  record.remote_size = original.remote_size;
  record.rank = original.rank;
  record.members = original.members;
  record.topology = original.topology;
  record.reorder = original.reorder;
}

// The smallest rank that a member has in the parent; on an intercommunicator, both sides get the lead side's.
[[gnu::hot]] std::int32_t smallest_rank_in_parent(Communicator const& record, MPI_Comm comm, Communicator const& parent,
                                                  MPI_Comm parent_handle) {
  if (has_all_of(record, parent)) return 0;
  if (record.total_size() == 1 && !parent.is_inter && !parent.is_folded) return parent.rank;
  bool const leads = parent.is_inter ? parent.is_lead_side : record.is_lead_side;
  Groups const groups(comm, record.is_inter), parent_groups(parent_handle, parent.is_inter);
  return smallest_rank(groups.lead(leads), parent_groups.lead(leads));
}

// Whether only the members of the new communicator make the call, without the others of a parent that all of them know.
bool is_of_members(Letter letter) {
  return is_one_of<Letter::create_group, Letter::from_group, Letter::intercomm, Letter::connect>(letter);
}

// Whether the call is collective over the communicator that it is given.
bool is_counted_on_parent(Letter letter) { return !is_one_of<Letter::create_group, Letter::from_group>(letter); }

struct Parent {
  Communicator& record;
  MPI_Comm handle;
};

// Fills in a new record, or updates a folded one.
[[gnu::hot]] void fill_in(Communicator& record, CreationCall const& call, bool spans_worlds, Parent parent,
                          MPI_Comm comm) {
  if (record.created_at == SiteIndex::none) record.created_at = call.site;
  if (record.is_folded) {
    // All communicators of a folded record have members of the parent's group only.
    if (record.members.length == 0)
      record.members =
          parent.record.is_folded ? parent.record.members : members_text(Groups(parent.handle, false).local());
    return;
  }
  record.spans_worlds = spans_worlds;
  if (call.letter == Letter::dup) describe_as(record, parent.record);
  else describe(record, comm, &parent.record);
  if (call.several) record.smallest_parent_rank = smallest_rank_in_parent(record, comm, parent.record, parent.handle);
  if (call.reorder >= 0) record.reorder = static_cast<std::int8_t>(call.reorder != 0);
}

// The members' ranks in the parent. Members of other worlds have no rank in the world.
RankSet ranks_in(MPI_Group parent, MPI_Group group) {
  RankSet ranks;
  for_each_translated(group, parent, [&](int, int there) {
    if (there != MPI_UNDEFINED) ranks.add(there);
  });
  return ranks;
}

bool span_worlds(Groups const& groups) {
  return smallest_rank(groups.local(), world_group) == MPI_UNDEFINED ||
         smallest_rank(groups.remote(), world_group) == MPI_UNDEFINED;
}

// For is_of_members(). The groups of an intercommunicator do not know each other's parents, so it becomes a child of
// the world. With another world there is no common parent: it becomes a child of the communicator that the call got,
// with the ordinal there. ordinal: 0 if the call got no communicator.
[[gnu::cold, gnu::noinline]] Communicator* add_of_members(CreationCall const& call, Parent given, std::uint32_t ordinal,
                                                          MPI_Comm comm) {
  bool const is_inter = told_by<PMPI_Comm_test_inter>(comm) != 0;
  Groups const groups(comm, is_inter);
  if (is_inter && ordinal > 0 && span_worlds(groups)) {
    Communicator* const record = registry.add_child(given.record, call.op, call.letter, ordinal);
    if (record != nullptr) fill_in(*record, call, given.record.spans_worlds, given, comm);
    return record;
  }
  Parent const parent = is_inter ? Parent{registry[CommIndex::world], MPI_COMM_NULL} : given;
  Groups const in(parent.handle, false);
  RankSet const local = ranks_in(in.local(), groups.local());
  MembersOfCall members =
      is_inter ? MembersOfCall::of(local, ranks_in(in.local(), groups.remote())) : MembersOfCall::of(local);
  members.tag = call.tag;
  Communicator* const record = registry.add_of_members(parent.record, call.op, call.letter, members);
  CreationCall described = call;
  described.several = false;  // the members are part of the name
  bool const may_span_worlds = parent.record.spans_worlds || call.letter == Letter::from_group;
  if (record != nullptr) fill_in(*record, described, may_span_worlds, parent, comm);
  return record;
}

}  // namespace

[[gnu::hot]] Communicator* add_created(CreationCall const& call, CommIndex parent_index, MPI_Comm parent_handle,
                                       MPI_Comm comm) {
  if (parent_index == CommIndex::unknown) return nullptr;
  Parent const parent{registry[parent_index], parent_handle};
  Guard const lock(registry.mutex);
  std::uint32_t const ordinal = is_counted_on_parent(call.letter) ? ++parent.record.creations : 0;
  if (comm == MPI_COMM_NULL) return nullptr;
  if (is_of_members(call.letter)) [[unlikely]]
    return add_of_members(call, parent, ordinal, comm);
  Communicator* const record = registry.add_child(parent.record, call.op, call.letter, ordinal);
  if (record != nullptr) fill_in(*record, call, parent.record.spans_worlds, parent, comm);
  return record;
}

CommIndex add_foreign(MPI_Comm comm) {
  Guard const lock(registry.mutex);
  Groups const groups(comm, false);
  Communicator* const record = registry.add_foreign(ranks_in(world_group, groups.local()));
  if (record == nullptr) return CommIndex::unknown;
  if (record->is_folded) return record->index;
  record->spans_worlds = true;  // as far as is known
  describe(*record, comm);
  return record->index;
}

}  // namespace commprof::communicators
