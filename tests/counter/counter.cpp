// Counts what a program calls, to be compared with the profile of the same run: a library preloaded before
// libcommprof.so.
//
//   COUNTER_OUTPUT=DIRECTORY   where each process writes what it has counted, to a file named by its rank
//   COUNTER_STATUSES=ignored   leave MPI_STATUS_IGNORE as it is; the bytes of these receives are then unknown here
//   COUNTER_COPY=DIRECTORY     a copy of the profile's directory as it is when all processes reach MPI_Finalize
//   COUNTER_MESSAGES=DIRECTORY where each process records its messages, and when calls awaited them; see messages.hpp
//
// Knows mpi.h and the standard, and nothing of the profiler but the name that this gives a communicator. A call within
// a call is not counted. Fortran is not seen.
#include "call.hpp"
// Reads what mpi.h has declared.
#include <commprof/commprof.h>
#include <dlfcn.h>

#include <cstdarg>
#include <deque>
#include <fstream>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "messages.hpp"
#include "volume.hpp"

using namespace counter;

static thread_local int inside = 0;  // calls of the MPI or the profiler on itself are not the program's
static void enter(Call& call);
static void leave(Call& call, int result);

template <class Function>
static Function* next_definition(char const* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::fprintf(stderr, "counter: no %s\n", name), std::abort();
  return reinterpret_cast<Function*>(found);
}
#define NEXT(function) static auto* const next = next_definition<decltype(function)>(#function)

#define WRAPPERS
#include "wrappers.inc"

namespace {

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
  bool leaves_statuses = false, is_reset = false;
  long long receives_freed = 0;
};
State& state = *new State;

// The requests that a call covers, before it completes them.
struct Covered {
  Request* request;
  bool is_null;
};
thread_local std::vector<Covered> covered;
thread_local std::vector<MPI_Status> statuses_of_counter;
thread_local bool is_known_thread = false;

Operation const& operation_of(Call const& call) { return operations[call.operation]; }

Row& row_of(Comm& comm, int operation, bool finds_nothing) {
  return comm.rows[{state.region, operation, finds_nothing}];
}
Row* count(Comm& comm, int operation, bool finds_nothing) {
  if (state.is_paused != 0) return nullptr;
  Row& row = row_of(comm, operation, finds_nothing);
  ++row.calls;
  return &row;
}

// Communicators.

