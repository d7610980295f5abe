// Fills in a communicator's group, members and topology for its row in the profile. The caller holds the registry's
// mutex.
#pragma once

#include "comm_naming/registry.hpp"
#include "mpi/mpi.hpp"

namespace commprof::communicators {

// Asks MPI only for what does not follow from the parent's record. parent: nullptr if it is unknown.
void describe(Communicator& record, MPI_Comm comm, Communicator const* parent = nullptr);

// Describes a duplicate, which has the group and topology of the original. Does not ask MPI: the duplicate may still be
// incomplete (MPI_Comm_idup).
void describe_as(Communicator& record, Communicator const& original);

// The topology of a communicator that a call of that letter made. MPI_Topo_test of Open MPI 5.0.7 takes a distributed
// graph that was made from a grid for a grid, and the functions that ask about grids crash.
inline int topology_of(Letter letter, MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  if (letter == Letter::dist_graph) topology = MPI_DIST_GRAPH;
  else PMPI_Topo_test(comm, &topology);
  return topology;
}

// Whether a communicator has all members of its parent.
inline bool has_all_of(Communicator const& record, Communicator const& parent) {
  return !record.is_inter && !record.spans_worlds && !parent.is_inter && !parent.is_folded &&
         record.size == parent.size;
}

// The world ranks of a group, without processes of other worlds, as ranges.
TextRef members_text(MPI_Group group);

}  // namespace commprof::communicators
