#include "finalize/profile_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "comm_naming/communicators.hpp"
#include "finalize/output_directory.hpp"
#include "finalize/polite_wait.hpp"
#include "finalize/rows.hpp"
#include "finalize/run_json.hpp"
#include "profile/dropped.hpp"
#include "profile/message.hpp"
#include "profile/mpi.hpp"
#include "profile/schema.hpp"
#include "profile/state.hpp"
#include "request_table/requests.hpp"

namespace commprof {

namespace {

// Also the tags of the chunks that go into these files.
enum class File : int { operations, communicators, ranks, count_ };
constexpr std::array<schema::File, static_cast<std::size_t>(File::count_)> files{schema::operations, schema::communicators,
                                                                                 schema::ranks};
constexpr int tag_of_offer = 10;    // a row that several processes have
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
MPI_Status receive(void* room, std::size_t capacity, int from, int tag, MPI_Comm comm) {
  MPI_Request request;
  MPI_Status status;
  PMPI_Irecv(room, static_cast<int>(capacity), MPI_BYTE, from, tag, comm, &request);
  wait_politely(request, &status);
  return status;
}
// Rank 0 says whether there is something to do. One process alone has nobody to tell: MPICH 4.0.2 without MPI_Init cannot even
// test a request then.
void tell_all(int& go_on, int ranks, MPI_Comm comm) {
  if (ranks == 1) return;
  MPI_Request request;
  PMPI_Ibcast(&go_on, 1, MPI_INT, 0, comm, &request);
  wait_politely(request);
}

// Requests that no call has completed. Their receives are counted with what is known.
void count_unfinished_requests() {
  Shard* const shard = Shards::mine();
  if (shard == nullptr) return;
  requests::for_each_pending([&](PendingRequest const& request) {
    if (request.persistent && request.start == 0) return;
    dropped::count(Dropped::requests_unfinished);
    if (!request.receives || !request.is_counted() || request.persistent) return;
    shard->add(request.key.with(size_bin(request.known.total())), request.known, request.issue_time);
  });
  requests::started.table.for_each([&](StartedCall const& call) {
    if (!call.key.is_of_nothing()) shard->add(call.key.with(size_bin(call.volume.total())), call.volume, call.time);
  });
}

RunSummary summary_of(RowContext const& context) {
  RunSummary summary;
  summary.wall_ns = context.rate.to_ns(context.wall);
  for (std::size_t i = 0; i < dropped::counts.size(); ++i) summary.dropped[i] = dropped::counts[i].load();
  for (std::size_t i = 0; i < dropped::folded_counts.size(); ++i) summary.folded[i] = dropped::folded_counts[i].load();
  return summary;
}

// What rank 0 does with the rows of all processes.
class Collector {
 public:
  explicit Collector(OutputDirectory& output) : output_(output) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      files_[i] = output_.add_file(files[i].name);
      output_.append(files_[i], files[i].header.data(), files[i].header.size());
      output_.append(files_[i], "\n", 1);
    }
    run_file_ = output_.add_file(schema::run_file);
  }

  void take(int tag, char const* text, std::size_t length) {
    if (tag == tag_of_offer) take_offer({text, length});
    else output_.append(files_[static_cast<std::size_t>(tag)], text, length);
  }

  void take(RunSummary const& summary) { total_.add(summary); }

  void finish(RunFacts const& facts, clock::Rate rate) {
    TextWriter out(send_buffer, sizeof send_buffer, [](void* self, char const* text, std::size_t length) {
      auto* const collector = static_cast<Collector*>(self);
      collector->output_.append(collector->run_file_, text, length);
    }, this);
    write_run_json(out, facts, total_, rate);
  }

 private:
  void take_offer(std::string_view row) {
    std::uint64_t hash = 14695981039346656037U;  // FNV-1a of the name
    for (char const c : row.substr(0, row.find(','))) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    if (std::find(taken_.begin(), taken_.end(), hash) != taken_.end()) return;
    taken_.push_back(hash);
    output_.append(files_[static_cast<std::size_t>(File::communicators)], row.data(), row.size());
    ++total_.rows[static_cast<std::size_t>(File::communicators)];
  }

  OutputDirectory& output_;
  std::size_t files_[files.size()];
  std::size_t run_file_;
  PageVector<std::uint64_t> taken_;
  RunSummary total_;
};

// Where a process's rows go: to rank 0 by message, or on rank 0 itself straight to the files.
struct Outlet {
  MPI_Comm comm;
  Collector* collector;
  int tag = 0;

  static void put(void* self, char const* text, std::size_t length) {
    auto const& outlet = *static_cast<Outlet*>(self);
    if (outlet.collector != nullptr) outlet.collector->take(outlet.tag, text, length);
    else send(text, length, 0, outlet.tag, outlet.comm);
  }
  void put(RunSummary const& summary) const {
    if (collector != nullptr) collector->take(summary);
    else send(&summary, sizeof summary, 0, tag_of_summary, comm);
  }
};

