#include "run/spooling.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/message.hpp"
#include "comm_naming/rank_ranges.hpp"
#include "counters/counters.hpp"
#include "finalize/run_json.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/profile.hpp"
#include "request_table/requests.hpp"
#include "spool/private_directory.hpp"
#include "spool/spool.hpp"

namespace commprof::spooling {

namespace {

// Broadcast by rank 0.
struct Place {
  std::uint64_t run = 0;
  bool is_chosen = false;         // by the user: then processes that cannot write there are reported
  char directory[PATH_MAX] = "";  // empty: nowhere
};
Place place;

char claimed[PATH_MAX] = "";
char const* claimed_pattern = nullptr;

// Makes the directory of the profile, and in it the one of the spool. False if that fails; the reason is printed when
// the profile is to be written there.
bool claim(char const* pattern, RunFacts const& facts) {
  char wanted[PATH_MAX];
  if (!expand_path(pattern, facts, wanted) || !claim_directory(wanted, claimed)) return false;
  std::snprintf(place.directory, sizeof place.directory, "%s", claimed);
  if (append_to_path(place.directory, spool::subdirectory) && mkdir(place.directory, 0700) == 0) {
    claimed_pattern = pattern;
    return true;
  }
  rmdir(claimed);
  place.directory[0] = '\0';
  return false;
}

// Makes a name that is unique to this run, of the profile's name, the time and the process id.
bool name_elsewhere(RunFacts const& facts) {
  char profile[PATH_MAX];
  if (!expand_path(state.options.spool_directory, facts, place.directory)) return false;
  if (!expand_path(state.options.output != nullptr ? state.options.output : default_output, facts, profile))
    return false;
  char const* const slash = std::strrchr(profile, '/');
  tm parts{};
  gmtime_r(&facts.start_time.tv_sec, &parts);
  char time[32], name[NAME_MAX + 1];
  std::strftime(time, sizeof time, "%Y%m%dT%H%M%S", &parts);
  int const length =
      std::snprintf(name, sizeof name, "/%s-%s-%d", slash == nullptr ? profile : slash + 1, time, facts.pid);
  return length < NAME_MAX && append_to_path(place.directory, name);
}

void choose(RunFacts const& facts) {
  place.run = static_cast<std::uint64_t>(facts.start_time.tv_sec) << 32 ^
              static_cast<std::uint64_t>(facts.start_time.tv_nsec) << 2 ^ static_cast<std::uint64_t>(facts.pid);
  place.is_chosen = state.options.spool_directory != nullptr;
  if (place.is_chosen) {
    if (!name_elsewhere(facts)) place.directory[0] = '\0';
    return;
  }
  if (state.options.output == nullptr || !claim(state.options.output, facts)) claim(default_output, facts);
}

// If the broadcast fails: no spool. Whether to take part in count_failures() is decided by this process's own options.
void decide_alone() {
  place = {};
  place.is_chosen = state.options.spool_directory != nullptr;
}

// Waits without spinning, except with COMMPROF_INTERNAL=1: a nonblocking collective on the world would use up one of
// the numbers by which the MPI's own messages are told apart.
void tell_place(int ranks, MPI_Comm comm) {
  int const result = state.options.internal ? PMPI_Bcast(&place, sizeof place, MPI_BYTE, 0, comm)
                                            : broadcast_politely(place, ranks, comm);
  if (result != MPI_SUCCESS) decide_alone();
}

Descriptor open_directory() {
  if (place.directory[0] != '\0') return open_private_directory(place.directory);
  errno = ENAMETOOLONG;  // else rank 0 had found one, or none is told of
  return {};
}

bool open_file(Descriptor const& directory, RunFacts const& facts) {
  spool::Owner owner{.run = place.run,
                     .rank = facts.rank,
                     .ranks = facts.ranks,
                     .pid = facts.pid,
                     .reads_tsc = clock::reads_tsc ? 1U : 0U,
                     .start_time = facts.start_time,
                     .start = facts.start,
                     .any_source = MPI_ANY_SOURCE,
                     .proc_null = MPI_PROC_NULL,
                     .root = MPI_ROOT};
  std::memcpy(owner.host, facts.host, sizeof owner.host);
  char path[PATH_MAX];
  int const length =
      std::snprintf(path, sizeof path, "%s/%d%s", place.directory, facts.rank, spool::file_suffix.data());
  if (length < PATH_MAX) return spool::open(directory.get(), path, owner);
  errno = ENAMETOOLONG;
  return false;
}

void keep_run_json(RunFacts const& facts) {
  PageVector<char> text;
  auto const add = [](void* context, char const* part, std::size_t length) {
    append(*static_cast<PageVector<char>*>(context), {part, length});
  };
  char buffer[1024];
  {
    TextWriter out(buffer, sizeof buffer, add, &text);
    write_run_json(out, facts, {}, {});
  }
  spool::keep(spool::Kind::run_json, {text.begin(), text.size()});
}

void keep_cpus() {
  PageVector<char> text;
  append_allowed_cpus(text);
  spool::keep(spool::Kind::cpus, {text.begin(), text.size()});
}

// Rank 0: how many processes could not make their file.
int count_failures(bool failed, MPI_Comm comm) {
  int const own = failed ? 1 : 0;
  int all = own;
  PMPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, comm);
  return all;
}

void tell_failures(int failures, int error, RunFacts const& facts) {
  if (facts.rank != 0 || failures == 0) return;
  char count[64];
  std::snprintf(count, sizeof count, "%d of %d", failures, facts.ranks);
  say({"COMMPROF_SPOOL: ", count, " processes cannot write to ",
       place.directory[0] == '\0' ? state.options.spool_directory : place.directory, error == 0 ? "" : ": ",
       error == 0 ? "" : std::strerror(error), "; if they are killed, their profile is lost"});
}

}  // namespace

// The options of rank 0 hold for all processes: with different options, some would wait for the others.
void begin(RunFacts const& facts, MPI_Comm comm) {
  if (facts.rank == 0 && state.options.spool) choose(facts);
  // Rank 0 makes the directory before the others look for it.
  Descriptor directory;
  if (facts.rank == 0) directory = open_directory();
  int const error_of_directory = errno;
  tell_place(facts.ranks, comm);
  errno = error_of_directory;
  if (facts.rank != 0) directory = open_directory();
  bool const is_open = directory && open_file(directory, facts);
  int const error = is_open ? 0 : errno;
  if (place.is_chosen) tell_failures(count_failures(!is_open, comm), error, facts);
  if (!is_open) return;
  keep_run_json(facts);
  keep_cpus();
  requests::of_process.table.keep_in_spool(0);
}

MadeAtStart made() {
  return {.spool = spool::is_open() ? place.directory : "",
          .directory = claimed_pattern == nullptr ? nullptr : claimed,
          .pattern = claimed_pattern};
}

// rmdir() fails until the last process has removed its file, and on the directory of a written profile.
void end(File file) {
  if (file == File::remove) spool::remove();
  claimed_pattern = nullptr;
  if (place.directory[0] == '\0') return;
  rmdir(place.directory);
  if (place.is_chosen) return;
  char parent[PATH_MAX];
  std::snprintf(parent, sizeof parent, "%s", place.directory);
  parent[std::strlen(parent) - spool::subdirectory.size()] = '\0';
  rmdir(parent);
}

}  // namespace commprof::spooling
