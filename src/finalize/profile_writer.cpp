#include "finalize/profile_writer.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/dropped.hpp"
#include "base/immortal.hpp"
#include "base/message.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "finalize/channel.hpp"
#include "finalize/run_json.hpp"
#include "finalize/waits_exchange.hpp"
#include "mpi/mpi.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "request_table/requests.hpp"

namespace commprof {

namespace {

constexpr int ranks_ahead = 16;
char send_buffer[Channel::chunk_bytes];

// Broadcast by rank 0: what all processes do next.
enum class Step : int { write, stop, stop_failed };
struct Order {
  Step step = Step::stop;
  bool is_of_snapshot = false;  // false: of the profile of the whole run
  int attempt = 0;              // the number of the attempt to write
  bool has_waits = false;       // by the options of rank 0
};

// Rank 0.
int order_all(Order order, RunFacts const& facts, MPI_Comm comm) {
  return broadcast_politely(order, facts.ranks, comm);
}

// Of one profile.
struct Contents {
  RowContext const& rows;
  UnfinishedRequests const& unfinished;
  OwnWaits& waits;
  MadeAtStart made;   // nothing for a snapshot
  unsigned snapshot;  // its number, from 1; 0: the profile of the whole run

  bool is_of_snapshot() const { return snapshot != 0; }
};

RunSummary summary_of(Contents const& contents) {
  RunSummary summary;
  summary.wall_ns = contents.rows.rate.to_ns(contents.rows.wall);
  std::copy(dropped::counts->dropped.begin(), dropped::counts->dropped.end(), summary.dropped.begin());
  std::copy(dropped::counts->folded.begin(), dropped::counts->folded.end(), summary.folded.begin());
  summary.dropped[static_cast<std::size_t>(Dropped::requests_unfinished)] += contents.unfinished.count();
  summary.dropped[static_cast<std::size_t>(Dropped::records)] +=
      contents.unfinished.lost_calls() + contents.rows.records.lost_calls();
  summary.dropped[static_cast<std::size_t>(Dropped::messages)] += contents.rows.peers.lost_messages();
  if (state.options.waits) count_calls_without_waits(contents.rows, summary);
  return summary;
}

// The destination of a process's rows: rank 0, by message; on rank 0 itself, the files.
struct Outlet {
  Channel channel;
  Collector* collector;
  int tag = 0;
  int error = MPI_SUCCESS;  // of the first message that could not be sent; nothing is sent after it

  static void put(void* self, char const* text, std::size_t length) {
    auto& outlet = *static_cast<Outlet*>(self);
    if (outlet.collector != nullptr) take(*outlet.collector, outlet.tag, {text, length});
    else if (outlet.error == MPI_SUCCESS) outlet.error = outlet.channel.send(text, length, 0, outlet.tag);
  }
  static void take(Collector& collector, int tag, std::string_view text) {
    if (tag >= tag_of_offer) collector.take_offers(static_cast<File>(tag - tag_of_offer), text);
    else collector.take(static_cast<File>(tag), text);
  }
  void put(RunSummary const& summary) {
    if (collector != nullptr) return collector->take(summary);
    if (error == MPI_SUCCESS) error = channel.send(&summary, sizeof summary, 0, tag_of_summary);
    if (error != MPI_SUCCESS) tell_failure();
  }
  void tell_failure() const {
    int error_class = MPI_ERR_OTHER;  // all processes know classes; codes may be each process's own
    PMPI_Error_class(error, &error_class);
    channel.send_surely(&error_class, sizeof error_class, 0, tag_of_failure);
  }
};

void contribute(Contents const& contents, Outlet outlet) {
  RowContext const& context = contents.rows;
  RunSummary summary = summary_of(contents);
  auto const write = [&](RowWriter writer, int tag) {
    outlet.tag = tag;
    TextWriter out(send_buffer, sizeof send_buffer, Outlet::put, &outlet);
    summary.rows[static_cast<std::size_t>(writer.file)] += writer.write(context, out);
  };
  for (RowWriter const& writer : row_writers) write(writer, static_cast<int>(writer.file));
  for (RowWriter const& writer : offer_writers) write(writer, tag_of_offer + static_cast<int>(writer.file));
  outlet.put(summary);
}

void ask(Channel const& channel, int rank) { channel.send_surely(nullptr, 0, rank, tag_of_go); }

// The first failure to gather the rows of another process.
struct Gap {
  int rank = 0;  // 0: there is none
  bool is_of_sender = false;
  int error = MPI_SUCCESS;