void contribute(RowContext const& context, Outlet outlet) {
  RunSummary summary = summary_of(context);
  auto const write = [&](File file, auto&& write_rows) {
    outlet.tag = static_cast<int>(file);
    TextWriter out(send_buffer, sizeof send_buffer, Outlet::put, &outlet);
    summary.rows[static_cast<std::size_t>(file)] = write_rows(context, out);
  };
  write(File::operations, write_operation_rows);
  write(File::communicators, write_communicator_rows);
  write(File::ranks, write_rank_row);
  outlet.tag = tag_of_offer;
  for (std::size_t i = 0; i < context.registry.size(); ++i) {
    if (!is_offered(context.registry, static_cast<CommIndex>(i))) continue;
    TextWriter out(send_buffer, sizeof send_buffer, Outlet::put, &outlet);
    write_communicator_row(context, static_cast<CommIndex>(i), out);
  }
  outlet.put(summary);
}

void ask(MPI_Comm comm, int rank) { send(nullptr, 0, rank, tag_of_go, comm); }

void collect_from_others(MPI_Comm comm, int ranks, Collector& collector) {
  for (int rank = 1; rank < std::min(ranks, 1 + ranks_ahead); ++rank) ask(comm, rank);
  for (int rank = 1; rank < ranks; ++rank) {
    for (;;) {
      MPI_Status const status = receive(receive_buffer, sizeof receive_buffer, rank, MPI_ANY_TAG, comm);
      if (status.MPI_TAG == tag_of_summary) break;
      int length = 0;
      PMPI_Get_count(&status, MPI_BYTE, &length);
      collector.take(status.MPI_TAG, receive_buffer, static_cast<std::size_t>(length));
    }
    RunSummary summary;
    std::copy_n(receive_buffer, sizeof summary, reinterpret_cast<char*>(&summary));
    collector.take(summary);
    if (rank + ranks_ahead < ranks) ask(comm, rank + ranks_ahead);
  }
}

// One attempt of all processes to write into a directory that rank 0 has opened.
bool collect(RowContext const& context, MPI_Comm comm, OutputDirectory& output) {
  Collector collector(output);
  contribute(context, {comm, &collector});
  collect_from_others(comm, context.facts.ranks, collector);
  collector.finish(context.facts, context.rate);
  return output.publish();
}

void announce(OutputDirectory const& output) {
  if (state.options.verbose < 1) return;
  char const* path = output.path();
  say({"profile written; look at it with: mpisee-through ", path});
}

// Rank 0: tries the wanted directory, then the default one where the program was started. Tells the others each time.
void lead(RowContext const& context, MPI_Comm comm) {
  static OutputDirectory output;
  static char path[PATH_MAX];
  static char problem_of_wanted[sizeof path + 256], problem[sizeof problem_of_wanted];
  char const* const patterns[] = {state.options.output, default_output};
  bool written = false;
  for (char const* const pattern : patterns) {
    if (pattern == nullptr) continue;
    bool const fits = expand_path(pattern, context.facts, path);
    if (fits && output.open(path)) {
      int go_on = 1;
      tell_all(go_on, context.facts.ranks, comm);
      written = collect(context, comm, output);
    }
    if (written) break;
    std::snprintf(problem, sizeof problem, "%s%s", fits ? output.problem() : pattern, fits ? "" : ": File name too long");
    if (pattern == patterns[0]) std::copy(std::begin(problem), std::end(problem), problem_of_wanted);
    output.discard();
  }
  int go_on = 0;
  tell_all(go_on, context.facts.ranks, comm);
  std::string_view const wanted = problem_of_wanted;
  if (!written) say({"cannot write the profile: ", wanted, wanted.empty() ? "" : "; ", problem, "; it is given up"});
  else if (!wanted.empty()) say({"cannot write the profile: ", wanted, "; it is in the start directory: ", output.path()});
  else announce(output);
}

void follow(RowContext const& context, MPI_Comm comm) {
  for (int go_on = 0;;) {
    tell_all(go_on, context.facts.ranks, comm);
    if (go_on == 0) return;
    receive(nullptr, 0, 0, tag_of_go, comm);
    contribute(context, {comm, nullptr});
  }
}

}  // namespace

void write_profile(RunFacts const& facts, MPI_Comm comm) {
  Ticks const wall = clock::now() - facts.start;
  count_unfinished_requests();
  MergedRecords const records;
  RowContext const context{facts, communicators::registry, records, clock::calibrate(), wall};
  if (facts.rank == 0) lead(context, comm);
  else follow(context, comm);
}

}  // namespace commprof
