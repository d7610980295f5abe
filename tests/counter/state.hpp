// What is counted so far, and the communicators.
#pragma once

#include "call.hpp"
// Reads what mpi.h has declared.
#include <commprof/commprof.h>

#include <deque>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "messages.hpp"
#include "volume.hpp"

namespace counter {

// Being made by a nonblocking call: there is a handle, whose members may not be asked for yet.
struct Unmade {
  MPI_Comm handle;
  std::string parent, created_by, reorder;
};

// Several requests may have one handle, for an MPI shares those that are complete. Then the variable tells, if that
// request was the last that was issued into it; else the oldest is meant.
struct Request {
  std::uintptr_t handle = 0;
  void const* variable = nullptr;
  Comm* comm = nullptr;
  Row* row = nullptr;  // of the call that issued or started it; null in a pause
  Operation operation{};
  Volume volume;  // of each start
  int peer = 0, tag = 0, message = messages::nothing;
  bool receives = false, is_active = false, is_taken = false, may_be_cancelled = false;
};

// Is never destroyed: a program may end MPI at its very end.
struct State {
  std::mutex mutex;
  std::deque<Comm> comms;
  std::list<Unmade> unmade;
  std::map<std::string, long long> regions{{"main", 1}};
  Region* region = &*regions.begin();
  std::unordered_map<std::uintptr_t, std::list<Request>> requests;  // by handle, oldest first
  std::map<std::pair<char, std::uintptr_t>, Comm*> things;          // windows, files and matched messages
  long long made_calls[std::size(operations)] = {}, at_start[std::size(operations)] = {};
  int is_paused = 0, world_size = 0, threads = 0;
  bool leaves_statuses = false;
  long long receives_freed = 0;
};
inline State& state = *new State;

// The requests that a call covers, before it completes them.
struct Covered {
  Request* request;
  bool is_null;
};
inline thread_local std::vector<Covered> covered;
inline thread_local std::vector<MPI_Status> statuses_of_counter;
inline thread_local bool is_known_thread = false;

inline Operation const& operation_of(Call const& call) { return operations[call.operation]; }

inline Row& row_of(Comm& comm, int operation, bool finds_nothing) {
  return comm.rows[{state.region, operation, finds_nothing}];
}
inline Row* count(Comm& comm, int operation, bool finds_nothing) {
  if (state.is_paused != 0) return nullptr;
  Row& row = row_of(comm, operation, finds_nothing);
  ++row.calls;
  return &row;
}

inline std::vector<int> world_ranks_of(MPI_Group group) {
  MPI_Group world;
  int size = 0;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) PMPI_Group_translate_ranks(group, 1, &i, world, &ranks[static_cast<std::size_t>(i)]);
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  return ranks;
}
inline std::string topology_of(MPI_Comm handle) {
  int topology = MPI_UNDEFINED, dimensions = 0, nodes = 0, edges = 0;
  PMPI_Topo_test(handle, &topology);
  if (topology == MPI_DIST_GRAPH) return "dist_graph";
  if (topology == MPI_GRAPH) PMPI_Graphdims_get(handle, &nodes, &edges);
  if (topology != MPI_CART) return topology == MPI_GRAPH ? "graph " + std::to_string(nodes) : "";
  PMPI_Cartdim_get(handle, &dimensions);
  int sizes[16] = {}, periods[16] = {}, places[16];
  if (dimensions > 0) PMPI_Cart_get(handle, dimensions, sizes, periods, places);
  std::string shape = "cart ", wraps = " periods ";
  for (int i = 0; i < dimensions; ++i) {
    shape += (i == 0 ? "" : "x") + std::to_string(sizes[i]);
    wraps += periods[i] != 0 ? '1' : '0';
  }
  return shape + wraps;
}
inline void add_members(Comm& comm, bool is_remote) {
  for (int const rank : comm.world_ranks) comm.members += std::to_string(rank) + " ";
  messages::add_comm(comm.index, comm.world_ranks, is_remote);
}
inline Comm& made(MPI_Comm handle, std::string const& parent, std::string const& created_by,
                  std::string const& reorder = "") {
  Comm& comm = state.comms.emplace_back();
  comm.handle = handle;
  comm.parent = parent;
  comm.created_by = created_by;
  comm.reorder = reorder;
  comm.index = static_cast<int>(state.comms.size()) - 1;
  MPI_Group group;
  PMPI_Comm_rank(handle, &comm.rank);
  PMPI_Comm_test_inter(handle, &comm.is_inter);
  PMPI_Comm_group(handle, &group);
  comm.world_ranks = world_ranks_of(group);
  comm.size = comm.peers = static_cast<int>(comm.world_ranks.size());
  add_members(comm, false);
  // In Open MPI 4.1.4 a communicator made from a group of one with a topology has that, too.
  if (comm.is_inter == 0 && !created_by.starts_with("Comm_create")) comm.topology = topology_of(handle);
  if (comm.is_inter != 0) {
    PMPI_Comm_remote_group(handle, &group);
    comm.world_ranks = world_ranks_of(group);
    comm.peers = static_cast<int>(comm.world_ranks.size());
    add_members(comm, true);
  }
  char name[COMMPROF_MAX_NAME];
  comm.name = commprof_comm_name(handle, name, sizeof name) == MPI_SUCCESS ? name : "?";
  return comm;
}

