#include "finalize/profile_writer.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <mutex>

#include "comm_naming/communicators.hpp"
#include "finalize/collector.hpp"
#include "finalize/output_directory.hpp"
#include "finalize/polite_wait.hpp"
#include "finalize/rows.hpp"
#include "finalize/run_json.hpp"
#include "finalize/spooling.hpp"
#include "finalize/unfinished_requests.hpp"
#include "profile/dropped.hpp"
#include "profile/immortal.hpp"
#include "profile/message.hpp"
#include "profile/mpi.hpp"
#include "profile/regions.hpp"
#include "profile/schema.hpp"
#include "profile/state.hpp"
#include "request_table/requests.hpp"

namespace commprof {

namespace {

// The tags of chunks that go into files are those of the files.
constexpr int tag_of_offer = 10;    // rows that several processes have: for communicators.csv
constexpr int tag_of_summary = 11;  // the last message of a process
constexpr int tag_of_go = 12;       // rank 0 asks a process for its rows

constexpr int ranks_ahead = 16;
constexpr std::size_t chunk_bytes = 64 * 1024;
char send_buffer[chunk_bytes];
char receive_buffer[chunk_bytes];

void send(void const* data, std::size_t length, int to, int tag, MPI_Comm comm) {
  MPI_Request request;
  PMPI_Isend(data, static_cast<int>(length), MPI_BYTE, to, tag, comm, &request);
  wait_politely(request);
}
// The tag of a message that will never come.
constexpr int tag_of_failure = -1;
MPI_Status receive(void* room, std::size_t capacity, int from, int tag, MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status;
  status.MPI_TAG = tag_of_failure;
  if (PMPI_Irecv(room, static_cast<int>(capacity), MPI_BYTE, from, tag, comm, &request) == MPI_SUCCESS) wait_politely(request, &status);
  return status;
}

// What rank 0 tells all to do next.
enum class Step : int { write, stop, stop_failed };
struct Order {
  Step step = Step::stop;
  bool is_of_snapshot = false;  // else of the profile of the whole run
};

// Returns what rank 0 says. One process alone has nobody to tell: MPICH 4.0.2 without MPI_Init cannot even test a request then.
Order tell_all(Order order, int ranks, MPI_Comm comm) {
  if (ranks == 1) return order;
  MPI_Request request;
  int told[] = {static_cast<int>(order.step), order.is_of_snapshot ? 1 : 0};
  PMPI_Ibcast(told, 2, MPI_INT, 0, comm, &request);
  wait_politely(request);
  return {static_cast<Step>(told[0]), told[1] != 0};
}

// Of one profile.
struct Contents {
  RowContext const& rows;
  UnfinishedRequests const& unfinished;
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
  return summary;
}

// Where a process's rows go: to rank 0 by message, or on rank 0 itself straight to the files.
struct Outlet {
  MPI_Comm comm;
  Collector* collector;
  int tag = 0;

