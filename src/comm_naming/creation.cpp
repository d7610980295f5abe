#include "comm_naming/creation.hpp"

#include "comm_naming/description.hpp"
#include "comm_naming/groups.hpp"
#include "counters/counters.hpp"

namespace commprof::communicators {

namespace {

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
[[gnu::hot]] bool is_of_members(Letter letter) {
  switch (letter) {
    case Letter::create_group:
    case Letter::from_group:
    case Letter::intercomm:
    case Letter::connect:
      return true;
    default:
      return false;
  }
}

// Whether the call is collective over the communicator that it is given.
[[gnu::hot]] bool is_counted_on_parent(Letter letter) {
  return letter != Letter::create_group && letter != Letter::from_group;
}

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
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  Groups const groups(comm, is_inter != 0);
  if (is_inter != 0 && ordinal > 0 && span_worlds(groups)) {
    Communicator* const record = registry.add_child(given.record, call.op, call.letter, ordinal);
    if (record != nullptr) fill_in(*record, call, given.record.spans_worlds, given, comm);
    return record;
  }
  Parent const parent = is_inter != 0 ? Parent{registry[CommIndex::world], MPI_COMM_NULL} : given;
  Groups const in(parent.handle, false);
  RankSet const local = ranks_in(in.local(), groups.local());
  MembersOfCall members =
      is_inter != 0 ? MembersOfCall::of(local, ranks_in(in.local(), groups.remote())) : MembersOfCall::of(local);
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