// The communicator is complete: a call uses it, or the program ends.
inline Comm& made_from(std::list<Unmade>::iterator one) {
  Comm& comm = made(one->handle, one->parent, one->created_by, one->reorder);
  state.unmade.erase(one);
  return comm;
}
inline Comm& comm_of(MPI_Comm handle) {
  for (auto comm = state.comms.rbegin(); comm != state.comms.rend(); ++comm)
    if (!comm->is_freed && comm->handle == handle) return *comm;
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) return made(handle, "", "");
  for (auto one = state.unmade.begin(); one != state.unmade.end(); ++one)
    if (one->handle == handle) return made_from(one);
  return made(handle, "unknown", "unknown");
}
inline Comm& comm_of_thing(char what, std::uintptr_t handle, bool forgets) {
  auto const found = state.things.find({what, handle});
  if (found == state.things.end()) return comm_of(MPI_COMM_SELF);
  Comm& comm = *found->second;
  if (forgets) state.things.erase(found);
  return comm;
}
// Before the call is made: it may release its communicator.
inline Comm& comm_of_call(Call const& call) {
  auto const handle = [](auto const& thing) { return (std::uintptr_t)thing; };
  if (call.comm != MPI_Comm{} && call.comm != MPI_COMM_NULL) return comm_of(call.comm);
  if (call.window != 0) return comm_of_thing('w', call.window, false);
  if (call.windows != nullptr) return comm_of_thing('w', handle(*call.windows), true);
  if (call.file != 0) return comm_of_thing('f', call.file, false);
  if (call.files != nullptr) return comm_of_thing('f', handle(*call.files), true);
  if (call.message != nullptr) return comm_of_thing('m', handle(*call.message), true);
  bool const is_of_group = operation_of(call).name.find("_from_group") != std::string_view::npos;
  return comm_of(is_of_group ? MPI_COMM_WORLD : MPI_COMM_SELF);
}
inline void note_what_is_made(Call const& call) {
  auto const& [name, kind, is_nonblocking, is_persistent] = operation_of(call);
  // Two groups make an intercommunicator together; to each its own communicator is the parent.
  std::string const parent = name.starts_with("Intercomm_create") ? "?" : call.on->name;
  // A duplicate is like its parent.
  std::string const reorder = name.find("dup") != std::string_view::npos ? call.on->reorder : call.reorder;
  if (call.new_comm != nullptr && call.requests != nullptr)
    state.unmade.push_back({*call.new_comm, parent, std::string(name), reorder});
  else if (call.new_comm != nullptr && *call.new_comm != MPI_COMM_NULL)
    made(*call.new_comm, parent, std::string(name), reorder);
  if (name == "Comm_free" || name == "Comm_disconnect") call.on->is_freed = true;
  auto const add = [&](char what, auto const& thing) { state.things[{what, (std::uintptr_t)thing}] = call.on; };
  if (call.windows != nullptr && name != "Win_free") add('w', *call.windows);
  if (call.files != nullptr && name != "File_close") add('f', *call.files);
  if (call.message != nullptr && kind == PROBE && !call.finds_nothing()) add('m', *call.message);
}

}  // namespace counter
