// Creates the records of communicators, whether their creation call was seen or not.
#pragma once

#include "comm_naming/comm_naming.hpp"

namespace commprof::communicators {

// All processes of this world. It is never freed.
extern MPI_Group world_group;

int size_of(MPI_Group group);

// Fills in a communicator's group, members and topology for its row in the profile. The caller holds the registry's
// mutex. Asks MPI only for what does not follow from the parent's record. parent: nullptr if it is unknown.
void describe(Communicator& record, MPI_Comm comm, Communicator const* parent = nullptr);

// The topology of a communicator that a call of that letter made. MPI_Topo_test of Open MPI 5.0.7 takes a distributed
// graph that was made from a grid for a grid, and the functions that ask about grids crash.
inline int topology_of(Letter letter, MPI_Comm comm) {
  int topology = MPI_UNDEFINED;
  if (letter == Letter::dist_graph) topology = MPI_DIST_GRAPH;
  else PMPI_Topo_test(comm, &topology);
  return topology;
}

// The world ranks of a group, without processes of other worlds, as ranges.
TextRef members_text(MPI_Group group);

// Counts a call on its parent, and returns the record of the communicator that it has made; nullptr if it made none, or
// there is no memory. comm: MPI_COMM_NULL if this process is not a member.
Communicator* add_created(CreationCall const& call, CommIndex parent, MPI_Comm parent_handle, MPI_Comm comm);

// Adds a communicator whose creation call was not seen. The name has the group and the number of such communicators of
// that group so far. Except in contrived programs, all members see them in the same order and so agree on the names
// without a message.
CommIndex add_foreign(MPI_Comm comm);

}  // namespace commprof::communicators
