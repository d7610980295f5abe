#include "run/run.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "base/message.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "finalize/profile_writer.hpp"
#include "flavour/flavour.hpp"
#include "message_waits/message_waits.hpp"
#include "mpi/host_clocks.hpp"
#include "mpi/library_version.hpp"
#include "mpi/mpi.hpp"
#include "mpi/polite_wait.hpp"
#include "mpi/quiet_errors.hpp"
#include "mpi/type_sizes.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "ops.hpp"
#include "request_table/requests.hpp"
#include "run/participants.hpp"
#include "run/spooling.hpp"
#include "sites/sites.hpp"
#include "spool/spool.hpp"
#include "time_windows/time_windows.hpp"
#include "transport/transport.hpp"

namespace commprof::run {

namespace {

RunFacts own_facts;
std::mutex mutex;          // threads may open sessions at the same time
bool has_world = false;    // since MPI_Init
bool has_session = false;  // its threads may call MPI at once, whatever holds for the world
MPI_Comm own_world = MPI_COMM_NULL;

void complain_of_unknown(std::string_view variable) {
  // Compares without the common prefix, which would make any two names similar.
  NearestName nearest(variable.substr(option_prefix.size()));
  for (OptionRow const& row : option_table) nearest.offer(row.name.substr(option_prefix.size()));
  bool const is_near = !nearest.name().empty();
  say({"there is no option ", variable, ": it is ignored", is_near ? "; did you mean " : "",
       is_near ? option_prefix : "", nearest.name(), is_near ? "?" : ""});
}

void complain(Mistake const& mistake) {
  if (own_facts.rank != 0) return;
  OptionRow const* const row = mistake.row;
  if (row == nullptr) complain_of_unknown(mistake.text);
  else say({row->name, " must be ", row->expects, ", not '", mistake.text, "': using ", row->default_value});
}

// Called in the child after a fork: its calls do not belong to the profile, and the mapped spool is its parent's.
void leave_to_parent() {
  state.tracking = false;
  spool::leave();
}

// See front::Services. After a fork, this must not wait for a lock that another thread of the parent held.
void forget_code() {
  if (!state.is_tracking()) return;
  state.forget_sites();
  sites::table.forget_addresses();
}

// Starts the profile of this process unless COMMPROF_ENABLE turns it off. Either all processes are profiled or none,
// because they write the profile together.
void start(bool threaded) {
  RunFacts& facts = own_facts;
  MPI_Group world = MPI_GROUP_NULL;
  bool const has_group = PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS;  // if not, agree() tells the others
  if (has_group) {
    PMPI_Group_rank(world, &facts.rank);
    PMPI_Group_size(world, &facts.ranks);
  }
  settings.keep();
  state.options = settings.options();
  settings.tell_mistakes(complain);
  if (!state.options.sites) state.options.stack = 0;
  else if (state.options.stack == 0 && python::is_running()) state.options.stack = python::line_alone;
  if (front_services != nullptr) front_services->has_begun = true;
  state.options.enable = state.options.enable && participants::ask(facts.rank, facts.ranks);
  if (!state.options.enable) return;
  if (facts.rank == 0 && front_services != nullptr) unseen_calls::look(*front_services);
  facts.pid = getpid();
  clock_gettime(CLOCK_REALTIME, &facts.start_time);
  std::memcpy(facts.start_directory, at_load->directory, sizeof facts.start_directory);
  if (gethostname(facts.host, sizeof facts.host) != 0) facts.host[0] = '\0';
  facts.host[sizeof facts.host - 1] = '\0';
  type_sizes.fill();
  testall_is_faulty = OpenMpiVersion::of_process().has_faulty_testall();
  requests::begin_keys(threaded);
  if (threaded) requests::begin_threads();
  clock::start(state.options.clock);
  use_so_far::begin();
  facts.start = clock::now();
  pthread_atfork(nullptr, nullptr, leave_to_parent);
  {
    QuietErrors const quiet;
    spooling::begin(facts, MPI_COMM_WORLD);
  }
  regions::table.set_max_regions(state.options.max_regions);
  // Leaves room for the scope of every region.
  std::uint32_t const room = most_scopes - state.options.max_regions;
  sites::table.set_max_scopes(state.options.sites ? std::min(state.options.max_sites, room) : 0);
  if (state.options.sites && front_services != nullptr) front_services->forget_code = forget_code;
  state.tracking = has_group && communicators::start(state.options.max_comms, world) &&
                   regions::table.start(facts.start) && sites::table.start();
  if (state.is_tracking()) Shards::mine();  // the spool shows this thread's calls from now on
}

// The result of agree().
struct Agreed {
  bool have_started = false;
  bool is_one_host = true;
  bool is_one_clock = true;  // all stamps are readings of one clock
  bool want_waits = false;
  bool uses_transport = false;
};
Agreed agreed;

// Finds out whether all processes have started. If one could not, none profiles: the members of a communicator have to
// agree on its name, and all write the profile together.
Agreed agree() {
  QuietErrors const quiet;
  std::uint64_t const host = hash_of(own_facts.host);
  std::uint64_t const own[] = {
      state.is_tracking() ? 1U : 0U, state.options.waits ? 1U : 0U, host, ~host, clock::reads_tsc ? 1U : 0U,
      clock::reads_tsc ? 0U : 1U,    transport::is_used() ? 1U : 0U};
  std::uint64_t least[std::size(own)]{};
  int const count = std::size(own);
  if (state.options.internal) {  // blocking, for the reason given in spooling.cpp
    PMPI_Allreduce(own, least, count, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  } else {
    int const result = do_together_politely([&](MPI_Request* request) {
      return PMPI_Iallreduce(own, least, count, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD, request);
    });
    if (result != MPI_SUCCESS) return {};
  }
  bool const is_one_host = least[2] == ~least[3];
  return {least[0] != 0, is_one_host, is_one_host && (least[4] | least[5]) != 0, least[1] != 0, least[6] != 0};
}

// Duplicates MPI_COMM_WORLD for the profiler. In MPI_Init, the program has not attached attributes yet, whose copy
// callbacks would run; and writing a profile then needs no new communicator.
void make_own_world() {
  {
    QuietErrors const quiet;
    int const result =
        do_together_politely([](MPI_Request* request) { return PMPI_Comm_idup(MPI_COMM_WORLD, &own_world, request); });
    if (result != MPI_SUCCESS) own_world = MPI_COMM_NULL;
  }
  if (own_world != MPI_COMM_NULL) PMPI_Comm_set_errhandler(own_world, MPI_ERRORS_RETURN);
}

void write_on(MPI_Comm comm) {
  bool const is_written = write_profile(own_facts, spooling::made(), comm);
  spooling::end(is_written ? spooling::File::remove : spooling::File::leave);
  host_clocks::end();
}

// Begins what compares times of processes. offset: from this host's clock to the first host's, if it is known.
void begin_waits(bool is_one_clock, std::optional<ClockOffset> const& offset) {
  if (!agreed.want_waits || own_world == MPI_COMM_NULL || own_facts.ranks == 1 || !(is_one_clock || offset)) return;
  message_waits::of_process.begin(clock::now(), offset);
}

void begin_windows(bool is_one_clock, std::optional<ClockOffset> const& offset) {
  if (state.options.when == 0) return;
  WindowClock clock;
  clock.is_common = is_one_clock || offset ? 1 : 0;
  clock.is_monotonic = clock::reads_tsc ? 0 : 1;
  if (offset) clock.offset_ns = offset->ns;
  else if (!is_one_clock) clock.offset_ns = -static_cast<std::int64_t>(clock::read().ns);
  time_windows::of_process.begin(clock::now(), state.options.when, clock, message_waits::of_process);
}

// Called when MPI_Finalize deletes the attribute of end_with_mpi().
int end(MPI_Comm, int, void*, void*) {
  std::lock_guard const lock(mutex);
  if (!state.is_tracking()) return MPI_SUCCESS;
  state.tracking = false;
  this_thread.current_call->begin(Op::Finalize, clock::now(), nullptr);
  if (own_world != MPI_COMM_NULL) {
    write_on(own_world);
    PMPI_Comm_free(&own_world);
  } else {
    QuietErrors const quiet;
    write_on(MPI_COMM_WORLD);
  }
  return MPI_SUCCESS;
}

// Has the profile written in MPI_Finalize, which first deletes the attributes of MPI_COMM_SELF, the latest first, while
// MPI still works (MPI-4.0 §11.2.4). The profiler's is set before the program's own. So the profile has the calls that
// their callbacks make: HDF5 and ADIOS write their files there.
bool end_with_mpi() {
  int keyval = MPI_KEYVAL_INVALID;
  return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &keyval, nullptr) == MPI_SUCCESS &&
         PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr) == MPI_SUCCESS;
}

}  // namespace

