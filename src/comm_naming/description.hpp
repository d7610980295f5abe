// Fills in what a communicator's row says: its group, its members, its topology. The caller holds the registry's mutex.
#pragma once

#include "comm_naming/registry.hpp"
#include "mpi/mpi.hpp"

namespace commprof::communicators {

// What MPI tells of a communicator, without asking for what the parent's record tells. parent: nullptr where it is not
// known.
void describe(Communicator& record, MPI_Comm comm, Communicator const* parent = nullptr);

// A duplicate has the group and the topology of the original, and may still be incomplete, so MPI is not asked.
void describe_as(Communicator& record, Communicator const& original);

// Whether a communicator has the very members of its parent.
inline bool has_all_of(Communicator const& record, Communicator const& parent) {
  return !record.is_inter && !record.spans_worlds && !parent.is_inter && !parent.is_folded &&
         record.size == parent.size;
}

// The world ranks of a group, without processes of other worlds, as ranges.
TextRef members_text(MPI_Group group);

}  // namespace commprof::communicators
