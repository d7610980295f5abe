#include "comm_naming/agreement.hpp"

#include <algorithm>
#include <cstring>

#include "comm_naming/communicators.hpp"
#include "comm_naming/description.hpp"
#include "comm_naming/groups.hpp"
#include "counters/counters.hpp"

namespace commprof::communicators {

namespace {

// Broadcasts a number from the process `root` of the lead side to all members. On an intercommunicator, a broadcast
// reaches the other side only, so the number goes there and comes back.
void tell_members(std::uint32_t& number, int root, MPI_Comm comm, Communicator const& described) {
  if (!described.is_inter) {
    PMPI_Bcast(&number, 1, MPI_UINT32_T, root, comm);
    return;
  }
  int const as_sender = described.rank == root ? MPI_ROOT : MPI_PROC_NULL;
  PMPI_Bcast(&number, 1, MPI_UINT32_T, described.is_lead_side ? as_sender : root, comm);
  int const back = described.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  PMPI_Bcast(&number, 1, MPI_UINT32_T, described.is_lead_side ? 0 : back, comm);
}

}  // namespace

[[gnu::cold]] std::uint32_t agreed_ordinal(Communicator& parent, MPI_Comm parent_handle, MPI_Comm comm) {
  Communicator described;
  int root = 0;
  std::uint32_t ordinal = 0;
  {
    Guard const lock(registry.mutex);
    described.spans_worlds = parent.spans_worlds;
    describe(described, comm);
    Groups const groups(comm, described.is_inter), parent_groups(parent_handle, parent.is_inter);
    root = rank_of_smallest(groups.lead(described.is_lead_side), parent_groups.local());
    if (described.is_lead_side && described.rank == root) ordinal = ++parent.group_creations;
  }
  // Each world has a profile of its own, so two worlds need not agree.
  if (!described.spans_worlds) tell_members(ordinal, root, comm, described);
  return ordinal;
}

CommIndex agree_on_name(CommIndex index, MPI_Comm comm, Communicator const& described) {
  if (described.spans_worlds) return index;
  struct {
    std::int32_t folded_size;  // the size in the record, which the other side takes over if it is folded
    char name[Registry::max_name];
  } told{};
  if (described.is_lead_side && index != CommIndex::unknown) {
    Guard const lock(registry.mutex);
    char room[Registry::max_name];
    std::string_view const own = registry.name(index, room);
    std::memcpy(told.name, own.data(), std::min(own.size(), sizeof told.name - 1));
    told.folded_size = registry[index].size;
  }
  int const as_sender = described.rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  PMPI_Bcast(&told, sizeof told, MPI_BYTE, described.is_lead_side ? as_sender : 0, comm);
  if (described.is_lead_side || index == CommIndex::unknown) return index;
  Guard const lock(registry.mutex);
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

}  // namespace commprof::communicators