  explicit operator bool() const { return rank != 0; }
  void open(int of_rank, bool of_sender, int why) {
    if (rank == 0) *this = {of_rank, of_sender, why};
  }
};

// Receives all messages of the process even after a failure, since the process waits for its sends to complete. Gives
// up after two failures in a row.
void collect_from(Channel const& channel, int rank, Collector& collector, Gap& gap) {
  for (bool has_failed = false;;) {
    Message const message = channel.receive(rank, has_failed);
    bool const is_last = message.tag == tag_of_summary || message.tag == tag_of_failure;
    if (message.error != MPI_SUCCESS) {
      gap.open(rank, false, message.error);
      if (is_last || has_failed) return;
    } else if (message.tag == tag_of_failure) {
      return gap.open(rank, true, message.as<int>());
    } else if (message.tag == tag_of_summary) {
      return collector.take(message.as<RunSummary>());
    } else if (message.tag != tag_of_nothing && !gap) {
      Outlet::take(collector, message.tag, message.text);
    }
    has_failed = message.error != MPI_SUCCESS;
  }
}

Gap collect_from_others(Channel const& channel, int ranks, Collector& collector) {
  Gap gap;
  for (int rank = 1; rank < std::min(ranks, 1 + ranks_ahead); ++rank) ask(channel, rank);
  for (int rank = 1; rank < ranks; ++rank) {
    collect_from(channel, rank, collector, gap);
    if (rank + ranks_ahead < ranks) ask(channel, rank + ranks_ahead);
  }
  return gap;
}

// How an attempt to write a profile ended.
enum class Outcome { written, no_place, no_rows };

using Problem = char[PATH_MAX + 256];  // why a profile was not written

void describe(char const* what, int error, Problem& problem) {
  char reason[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  PMPI_Error_string(error, reason, &length);
  std::snprintf(problem, sizeof problem, "%s: %s", what, reason);
}

void describe(Gap const& gap, Problem& problem) {
  char what[64];
  std::snprintf(what, sizeof what,
                gap.is_of_sender ? "rank %d cannot send its rows" : "the rows of rank %d cannot be received", gap.rank);
  describe(what, gap.error, problem);
}

// One attempt of all processes to write into a directory that rank 0 has opened.
Outcome collect(Contents const& contents, Channel const& channel, OutputDirectory& output, Problem& problem,
                RunSummary& total) {
  Collector collector(output);
  if (state.options.waits) exchange_waits(contents.waits, contents.rows.facts, channel);
  contribute(contents, {channel, &collector});
  if (Gap const gap = collect_from_others(channel, contents.rows.facts.ranks, collector)) {
    describe(gap, problem);
    return Outcome::no_rows;
  }
  collector.write_run_file([&](TextWriter& out) {
    write_run_json(out, contents.rows.facts, collector.total(), contents.rows.rate, contents.snapshot);
  });
  total = collector.total();
  if (output.publish()) return Outcome::written;
  std::snprintf(problem, sizeof problem, "%s", output.problem());
  return Outcome::no_place;
}

void announce(std::string_view what, OutputDirectory const& output) {
  if (state.options.verbose < 1) return;
  char const* path = output.path();
  say({what, " written; look at it with: mpisee-through ", path});
}

// Prints one line about counts that are missing for lack of memory or of a clock. Losses that the program caused are in
// run.json only. False if nothing is missing.
bool tell_of_losses(RunSummary const& total) {
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
  return length > 0;
}

// A profile without rows means that the program's calls have bypassed the profiler, or that there were none.
void tell_of_nothing(RunSummary const& total) {
  if (total.rows[static_cast<std::size_t>(File::operations)] > 0 || !state.is_counting()) return;
  if (left_out.is_any())
    say(
        {"no call was counted: COMMPROF_OPS and COMMPROF_COMMS leave out all calls between MPI_Init and "
         "MPI_Finalize"});
  else
    say(
        {"no call was counted between MPI_Init and MPI_Finalize; if there were any, docs/front.md says how they can "
         "bypass the profiler"});
}

// On rank 0.
OutputDirectory& output_directory() {
  static constinit Immortal<OutputDirectory> output;
  return *output;
}

// Rank 0: has all processes write into the directory named by a pattern and an addition to it.
Outcome write_into(char const* pattern, std::string_view addition, Contents const& contents, MPI_Comm comm,
                   Problem& problem, RunSummary& total) {
  static char path[PATH_MAX];
  static int attempts = 0;
  OutputDirectory& output = output_directory();
  MadeAtStart const& made = contents.made;
  bool const is_made = made.directory != nullptr && std::strcmp(made.pattern, pattern) == 0;
  if (is_made) {
    std::snprintf(path, sizeof path, "%s", made.directory);
  } else if (!expand_path(pattern, contents.rows.facts, path) || !append_to_path(path, addition)) {
    std::snprintf(problem, sizeof problem, "%s: File name too long", pattern);
    return Outcome::no_place;
  }
  Outcome outcome = Outcome::no_place;
  if (output.open(path, is_made)) {
    Order const order = {Step::write, contents.is_of_snapshot(), ++attempts, state.options.waits};
    if (int const error = order_all(order, contents.rows.facts, comm)) {
      describe("rank 0 cannot tell the other processes to write", error, problem);
      outcome = Outcome::no_rows;
    } else {
      outcome = collect(contents, {comm, order.attempt}, output, problem, total);
    }
  } else {
    std::snprintf(problem, sizeof problem, "%s", output.problem());
  }
  output.discard();
  return outcome;
}

// Rank 0: tries the wanted directory, then the default one where the program was started. Tells the others each time.
// Another directory does not help where rows did not arrive.
Step lead(Contents const& contents, MPI_Comm comm) {
  static Problem problem_of_wanted, problem;
  RunSummary total;
  bool const has_wish = state.options.output != nullptr;
  Outcome outcome =
      has_wish ? write_into(state.options.output, "", contents, comm, problem_of_wanted, total) : Outcome::no_place;
  if (outcome == Outcome::no_place) outcome = write_into(default_output, "", contents, comm, problem, total);
  bool const written = outcome == Outcome::written;
  Step const last = written ? Step::stop : Step::stop_failed;
  order_all({last}, contents.rows.facts, comm);
  std::string_view const wanted = problem_of_wanted, other = problem, spool = contents.made.spool;
  std::string_view const left = spool.empty() ? "; it is given up" : "; what was counted stays in ";
  if (!written)
    say({"cannot write the profile: ", wanted, wanted.empty() || other.empty() ? "" : "; ", other, left, spool});
  else if (!wanted.empty())
    say({"cannot write the profile: ", wanted, "; it is in the start directory: ", output_directory().path()});
  else announce("profile", output_directory());
  if (written && !tell_of_losses(total) && state.options.verbose >= 1) tell_of_nothing(total);
  return last;
}

// Rank 0: tries the directory that the program asked for, or else the one beside the final profile.
Step lead_snapshot(char const* path, Contents const& contents, MPI_Comm comm) {
  static Problem problem;
  RunSummary total;
  char addition[32] = "";
  bool written = false;
  if (path == nullptr || *path == '\0') {
    path = state.options.output != nullptr ? state.options.output : default_output;
    std::snprintf(addition, sizeof addition, "-snapshot-%u", contents.snapshot);
  }
  if (is_output_path(path)) written = write_into(path, addition, contents, comm, problem, total) == Outcome::written;
  else std::snprintf(problem, sizeof problem, "%s is not %s", path, output_path_expects.data());
  Step const last = written ? Step::stop : Step::stop_failed;
  order_all({last, true}, contents.rows.facts, comm);
  if (written) announce("snapshot", output_directory());
  else say({"cannot write the snapshot: ", problem});
  return last;
}

// All other ranks: obeys the orders of rank 0. Returns the last step.
//
// Flushes are collective, but a program that gets this wrong must not hang. A process in MPI_Finalize contributes to
// the snapshots that rank 0 still writes. A process in a flush while rank 0 is in MPI_Finalize gets no snapshot, and
// keeps the order for its own MPI_Finalize.
Step follow(Contents const& contents, MPI_Comm comm) {
  static Order order_of_end;
  static bool has_order_of_end = false;
  for (;;) {
    Order order = {Step::stop_failed, contents.is_of_snapshot()};  // if the broadcast fails
    if (has_order_of_end) order = order_of_end;
    else broadcast_politely(order, contents.rows.facts.ranks, comm);
    has_order_of_end = contents.is_of_snapshot() && !order.is_of_snapshot;
    if (has_order_of_end) {
      order_of_end = order;
      return Step::stop_failed;
    }
    if (order.step == Step::write) {
      Channel const channel(comm, order.attempt);
      if (order.has_waits) exchange_waits(contents.waits, contents.rows.facts, channel);
      channel.receive_go();  // if that fails, the process sends without being asked
      contribute(contents, {channel, nullptr});
    } else if (order.is_of_snapshot == contents.is_of_snapshot()) {
      return order.step;
    }
  }
}

// Calls write(contents) with the profile of this process as it is now.
template <class Write>
auto with_contents(RunFacts const& facts, MadeAtStart const& made, unsigned snapshot, Write&& write) {
  UnfinishedRequests unfinished;
  requests::for_each_pending([&](PendingRequest const& request) { unfinished.take(request); });
  {
    Guard const guard(requests::started.mutex);
    requests::started.table.for_each([&](StartedCall const& call) { unfinished.take(call); });
  }
  MergedRecords const records(unfinished.records());
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
  PageVector<char> cpus;
  append_allowed_cpus(cpus);
  Ticks const wall = now < facts.start ? Ticks{} : now - facts.start;
  clock::Rate const rate = clock::calibrate();
  OwnWaits waits(facts.rank, hash_of(facts.host), rate);
  collect_waits(waits, records);
  RowContext const rows{facts,
                        communicators::registry,
                        regions::table,
                        sites::table,
                        records,
                        peers,
                        rate,
                        wall,
                        Shards::threads(),
                        {cpus.begin(), cpus.size()},
                        read_processor_use().since(facts.use_before),
                        waits};
  return write(Contents{rows, unfinished, waits, made, snapshot});
}

}  // namespace

bool write_profile(RunFacts const& facts, MadeAtStart const& made, MPI_Comm comm) {
  dropped::count(Dropped::regions_left_open, regions::table.open());
  return with_contents(facts, made, 0, [&](Contents const& contents) {
    return (facts.rank == 0 ? lead(contents, comm) : follow(contents, comm)) == Step::stop;
  });
}

int write_snapshot(RunFacts const& facts, MPI_Comm comm, char const* path, unsigned number) {
  return with_contents(facts, {}, number, [&](Contents const& contents) {
    Step const last = facts.rank == 0 ? lead_snapshot(path, contents, comm) : follow(contents, comm);
    return last == Step::stop ? MPI_SUCCESS : MPI_ERR_IO;
  });
}

}  // namespace commprof
