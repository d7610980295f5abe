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
#include <fstream>

#include "requests.hpp"

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
      if (!comm.is_freed) check_readings(out, comm);
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
