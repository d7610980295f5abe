#include "finalize/run.hpp"

#include <unistd.h>

#include "comm_naming/communicators.hpp"
#include "commprof/commprof.h"
#include "comm_naming/windows.hpp"
#include "finalize/profile_writer.hpp"
#include "profile/message.hpp"
#include "profile/mpi.hpp"
#include "profile/state.hpp"

namespace commprof::run {

namespace {

RunFacts facts;

void complain(OptionRow const* row, std::string_view text) {
  if (facts.rank != 0) return;
  if (row == nullptr) say({"there is no option ", text, ": it is ignored"});
  else say({row->name, " must be ", row->expects, ", not '", text, "': using ", row->default_value});
}

}  // namespace

void begin() {
  if (state.is_tracking()) return;  // a binding built upon another calls its initialisation, too
  PMPI_Comm_rank(MPI_COMM_WORLD, &facts.rank);
  state.options = read_options(complain);
  if (!state.options.enable) return;
  PMPI_Comm_size(MPI_COMM_WORLD, &facts.ranks);
  facts.pid = getpid();
  clock_gettime(CLOCK_REALTIME, &facts.start_time);
  if (getcwd(facts.start_directory, sizeof facts.start_directory) == nullptr) facts.start_directory[0] = '\0';
  if (gethostname(facts.host, sizeof facts.host) != 0) facts.host[0] = '\0';
  facts.host[sizeof facts.host - 1] = '\0';

  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  state.threaded = level == MPI_THREAD_MULTIPLE;
  clock::start(state.options.clock);
  if (!communicators::start(state.options.max_comms) || !windows::start()) {
    if (facts.rank == 0) say({"no memory or no attribute key to start with: there will be no profile"});
    return;
  }
  facts.start = clock::now();
  state.tracking = true;
}

void end() {
  if (!state.is_tracking()) return;
  state.tracking = false;
  write_profile(facts);
}

void control(int level) {
  if (!state.is_tracking()) return;
  if (level == COMMPROF_PAUSE) state.counting.store(false, std::memory_order_relaxed);
  if (level == COMMPROF_RESUME) state.counting.store(true, std::memory_order_relaxed);
}

}  // namespace commprof::run