RunFacts const& facts() { return own_facts; }

void announce() {
  if (!has_world) participants::announce();
}

void begin() {
  std::lock_guard const lock(mutex);
  if (has_world) return;  // already begun: a binding built upon another one calls that one's initialisation
  has_world = true;
  if (participants::see_smaller_world()) {
    if (front_services != nullptr) front_services->has_begun = true;
    return;
  }
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  start(level == MPI_THREAD_MULTIPLE || has_session);
  if (!state.options.enable) return;
  if (state.is_tracking()) {
    own_facts.was_spawned = communicators::attach_predefined();
    state.tracking = end_with_mpi();
  }
  agreed = agree();
  participants::forget();
  // make_own_world() comes after all other messages: if the MPI spins, processes that have left it keep others from
  // finishing it. No other nonblocking operation on the world may be pending: Open MPI mixes them up.
  mpi_messages::is_in_rehearsal = true;
  make_own_world();
  mpi_messages::is_in_rehearsal = false;
  std::optional<ClockOffset> offset;
  if (own_world != MPI_COMM_NULL && !agreed.is_one_host && agreed.want_waits) offset = host_clocks::begin(own_world);
  if (own_world != MPI_COMM_NULL && agreed.uses_transport) transport::begin(own_world, own_facts.rank, own_facts.ranks);
  else transport::leave(own_facts.rank);
  mpi_messages::begin(own_facts.rank, own_facts.ranks);
  if (!agreed.have_started) {
    if (own_facts.rank == 0) say({"a process has no memory, or the MPI no attribute key: there will be no profile"});
    state.tracking = false;
    spooling::end(spooling::File::remove);
    return;
  }
  begin_waits(agreed.is_one_clock, offset);
  begin_windows(agreed.is_one_clock, offset);
}

void abort(int code) {
  if (!state.is_tracking()) return;
  spool::head().abort.note(clock::now(), code);
  use_so_far::keep();
}

// A session may allow several threads, even if MPI_Init did not.
void session_opened() {
  std::lock_guard const lock(mutex);
  if (!std::exchange(has_session, true) && state.is_tracking() && !state.is_threaded()) {
    requests::begin_threads();
    message_waits::of_process.begin_threads();
  }
}

// Has a mutex of its own: while one thread waits here for other processes, other threads may open sessions.
int flush(char const* path) {
  static std::mutex flush_mutex;
  static unsigned snapshots = 0;
  std::lock_guard const lock(flush_mutex);
  if (!state.is_tracking()) return MPI_SUCCESS;
  if (own_world != MPI_COMM_NULL) return write_snapshot(own_facts, own_world, path, ++snapshots);
  if (own_facts.rank == 0) say({"no communicator of all processes to gather on: there is no snapshot"});
  return MPI_ERR_OTHER;
}

}  // namespace commprof::run
