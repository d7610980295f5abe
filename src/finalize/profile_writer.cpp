#include "finalize/profile_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "base/dropped.hpp"
#include "base/file.hpp"
#include "base/memory.hpp"
#include "base/message.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "finalize/gathering.hpp"
#include "mpi/mpi.hpp"
#include "mpi/tree.hpp"
#include "profile/output.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "request_table/requests.hpp"
#include "spool/spool.hpp"
#include "time_windows/time_windows.hpp"

namespace commprof {

namespace {

// Writes the line at once, because processes of several jobs may share the file.
bool append_line(char const* file, char const* text) {
  int const descriptor = open_regular(file, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (descriptor < 0) return false;
  char line[PATH_MAX + 1];
  int const length = std::snprintf(line, sizeof line, "%s\n", text);
  HeldSignals const held;
  ssize_t const written = write(descriptor, line, static_cast<std::size_t>(length));
  int const error = written < 0 ? errno : EIO;
  close(descriptor);
  errno = error;
  return written == length;
}

}  // namespace

void add_to_index(char const* profile, RunFacts const& facts) {
  static char last[PATH_MAX] = "", file[PATH_MAX] = "";
  char const* const pattern = state.options.index;
  if (pattern == nullptr || std::strcmp(last, profile) == 0) return;
  std::snprintf(last, sizeof last, "%s", profile);
  errno = ENAMETOOLONG;
  if (expand_path(pattern, facts, file) && append_line(file, profile)) return;
  say({"COMMPROF_INDEX: cannot write to ", pattern, ": ", std::strerror(errno)});
}

namespace {

// What rank 0 tells all processes to do. Without an order, a process does nothing.
struct Order {
  bool is_of_snapshot = false;  // false: the profile of the whole run
  bool writes = false;          // false: there is no place for it
  Attempt attempt{};            // valid if it writes
};
Order order;  // the latest one

void announce(std::string_view what, OutputDirectory const& output) {
  if (state.options.verbose < 1) return;
  char const* path = output.path();
  say({what, " written; look at it with: mpisee-through ", path});
}

// Prints one line about counts that are missing for lack of memory or of a clock. Losses that the program caused are
// only in run.json.
void tell_of_losses(RunSummary const& total) {
  constexpr Dropped kinds[] = {Dropped::records, Dropped::communicators, Dropped::requests, Dropped::messages,
                               Dropped::times};
  char text[256];
  std::size_t length = 0;
  for (Dropped const kind : kinds) {
    auto const i = static_cast<std::size_t>(kind);
    if (total.dropped[i] == 0) continue;
    length +=
        static_cast<std::size_t>(std::snprintf(text + length, sizeof text - length, "%s%s: %" PRIu64,
                                               length == 0 ? "" : ", ", dropped::names[i].data(), total.dropped[i]));
  }
  if (length > 0)
    say({"the profile is incomplete for lack of memory or of a clock (dropped in its run.json): ", {text, length}});
}

// The profile's directory on rank 0; on other ranks, the parts that they write.
OutputDirectory& output_directory() {
  // Never destroyed: a program may end MPI when the library's own destructors have already run.
  alignas(OutputDirectory) static std::byte room[sizeof(OutputDirectory)];
  static auto* const output = new (room) OutputDirectory;
  return *output;
}

// On rank 0: describes the open directory to all ranks.
void prepare(Contents const& contents) {
  Attempt& attempt = order.attempt;
  OutputDirectory const& output = output_directory();
  int const ranks = contents.rows.facts.ranks;
  attempt.has_waits = message_waits::of_process.is_on() && !contents.is_of_snapshot();
  Detail const detail = state.options.detail;
  attempt.is_of_sums = detail == Detail::summary || (detail == Detail::automatic && ranks > most_ranks_in_detail);
  attempt.has_limit = state.options.max_size > 0;
  attempt.may_share = ranks <= ranks_of_group(ranks) || output.may_be_shared();
  std::snprintf(attempt.directory, sizeof attempt.directory, "%s", output.path_aside());
}

// On rank 0: opens the first directory that can be made, named by a pattern and an addition. False if there is none.
// problem: why the first one cannot.
bool open_first(OutputPatterns const& patterns, std::string_view addition, Contents const& contents, Problem& problem) {
  static char path[PATH_MAX];
  OutputDirectory& output = output_directory();
  MadeAtStart const& made = contents.made;
  for (char const* const pattern : patterns) {
    bool const is_made = made.directory != nullptr && std::strcmp(made.pattern, pattern) == 0;
    if (is_made) std::snprintf(path, sizeof path, "%s", made.directory);
    bool const fits = is_made || (expand_path(pattern, contents.rows.facts, path) && append_to_path(path, addition));
    if (fits && output.open(path, is_made)) return true;
    if (problem[0] != '\0') continue;
    if (fits) std::snprintf(problem, sizeof problem, "%s", output.problem());
    else std::snprintf(problem, sizeof problem, "%s: %s", pattern, std::strerror(ENAMETOOLONG));
  }
  return false;
}

void tell_of_limit(RunSummary const& total) {
  if (total.bytes_over_limit == 0) return;
  char bytes[24];
  std::snprintf(bytes, sizeof bytes, "%" PRIu64, total.bytes_over_limit);
  say({"the profile would have had ", bytes,
       " bytes, more than COMMPROF_MAX_SIZE: it has the sums of all ranks, and the rows of few"});
}

// Says why a profile or a snapshot was not written, and where its counts still are.
void tell_of_failure(std::string_view what, std::string_view why, Contents const& contents) {
  std::string_view const spool = contents.made.spool;
  std::string_view const further =
      !spool.empty() && spool::head().chunks_elsewhere > 0 ? ", but for what its files had no room for" : "";
  std::string_view const left = contents.is_of_snapshot() ? ""
                                : spool.empty()           ? "; it is lost"
                                                          : "; mpisee-through makes it from what stays in ";
  say({"cannot write the ", what, ": ", why, left, spool, further});
}

// On rank 0. wish: the directory that the program asked for; without it, a snapshot is beside the final profile. False
// if nothing is written.
bool lead(char const* wish, Contents const& contents, Tree& tree) {
  static Problem problem;
  RunSummary total;
  problem[0] = '\0';
  order = {.is_of_snapshot = contents.is_of_snapshot()};
  bool const is_of_snapshot = contents.is_of_snapshot(), has_wish = wish != nullptr && *wish != '\0';
  std::string_view const what = is_of_snapshot ? "snapshot" : "profile";
  char addition[32] = "";
  if (is_of_snapshot && !has_wish) std::snprintf(addition, sizeof addition, "-snapshot-%u", contents.snapshot);
  OutputPatterns const patterns = has_wish ? OutputPatterns(&wish, 1) : output_patterns(state.options);
  if (has_wish && !is_output_path(wish))
    std::snprintf(problem, sizeof problem, "%s is not %s", wish, output_path_expects.data());
  else order.writes = open_first(patterns, addition, contents, problem);
  if (order.writes) prepare(contents);
  tell_down(tree, order);
  Outcome outcome = Outcome::failed;
  if (order.writes) {
    outcome = Gathering(contents, order.attempt, tree, output_directory()).run(problem, total);
    output_directory().discard();
  }
  if (outcome == Outcome::unwanted && !is_of_snapshot) {
    if (problem[0] != '\0')
      say({"there is no profile: ", problem});  // nothing for a job that was short or had little MPI
    return true;
  }
  if (outcome != Outcome::written) {
    tell_of_failure(what, problem, contents);
    return false;
  }
  add_to_index(output_directory().path(), contents.rows.facts);
  if (problem[0] != '\0') say({"cannot write the ", what, ": ", problem, "; it is in ", output_directory().path()});
  else announce(what, output_directory());
  if (is_of_snapshot) return true;
  tell_of_limit(total);
  tell_of_losses(total);
  return true;
}

// On all other ranks: obeys the orders of rank 0. False if nothing is written.
//
// Flushes are collective, but a program that gets this wrong must not hang. A process in MPI_Finalize contributes to
// the snapshots that rank 0 still writes. A process in a flush while rank 0 is in MPI_Finalize gets no snapshot, and
// keeps the order for its own MPI_Finalize.
bool follow(Contents const& contents, Tree& tree) {
  static bool has_order_of_end = false;
  for (;;) {
    if (!has_order_of_end) {
      order.writes = false;
      order.is_of_snapshot = contents.is_of_snapshot();
      tell_down(tree, order);
    }
    has_order_of_end = contents.is_of_snapshot() && !order.is_of_snapshot;
    if (has_order_of_end) return false;
    static Problem problem;
    RunSummary total;
    Outcome outcome = Outcome::failed;
    if (order.writes) outcome = Gathering(contents, order.attempt, tree, output_directory()).run(problem, total);
    output_directory().discard();
    bool const is_done = outcome == Outcome::written || (outcome == Outcome::unwanted && !order.is_of_snapshot);
    if (order.is_of_snapshot == contents.is_of_snapshot()) return is_done;
  }
}

// Calls write(contents) with this process's present profile.
template <class Write>
auto with_contents(RunFacts const& facts, MadeAtStart const& made, unsigned snapshot, Write&& write) {
  use_so_far::refresh();
  UnfinishedRequests unfinished;
  requests::for_each_pending([&](PendingRequest const& request) { unfinished.take(request); });
  {
    Guard const guard(requests::started.mutex);
    requests::started.table.for_each([&](StartedCall const& call) { unfinished.take(call); });
  }
  MergedRecords const records(unfinished.records(), true);
  MergedPeers const peers;
  Ticks now;
  {
    std::lock_guard const lock(regions::mutex);
    now = clock::now();
    regions::table.take_stock(now);
    for (Record const& record : records) {
      regions::table.add_mpi_time(sites::table.region(record.key.scope()), record.time);
    }
  }
  PageVector<char> processors;
  append_processors(processors);
  Ticks const wall = now < facts.start ? Ticks{} : now - facts.start;
  clock::Rate const rate = clock::calibrate();
  OwnMessageWaits waits;
  OwnTimeWindows windows;
  time_windows::of_process.with_table([&](TimeWindowTable const& table) {
    WindowAmounts sums{};
    for (Record const& record : records) add_record(sums, record);
    windows.take(table, sums, facts.start, now, clock::first_reading(), rate);
  });
  RowContext const rows{facts,
                        communicators::registry,
                        regions::table,
                        sites::table,
                        records,
                        peers,
                        rate,
                        wall,
                        Shards::threads(),
                        Shards::threads_at_once(),
                        {processors.begin(), processors.size()},
                        use_so_far::now(true),
                        waits};
  return write(Contents{rows, unfinished, waits, windows, made, snapshot});
}

}  // namespace

bool write_profile(RunFacts const& facts, MadeAtStart const& made, MPI_Comm comm) {
  dropped::count(Dropped::regions_left_open, regions::table.open());
  Tree tree(comm, facts.rank, facts.ranks);
  return with_contents(facts, made, 0, [&](Contents const& contents) {
    return tree.is_root() ? lead(nullptr, contents, tree) : follow(contents, tree);
  });
}

int write_snapshot(RunFacts const& facts, MPI_Comm comm, char const* path, unsigned number) {
  Tree tree(comm, facts.rank, facts.ranks);
  return with_contents(facts, {}, number, [&](Contents const& contents) {
    return (tree.is_root() ? lead(path, contents, tree) : follow(contents, tree)) ? MPI_SUCCESS : MPI_ERR_IO;
  });
}

}  // namespace commprof
