// What rank 0 does when a large job ends, without the job:  bench_writer DIRECTORY [RANKS [COMMUNICATORS]]
//
// Formats the rows of so many processes (100,000 with 30 communicators each, if not said) with the library's own code,
// one process after the other, hands them to its collector, which writes a profile into the directory, and prints how
// fast that goes and how much memory it takes as it goes along. The profile stays for readers to be tried on.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "finalize/run_json.hpp"
#include "ops.hpp"
#include "profile/profile.hpp"

using namespace commprof;

namespace {

constexpr Op operations[] = {Op::Allreduce, Op::Bcast, Op::Isend, Op::Irecv, Op::Waitall};
constexpr int neighbours = 4;  // in each communicator

// Counts the calls of one process; all processes have equal counts, and differ in the rank only.
void count_calls(Registry& registry, int communicators, int ranks) {
  registry.set_max_children(static_cast<std::uint32_t>(communicators));
  for (int i = 0; i < 2; ++i) registry.add({});
  registry[CommIndex::world].size = ranks;
  for (int i = 1; i <= communicators; ++i) {
    CommIndex const comm = registry.add({CommIndex::world, Op::Comm_split, Letter{'s'}, static_cast<std::uint32_t>(i)});
    registry[comm].size = ranks / i;
    for (Op const op : operations)
      Shards::mine()->add(RecordKey::of(comm, ScopeIndex::main, op, size_bin(4096)), {4096, 4096}, {12345});
    for (int neighbour = 0; neighbour < neighbours; ++neighbour) {
      auto const rank = static_cast<WorldRank>(neighbour * 31);
      PeerRecord* const record =
          Shards::mine()->peers.find_or_insert(RecordKey::of(comm, ScopeIndex::main, Op{}, size_bin(4096)),
                                               Peer::in_world(rank, MessageClass::p2p), [rank] { return rank; });
      record->add(4096, 1000);
    }
  }
}

class Simulation {
 public:
  explicit Simulation(Collector& collector) : collector_(collector) {}

  void contribute(RowContext const& context) {
    RunSummary summary;
    for (RowWriter const& writer : row_writers) write(writer, context, summary);
    collector_.take(summary);
  }
  double megabytes() const { return static_cast<double>(bytes_) / 1e6; }

 private:
  void write(RowWriter writer, RowContext const& context, RunSummary& summary) {
    file_ = writer.file;
    TextWriter out(
        buffer_, sizeof buffer_,
        [](void* self, char const* text, std::size_t length) {
          auto* const simulation = static_cast<Simulation*>(self);
          simulation->collector_.take(simulation->file_, {text, length});
          simulation->bytes_ += length;
        },
        this);
    summary.rows[static_cast<std::size_t>(writer.file)] = writer.write(context, out);
  }

  Collector& collector_;
  File file_{};
  std::size_t bytes_ = 0;
  char buffer_[64 * 1024];
};

long most_resident_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "bench_writer: DIRECTORY [RANKS [COMMUNICATORS]]\n"), 1;
  int const ranks = argc > 2 ? std::atoi(argv[2]) : 100'000, communicators = argc > 3 ? std::atoi(argv[3]) : 30;
  static Registry registry;
  static Regions regions;
  static Sites sites;
  count_calls(registry, communicators, ranks);
  regions.start({});
  sites.start();
  RunFacts facts;
  facts.ranks = ranks;
  std::strcpy(facts.host, "node07");

  OutputDirectory output;
  if (!output.open(argv[1])) return std::fprintf(stderr, "bench_writer: %s\n", output.problem()), 1;
  Collector collector(output);
  static Simulation simulation(collector);
  auto const begin = std::chrono::steady_clock::now();
  std::printf("%10s %10s %8s %8s %14s %12s\n", "ranks", "MB", "s", "MB/s", "resident KiB", "mapped KiB");
  for (int rank = 0; rank < ranks; ++rank) {
    facts.rank = rank;
    {
      MergedRecords const records;
      MergedPeers const peers;
      OwnWaits const waits(rank, 0, {});
      simulation.contribute({facts,
                             registry,
                             regions,
                             sites,
                             records,
                             peers,
                             {},
                             {1'000'000'000},
                             1,
                             1,
                             "0-63",
                             ProcessorUse(),
                             waits,
                             false});
    }
    if ((rank + 1) % std::max(ranks / 10, 1) != 0) continue;
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::printf("%10d %10.1f %8.2f %8.1f %14ld %12zu\n", rank + 1, simulation.megabytes(), seconds,
                simulation.megabytes() / seconds, most_resident_kib(), mapped_bytes() / 1024);
  }
  collector.write_run_file([&](TextWriter& out) { write_run_json(out, facts, collector.total(), {}); });
  if (!output.publish()) return std::fprintf(stderr, "bench_writer: %s\n", output.problem()), 1;
  std::printf("written: %s\n", output.path());
  return 0;
}