  static void put(void* self, char const* text, std::size_t length) {
    auto const& outlet = *static_cast<Outlet*>(self);
    if (outlet.collector != nullptr) take(*outlet.collector, outlet.tag, {text, length});
    else send(text, length, 0, outlet.tag, outlet.comm);
  }
  static void take(Collector& collector, int tag, std::string_view text) {
    if (tag == tag_of_offer) collector.take_offers(text);
    else collector.take(static_cast<File>(tag), text);
  }
  void put(RunSummary const& summary) const {
    if (collector != nullptr) collector->take(summary);
    else send(&summary, sizeof summary, 0, tag_of_summary, comm);
  }
};

void contribute(Contents const& contents, Outlet outlet) {
  RowContext const& context = contents.rows;
  RunSummary summary = summary_of(contents);
  auto const write = [&](File file, auto&& write_rows) {
    outlet.tag = static_cast<int>(file);
    TextWriter out(send_buffer, sizeof send_buffer, Outlet::put, &outlet);
    summary.rows[static_cast<std::size_t>(file)] = write_rows(context, out);
  };
  for (std::size_t i = 0; i < row_writers.size(); ++i) write(static_cast<File>(i), row_writers[i]);
  outlet.tag = tag_of_offer;
  {
    TextWriter out(send_buffer, sizeof send_buffer, Outlet::put, &outlet);
    for (std::size_t i = 0; i < context.registry.size(); ++i) {
      if (!is_offered(context.registry, static_cast<CommIndex>(i))) continue;
      out.keep_together(Registry::max_name + 1);
      write_communicator_row(context, static_cast<CommIndex>(i), out);
    }
  }
  outlet.put(summary);
}

void ask(MPI_Comm comm, int rank) { send(nullptr, 0, rank, tag_of_go, comm); }

void collect_from_others(MPI_Comm comm, int ranks, Collector& collector) {
  for (int rank = 1; rank < std::min(ranks, 1 + ranks_ahead); ++rank) ask(comm, rank);
  for (int rank = 1; rank < ranks; ++rank) {
    for (;;) {
      MPI_Status const status = receive(receive_buffer, sizeof receive_buffer, rank, MPI_ANY_TAG, comm);
      if (status.MPI_TAG == tag_of_failure) return;
      if (status.MPI_TAG == tag_of_summary) break;
      int length = 0;
      PMPI_Get_count(&status, MPI_BYTE, &length);
      Outlet::take(collector, status.MPI_TAG, {receive_buffer, static_cast<std::size_t>(length)});
    }
    RunSummary summary;
    std::copy_n(receive_buffer, sizeof summary, reinterpret_cast<char*>(&summary));
    collector.take(summary);
    if (rank + ranks_ahead < ranks) ask(comm, rank + ranks_ahead);
  }
}

// One attempt of all processes to write into a directory that rank 0 has opened.
bool collect(Contents const& contents, MPI_Comm comm, OutputDirectory& output, RunSummary& total) {
  Collector collector(output);
  contribute(contents, {comm, &collector});
  collect_from_others(comm, contents.rows.facts.ranks, collector);
  collector.write_run_file([&](TextWriter& out) {
    write_run_json(out, contents.rows.facts, collector.total(), contents.rows.rate, contents.snapshot);
  });
  total = collector.total();
  return output.publish();
}

void announce(std::string_view what, OutputDirectory const& output) {
  if (state.options.verbose < 1) return;
  char const* path = output.path();
  say({what, " written; look at it with: mpisee-through ", path});
}

// One line on all that the system did not let the profiler count. What the program did by itself is in run.json alone.
void tell_of_losses(RunSummary const& total) {
  constexpr Dropped kinds[] = {Dropped::records, Dropped::communicators, Dropped::requests, Dropped::messages, Dropped::times};
  char text[256];
  std::size_t length = 0;
  for (Dropped const kind : kinds) {
    auto const i = static_cast<std::size_t>(kind);
    if (total.dropped[i] == 0) continue;
    length += static_cast<std::size_t>(std::snprintf(text + length, sizeof text - length, "%s%s: %" PRIu64, length == 0 ? "" : ", ",
                                                     dropped::names[i].data(), total.dropped[i]));
  }
  if (length > 0) say({"the profile lacks what there was no memory for, or no clock (dropped in its run.json): ", {text, length}});
}

// On rank 0.
OutputDirectory& output_directory() {
  static constinit Immortal<OutputDirectory> output;
  return *output;
}
using Problem = char[PATH_MAX + 256];  // why a profile was not written

// Rank 0: has all processes write into the directory that a pattern and an addition to it name.
bool write_into(char const* pattern, std::string_view addition, Contents const& contents, MPI_Comm comm, Problem& problem,
                RunSummary& total) {
  static char path[PATH_MAX];
  OutputDirectory& output = output_directory();
  char const* const claimed = contents.snapshot == 0 ? spooling::directory_claimed_for(pattern) : nullptr;
  if (claimed != nullptr) {
    std::snprintf(path, sizeof path, "%s", claimed);
  } else if (!expand_path(pattern, contents.rows.facts, path) || !append_to_path(path, addition)) {
    std::snprintf(problem, sizeof problem, "%s: File name too long", pattern);
    return false;
  }
  bool written = false;
  if (output.open(path, claimed != nullptr)) {
    tell_all({Step::write, contents.is_of_snapshot()}, contents.rows.facts.ranks, comm);
    written = collect(contents, comm, output, total);
  }
  if (!written) std::snprintf(problem, sizeof problem, "%s", output.problem());
  output.discard();
  return written;
}

// Rank 0: tries the wanted directory, then the default one where the program was started. Tells the others each time.
Step lead(Contents const& contents, MPI_Comm comm) {
  static Problem problem_of_wanted, problem;
  RunSummary total;
  bool const has_wish = state.options.output != nullptr;
  bool written = has_wish && write_into(state.options.output, "", contents, comm, problem_of_wanted, total);
  if (!written) written = write_into(default_output, "", contents, comm, problem, total);
  Step const last = written ? Step::stop : Step::stop_failed;
  tell_all({last}, contents.rows.facts.ranks, comm);
  std::string_view const wanted = problem_of_wanted, spool = spooling::directory();
  std::string_view const left = spool.empty() ? "; it is given up" : "; what was counted stays in ";
  if (!written) say({"cannot write the profile: ", wanted, wanted.empty() ? "" : "; ", problem, left, spool});
  else if (!wanted.empty())
    say({"cannot write the profile: ", wanted, "; it is in the start directory: ", output_directory().path()});
  else announce("profile", output_directory());
  if (written) tell_of_losses(total);
  if (written && total.rows[static_cast<std::size_t>(File::operations)] == 0 && state.is_counting())
    say({"no call was counted between MPI_Init and MPI_Finalize; if there were any, docs/front.md says why they may pass by"});
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
  if (is_output_path(path)) written = write_into(path, addition, contents, comm, problem, total);
  else std::snprintf(problem, sizeof problem, "%s is not %s", path, output_path_expects.data());
  Step const last = written ? Step::stop : Step::stop_failed;
  tell_all({last, true}, contents.rows.facts.ranks, comm);
  if (written) announce("snapshot", output_directory());
  else say({"cannot write the snapshot: ", problem});
  return last;
}

// All others. Returns how it ended.
//
// Flushes are collective, but a program may err, and is not to hang for it. A process that is at its end contributes to the
// snapshots that rank 0 still wants. One that wants a snapshot while rank 0 is at its end goes without, and obeys what it was
// told when it comes to its own end.
Step follow(Contents const& contents, MPI_Comm comm) {
  static Order order_of_end;
  static bool has_order_of_end = false;
  for (;;) {
    Order const order = has_order_of_end ? order_of_end : tell_all({}, contents.rows.facts.ranks, comm);
    has_order_of_end = contents.is_of_snapshot() && !order.is_of_snapshot;
    if (has_order_of_end) {
      order_of_end = order;
      return Step::stop_failed;
    }
    if (order.step == Step::write) {
      receive(nullptr, 0, 0, tag_of_go, comm);
      contribute(contents, {comm, nullptr});
    } else if (order.is_of_snapshot == contents.is_of_snapshot()) {
      return order.step;
    }
  }
}

// Calls write(contents) with the profile of this process as it is now.
template <class Write>
auto with_contents(RunFacts const& facts, unsigned snapshot, Write&& write) {
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
    for (Record const& record : records) regions::table.add_mpi_time(record.key.region(), record.time);
  }
  PageVector<char> cpus;
  append_allowed_cpus(cpus);
  Ticks const wall = now < facts.start ? Ticks{} : now - facts.start;
  RowContext const rows{facts, communicators::registry, regions::table, records, peers, clock::calibrate(), wall,
                        Shards::threads(), {cpus.begin(), cpus.size()}};
  return write(Contents{rows, unfinished, snapshot});
}

}  // namespace

void write_profile(RunFacts const& facts, MPI_Comm comm) {
  dropped::count(Dropped::regions_left_open, regions::table.open());
  with_contents(facts, 0, [&](Contents const& contents) {
    Step const last = facts.rank == 0 ? lead(contents, comm) : follow(contents, comm);
    spooling::end(last == Step::stop ? spooling::File::remove : spooling::File::leave);
  });
}

int write_snapshot(RunFacts const& facts, MPI_Comm comm, char const* path, unsigned number) {
  return with_contents(facts, number, [&](Contents const& contents) {
    Step const last = facts.rank == 0 ? lead_snapshot(path, contents, comm) : follow(contents, comm);
    return last == Step::stop ? MPI_SUCCESS : MPI_ERR_IO;
  });
}

}  // namespace commprof