std::vector<int> world_ranks_of(MPI_Group group) {
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
std::string topology_of(MPI_Comm handle) {
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
void add_members(Comm& comm, bool is_remote) {
  for (int const rank : comm.world_ranks) comm.members += std::to_string(rank) + " ";
  messages::add_comm(comm.index, comm.world_ranks, is_remote);
}
Comm& made(MPI_Comm handle, std::string const& parent, std::string const& created_by, std::string const& reorder = "") {
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
Comm& made_from(std::list<Unmade>::iterator one) {
  Comm& comm = made(one->handle, one->parent, one->created_by, one->reorder);
  state.unmade.erase(one);
  return comm;
}
Comm& comm_of(MPI_Comm handle) {
  for (auto comm = state.comms.rbegin(); comm != state.comms.rend(); ++comm)
    if (!comm->is_freed && comm->handle == handle) return *comm;
  if (handle == MPI_COMM_WORLD || handle == MPI_COMM_SELF) return made(handle, "", "");
  for (auto one = state.unmade.begin(); one != state.unmade.end(); ++one)
    if (one->handle == handle) return made_from(one);
  return made(handle, "unknown", "unknown");
}
Comm& comm_of_thing(char what, std::uintptr_t handle, bool forgets) {
  auto const found = state.things.find({what, handle});
  if (found == state.things.end()) return comm_of(MPI_COMM_SELF);
  Comm& comm = *found->second;
  if (forgets) state.things.erase(found);
  return comm;
}
// Before the call is made: it may release its communicator.
Comm& comm_of_call(Call const& call) {
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
void note_what_is_made(Call const& call) {
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

// Requests and messages.

void add_message(Comm& comm, int which, int peer, long long bytes) {
  if (peer == MPI_PROC_NULL || state.is_paused != 0) return;
  int const rank = comm.world_ranks[static_cast<std::size_t>(peer)];
  if (rank < 0) return;
  Sum& sum = comm.sums[which][rank];
  ++sum.messages;
  sum.bytes += bytes;
}

Request* find(std::uintptr_t handle, void const* variable) {
  auto const found = state.requests.find(handle);
  if (found == state.requests.end()) return nullptr;
  Request *oldest = nullptr, *oldest_of_no_variable = nullptr;
  for (Request& one : found->second) {
    if (one.is_taken) continue;
    if (one.variable == variable && variable != nullptr) return &one;
    if (oldest == nullptr) oldest = &one;
    if (oldest_of_no_variable == nullptr && one.variable == nullptr) oldest_of_no_variable = &one;
  }
  return oldest_of_no_variable != nullptr ? oldest_of_no_variable : oldest;
}
void erase(Request const* request) {
  auto const all = state.requests.find(request->handle);
  all->second.remove_if([=](Request const& one) { return &one == request; });
  if (all->second.empty()) state.requests.erase(all);
}
void insert(Request const& request) {
  std::list<Request>& all = state.requests[request.handle];
  for (Request& one : all)
    if (one.variable == request.variable) one.variable = nullptr;
  all.push_back(request);
}

int started(Request const& request, std::int64_t at) {
  if (request.operation.kind != SEND && request.operation.kind != RECEIVE) return messages::nothing;
  auto const what = request.operation.kind == SEND ? messages::sent : messages::posted;
  return messages::add(what, at, request.comm->index, request.peer, request.tag);
}
void issued(Call const& call, Row* row, Volume volume) {
  Operation const& operation = operation_of(call);
  if (*call.requests == MPI_REQUEST_NULL) return;
  bool const receives = operation.kind == RECEIVE || operation.kind == READ;
  Request request{.handle = (std::uintptr_t)*call.requests,
                  .variable = call.requests,
                  .comm = call.on,
                  .row = row,
                  .operation = operation,
                  .volume = volume,
                  .peer = receives ? call.source : call.dest,
                  .tag = call.tag,
                  .receives = receives,
                  .is_active = !operation.is_persistent};
  if (!operation.is_persistent && call.message == nullptr) request.message = started(request, call.entry);
  insert(request);
}

void cover(Call const& call) {
  covered.clear();
  for (long long i = 0; i < call.request_count; ++i) {
    MPI_Request const& request = call.requests[i];
    bool const is_null = request == MPI_REQUEST_NULL;
    Request* const found = is_null ? nullptr : find((std::uintptr_t)request, call.is_copy ? nullptr : &request);
    if (found != nullptr) found->is_taken = true;
    covered.push_back({found, is_null});
  }
}

// Counts a call on each communicator of its requests, the one at `only` if that is not negative.
void count_on_each(int operation, bool finds_nothing, long long only = -1) {
  std::vector<Comm*> counted;
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (covered[i].is_null || (only >= 0 && static_cast<long long>(i) != only)) continue;
    Comm* const comm = covered[i].request == nullptr ? &comm_of(MPI_COMM_SELF) : covered[i].request->comm;
    if (std::find(counted.begin(), counted.end(), comm) == counted.end()) counted.push_back(comm);
  }
  if (counted.empty()) counted.push_back(&comm_of(MPI_COMM_SELF));
  for (Comm* const comm : counted) count(*comm, operation, finds_nothing);
}

void complete(Request& request, MPI_Status const* status) {
  if (request.is_active && request.receives && request.row != nullptr) {
    if (status == nullptr) ++request.row->unknown;
    else request.row->received += arrived(status, request.may_be_cancelled);
  }
  if (request.receives) messages::arrived(request.message, status);
  request.message = messages::nothing;
  request.is_active = false;
  if (!request.operation.is_persistent) erase(&request);
}

int flags_of_wait() { return state.is_paused != 0 ? messages::is_paused : 0; }

// A call has waited for some of the covered requests.
void record_wait(Call const& call, std::vector<std::size_t> const& completed, bool ends_with_any) {
  bool is_recorded = false;
  for (std::size_t const i : completed) {
    auto const& [request, is_null] = covered[i];
    if (is_null) continue;
    if (!is_recorded)
      messages::add_call(operation_of(call).name.data(), call.entry, call.exit,
                         flags_of_wait() | (ends_with_any ? messages::ends_with_any : 0));
    is_recorded = true;
    if (request == nullptr) messages::await(messages::unknown, messages::unknown, false);
    else messages::await(request->message, request->comm->index, request->operation.kind == SEND);
  }
}
bool is_in_error(MPI_Status const& status, int result) {
  int error_class = MPI_SUCCESS;
  if (result != MPI_SUCCESS) PMPI_Error_class(result, &error_class);
  return error_class != MPI_SUCCESS && (error_class != MPI_ERR_IN_STATUS || status.MPI_ERROR != MPI_SUCCESS);
}
void leave_completion(Call const& call, int result) {
  Operation const& operation = operation_of(call);
  MPI_Status* const statuses = *call.statuses;
  bool const knows = statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE;
  bool const ends_with_any = call.outcount != nullptr || call.index != nullptr;
  std::vector<std::size_t> completed;
  auto const add = [&](int number, int const* indices) {
    for (int k = 0; k < number; ++k) completed.push_back(static_cast<std::size_t>(indices == nullptr ? k : indices[k]));
  };
  if (call.outcount != nullptr) add(*call.outcount == MPI_UNDEFINED ? 0 : *call.outcount, call.indices);
  else if (call.index != nullptr) add(!call.finds_nothing() && *call.index != MPI_UNDEFINED ? 1 : 0, call.index);
  else if (!call.finds_nothing()) add(static_cast<int>(covered.size()), nullptr);
  bool const finds_nothing = call.finds_nothing() || (call.outcount != nullptr && *call.outcount == 0);
  long long only = operation.kind == ONE_OF ? 0 : -1;
  while (only >= 0 && only + 1 < static_cast<long long>(covered.size()) &&
         covered[static_cast<std::size_t>(only)].is_null)
    ++only;
  if (operation.kind == ONE_OF && !completed.empty()) only = static_cast<long long>(completed[0]);
  count_on_each(call.operation, finds_nothing && result == MPI_SUCCESS, only);
  for (Covered const& one : covered)
    if (one.request != nullptr) one.request->is_taken = false;
  if (operation.name.starts_with("Wait")) record_wait(call, completed, ends_with_any);
  if (operation.name.starts_with("Request_get")) return;
  for (std::size_t k = 0; k < completed.size(); ++k) {
    Request* const request = covered[completed[k]].request;
    if (request == nullptr) continue;
    if (knows && is_in_error(statuses[k], result)) request->receives = false;
    complete(*request, knows ? &statuses[k] : nullptr);
  }
}

// Starts count on each communicator of their requests.
void leave_start(Call const& call, int result) {
  count_on_each(call.operation, false);
  for (std::size_t i = 0; i < covered.size(); ++i) {
    Request* const request = covered[i].request;
    if (request == nullptr) continue;
    request->is_taken = false;
    if (result != MPI_SUCCESS) continue;
    // An MPI may change the handle, and the program may start copies.
    Request again = *request;
    again.handle = (std::uintptr_t)call.requests[i];
    again.is_active = true;
    again.row = state.is_paused != 0 ? nullptr : &row_of(*again.comm, call.operation, false);
    if (again.operation.kind == SEND) add_message(*again.comm, to, again.peer, again.volume.sent);
    again.message = started(again, call.entry);
    if (again.row != nullptr) again.row->sent += again.volume.sent, again.row->received += again.volume.received;
    erase(request);
    insert(again);
  }
}
void leave_other(Call const& call) {
  Request* const request = covered[0].request;
  Kind const kind = operation_of(call).kind;
  count_on_each(call.operation, call.finds_nothing());
  if (request == nullptr) return;
  request->is_taken = false;
  if (kind == CANCELLATION) request->may_be_cancelled = true;
  if (kind != RELEASE) return;
  if (request->receives && request->is_active && request->row != nullptr) ++state.receives_freed;
  erase(request);
}

// The messages of a blocking call, which it has awaited; a buffered send waits for nobody.
void record_messages(Call const& call) {
  auto const& [name, kind, is_nonblocking, is_persistent] = operation_of(call);
  MPI_Status const* const status = call.statuses == nullptr ? MPI_STATUS_IGNORE : *call.statuses;
  int const comm = call.on->index;
  int sent = messages::nothing, arrived = messages::nothing;
  auto const add = [&](messages::What what) {
    arrived = messages::add(what, call.entry, comm, status->MPI_SOURCE, status->MPI_TAG);
  };
  if (kind == SEND || kind == SEND_RECEIVE) sent = messages::add(messages::sent, call.entry, comm, call.dest, call.tag);
  if (kind != SEND && call.message == nullptr && status != MPI_STATUS_IGNORE)
    add(kind == PROBE ? messages::probed : messages::posted);
  if (kind == PROBE && call.message != nullptr && status != MPI_STATUS_IGNORE) add(messages::posted);
  if (call.flag != nullptr || name.starts_with('B') || (call.message != nullptr && kind != PROBE)) return;
  messages::add_call(name.data(), call.entry, call.exit, flags_of_wait());
  if (sent >= 0) messages::await(sent, comm, true);
  if (arrived >= 0) messages::await(arrived, comm, false);
  if (sent < 0 && arrived < 0) messages::await(messages::nothing, comm, false);
}

void leave_transfer(Call const& call, int result) {
  auto const& [name, kind, is_nonblocking, is_persistent] = operation_of(call);
  Volume volume = result == MPI_SUCCESS ? volume_of(call, kind) : Volume{};
  Row* const row = count(*call.on, call.operation, call.finds_nothing());
  if (result != MPI_SUCCESS) return;
  if (is_nonblocking && kind == SEND_RECEIVE && call.source != MPI_PROC_NULL)
    volume.received =
        call.in_type == MPI_Datatype{} ? call.count * size_of(call.type) : call.in_count * size_of(call.in_type);
  if (is_nonblocking && kind == WRITE) volume.sent = call.count * size_of(call.type);
  if (!is_persistent && row != nullptr) row->sent += volume.sent, row->received += volume.received;
  if (!is_persistent && (kind == SEND || kind == SEND_RECEIVE)) add_message(*call.on, to, call.dest, volume.sent);
  bool const is_one_sided = kind >= PUT && kind <= FETCH;
  if (is_one_sided && volume.sent > 0) add_message(*call.on, put_to, call.dest, volume.sent);
  if (is_one_sided && volume.received > 0) add_message(*call.on, got_from, call.dest, volume.received);
  if (call.requests != nullptr) return issued(call, row, volume);
  if (!call.finds_nothing() && kind >= SEND && kind <= PROBE) record_messages(call);
  if (row == nullptr || call.statuses == nullptr) return;
  MPI_Status const* const status = *call.statuses;
  bool const knows = status != MPI_STATUS_IGNORE;
  if (kind == RECEIVE || kind == SEND_RECEIVE || kind == READ) {
    if (knows) row->received += arrived(status, false);
    else ++row->unknown;
  }
  if (kind == WRITE) row->sent += knows ? arrived(status, false) : call.count * size_of(call.type);
}

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}
std::string own_file(char const* variable) {
  return std::string(std::getenv(variable)) + "/" + std::to_string(own_rank());
}

}  // namespace

static void enter(Call& call) {
  std::unique_lock lock(state.mutex);
  if (!std::exchange(is_known_thread, true)) ++state.threads;
  if (state.world_size == 0) {
    state.leaves_statuses = std::getenv("COUNTER_STATUSES") != nullptr;
    PMPI_Comm_size(MPI_COMM_WORLD, &state.world_size);
    if (std::getenv("COUNTER_MESSAGES") != nullptr) messages::open(own_file("COUNTER_MESSAGES").c_str());
  }
  ++state.made_calls[call.operation];
  call.on = &comm_of_call(call);
  if (operation_of(call).kind >= COMPLETION) cover(call);
  if (call.statuses != nullptr && !state.leaves_statuses &&
      (*call.statuses == MPI_STATUS_IGNORE || *call.statuses == MPI_STATUSES_IGNORE)) {
    statuses_of_counter.resize(std::max(statuses_of_counter.size(), static_cast<std::size_t>(call.request_count) + 1));
    *call.statuses = statuses_of_counter.data();
  }
  lock.unlock();
  ++inside;
  call.entry = messages::now();
}

static void leave(Call& call, int result) {
  Kind const kind = operation_of(call).kind;
  call.exit = messages::now();
  --inside;
  std::lock_guard const lock(state.mutex);
  if (kind == COMPLETION || kind == ONE_OF) leave_completion(call, result);
  else if (kind == START) leave_start(call, result);
  else if (kind > START) leave_other(call);
  else leave_transfer(call, result);
  if (result == MPI_SUCCESS) note_what_is_made(call);
}

// Pauses and regions.

static void begin_region(std::string const& name) {
  std::string const path = state.region->first == "main" ? name : state.region->first + "/" + name;
  state.region = &*state.regions.try_emplace(path, 0).first;
  ++state.region->second;
}
static void end_region() {
  std::size_t const slash = state.region->first.rfind('/');
  std::string const outer = slash == std::string::npos ? "main" : state.region->first.substr(0, slash);
  state.region = &*state.regions.find(outer);
}
#undef commprof_region_begin
#undef commprof_region_end
#undef commprof_pause
#undef commprof_resume
void commprof_region_begin(char const* name) {
  NEXT(commprof_region_begin);
  begin_region(name);
  next(name);
}
void commprof_region_end(char const* name) {
  NEXT(commprof_region_end);
  end_region();
  next(name);
}
void commprof_pause() {
  NEXT(commprof_pause);
  PMPI_Initialized(&state.is_paused);
  next();
}
void commprof_resume() {
  NEXT(commprof_resume);
  state.is_paused = 0;
  next();
}
extern "C" int MPI_Pcontrol(int const level, ...) {
  NEXT(MPI_Pcontrol);
  va_list list;
  va_start(list, level);
  char const* const name = level == COMMPROF_REGION_BEGIN ? va_arg(list, char const*) : nullptr;
  va_end(list);
  if (level == COMMPROF_PAUSE) state.is_paused = 1;
  if (level == COMMPROF_RESUME) state.is_paused = 0;
  if (level == COMMPROF_REGION_BEGIN) begin_region(name);
  if (level == COMMPROF_REGION_END) end_region();
  return next(level, name);
}
extern "C" int MPI_Comm_set_name(MPI_Comm handle, char const* name) {
  NEXT(MPI_Comm_set_name);
  int const result = next(handle, name);
  std::lock_guard const lock(state.mutex);
  if (result == MPI_SUCCESS && state.world_size > 0)
    comm_of(handle).user_name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
  return result;
}

// Readings: the program may ask the profiler for what is in its profile, of all communicators that share a name. A
// receive is not in a reading until it is complete.
#undef commprof_reset
int commprof_reset() {
  NEXT(commprof_reset);
  state.is_reset = true;
  return next();
}
static void check_readings(std::ostream& out, Comm const& comm) {
  std::map<int, Row> sums;      // by operation
  std::map<int, Sum> messages;  // by world rank
  for (Comm const& other : state.comms) {
    if (other.name != comm.name) continue;
    for (auto const& [key, row] : other.rows) {
      if (std::get<2>(key)) continue;
      Row& sum = sums[std::get<1>(key)];
      sum.calls += row.calls - row.pending, sum.sent += row.sent, sum.received += row.received;
      sum.unknown += row.unknown;
    }
    for (auto const& [rank, sum] : other.sums[to])
      messages[rank].messages += sum.messages, messages[rank].bytes += sum.bytes;
  }
  auto const is = [](unsigned long long read, long long counted) {
    return read == static_cast<unsigned long long>(counted);
  };
  for (auto const& [operation, row] : sums) {
    commprof_numbers read{};
    int const result = commprof_read(comm.handle, operations[operation].name.data(), &read, sizeof read);
    if (result != MPI_SUCCESS || !is(read.calls, row.calls) || (row.calls > 99 && read.time_s <= 0) ||
        !is(read.bytes_sent, row.sent) || (row.unknown == 0 && !is(read.bytes_received, row.received)))
      out << "fault\treads " << read.calls << " " << operations[operation].name << " on " << comm.name << ": "
          << read.bytes_sent << " and " << read.bytes_received << " bytes\n";
  }
  auto const peers = static_cast<std::size_t>(comm.peers);
  std::vector<unsigned long long> numbers(peers), bytes(peers);
  if (commprof_read_peers(comm.handle, numbers.data(), bytes.data(), comm.peers) != MPI_SUCCESS)
    out << "fault\treads no peers on " << comm.name << "\n";
  for (std::size_t i = 0; i < peers; ++i) {
    Sum const& sum = messages[comm.world_ranks[i]];
    if (!is(numbers[i], sum.messages) || !is(bytes[i], sum.bytes))
      out << "fault\treads " << numbers[i] << " messages to " << i << " on " << comm.name << "\n";
  }
}

// The end.

template <class... Fields>
static void write_line(std::ostream& out, char const* what, Fields const&... fields) {
  out << what;
  ((out << '\t' << fields), ...);
  out << '\n';
}
static void write_comm(std::ostream& out, Comm const& comm) {
  write_line(out, "comm", comm.name, comm.parent, comm.created_by, comm.size + (comm.is_inter != 0 ? comm.peers : 0),
             comm.is_freed, comm.members, comm.topology, comm.reorder, comm.user_name);
  for (auto const& [key, row] : comm.rows) {
    auto const& [region, operation, finds_nothing] = key;
    std::string const name = std::string(operations[operation].name) + (finds_nothing ? "-none" : "");
    if (row.calls > 0)
      write_line(out, "calls", region->first, comm.name, name, row.calls, row.sent, row.received, row.unknown);
  }
  for (int which = 0; which < 3; ++which)
    for (auto const& [rank, sum] : comm.sums[which]) {
      char const* const names[] = {"to", "put", "got"};
      write_line(out, names[which], comm.name, rank, sum.messages, sum.bytes);
    }
}
static void copy_profile(std::string const& to) {
  PMPI_Barrier(MPI_COMM_WORLD);
  std::string const command = "cp -a '" + std::string(std::getenv("COMMPROF_OUTPUT")) + "' '" + to + "'";
  unsetenv("LD_PRELOAD");
  if (own_rank() == 0 && std::system(command.c_str()) != 0) std::fputs("counter: no copy\n", stderr), std::abort();
  PMPI_Barrier(MPI_COMM_WORLD);
}
// What has been called of MPI itself since MPI_Init, if pmpi_census is preloaded behind the profiler.
extern "C" char const* pmpi_census_name(int index) __attribute__((weak));
extern "C" unsigned long pmpi_census_count(int index) __attribute__((weak));

template <class Visitor>
static void for_each_of_census(Visitor const& visit) {
  for (int i = 0; pmpi_census_name != nullptr && pmpi_census_name(i) != nullptr; ++i)
    for (std::size_t operation = 0; operation < std::size(operations); ++operation)
      if (operations[operation].name == pmpi_census_name(i))
        visit(operation, static_cast<long long>(pmpi_census_count(i)));
}
static int started_mpi(int result) {
  for_each_of_census([](std::size_t operation, long long calls) { state.at_start[operation] = calls; });
  return result;
}
extern "C" int MPI_Init(int* argc, char*** argv) {
  NEXT(MPI_Init);
  return started_mpi(next(argc, argv));
}
extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  NEXT(MPI_Init_thread);
  return started_mpi(next(argc, argv, required, provided));
}

extern "C" int MPI_Finalize() {
  NEXT(MPI_Finalize);
  {
    std::lock_guard const lock(state.mutex);
    long long unfinished = 0;
    for (auto& [handle, requests] : state.requests)
      for (Request const& one : requests)
        if (one.is_active && one.row != nullptr) ++unfinished, one.row->pending += one.receives ? 1 : 0;
    std::ofstream out(own_file("COUNTER_OUTPUT"));
    while (!state.unmade.empty()) made_from(state.unmade.begin());
    for (Comm const& comm : state.comms) {
      write_comm(out, comm);
      if (!comm.is_freed && !state.is_reset) check_readings(out, comm);
    }
    for (auto const& [path, entered] : state.regions) write_line(out, "region", path, entered);
    write_line(out, "dropped", "receives_freed", state.receives_freed);
    write_line(out, "dropped", "requests_unfinished", unfinished);
    for_each_of_census([&](std::size_t operation, long long calls) {
      write_line(out, "census", operations[operation].name, calls - state.at_start[operation],
                 state.made_calls[operation]);
    });
    write_line(out, "threads", state.threads + (is_known_thread ? 0 : 1));
    if (!out.flush()) std::fputs("counter: its counts cannot be written\n", stderr), std::abort();
    messages::close();
  }
  if (char const* const copy = std::getenv("COUNTER_COPY")) copy_profile(copy);
  ++inside;
  return next();
}
