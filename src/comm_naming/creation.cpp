#include "comm_naming/creation.hpp"

#include <algorithm>
#include <span>

#include "base/hash.hpp"
#include "comm_naming/agreement.hpp"
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

// Whether the two groups of the new intercommunicator come from two communicators, so that each side sees another
// parent.
[[gnu::hot]] bool joins_two_parents(CreationCall const& call, CommIndex parent) {
  return call.letter == Letter::intercomm || (call.letter == Letter::connect && parent != CommIndex::self);
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

// Both add_…() return the record of the new communicator; nullptr if the call made none, or memory is used up. The
// index of a parent without a record is unknown.
[[gnu::hot]] inline Communicator* add_of_one_parent(CreationCall const& call, Parent parent, MPI_Comm comm) {
  bool const is_collective_over_parent = call.letter != Letter::create_group && call.letter != Letter::from_group;
  std::uint32_t ordinal = 0;
  if (!is_collective_over_parent) [[unlikely]] {
    if (comm == MPI_COMM_NULL) return nullptr;
    ordinal = agreed_ordinal(parent.record, parent.handle, comm);
  }
  Guard const lock(registry.mutex);
  if (is_collective_over_parent) ordinal = ++parent.record.creations;
  if (comm == MPI_COMM_NULL || parent.record.index == CommIndex::unknown) return nullptr;
  Communicator* const record = registry.add_child(parent.record, call.op, call.letter, ordinal);
  bool const spans_worlds = parent.record.spans_worlds || call.letter == Letter::from_group;
  if (record != nullptr) fill_in(*record, call, spans_worlds, parent, comm);
  return record;
}

// For joins_two_parents().
[[gnu::cold, gnu::noinline]] Communicator* add_of_two_parents(CreationCall const& call, Parent parent, MPI_Comm comm) {
  Communicator described;
  CommIndex index = CommIndex::unknown;
  {
    Guard const lock(registry.mutex);
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

}  // namespace

[[gnu::hot]] Communicator* add_created(CreationCall const& call, CommIndex parent_index, MPI_Comm parent_handle,
                                       MPI_Comm comm) {
  // Without a record of the parent, this process still takes part in the messages by which the members agree.
  static Communicator unrecorded;
  Parent const parent{parent_index == CommIndex::unknown ? unrecorded : registry[parent_index], parent_handle};
  return joins_two_parents(call, parent_index) ? add_of_two_parents(call, parent, comm)
                                               : add_of_one_parent(call, parent, comm);
}

CommIndex add_foreign(MPI_Comm comm) {
  Guard const lock(registry.mutex);
  CommIndex const index = registry.add({CommIndex::unknown, {}, Letter::foreign, 1});
  if (index == CommIndex::unknown) return index;
  Communicator& record = registry[index];
  record.spans_worlds = true;  // as far as is known
  describe(record, comm);
  MPI_Group group;
  PMPI_Comm_group(comm, &group);
  if (Ranks const ranks = world_ranks_of(group); ranks.data != nullptr) {
    record.group_hash = fnv1a<std::uint32_t>(std::span(ranks.data, ranks.count));
    record.smallest_parent_rank = ranks.count == 0 ? 0 : *std::min_element(ranks.data, ranks.data + ranks.count);
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

}  // namespace commprof::communicators
