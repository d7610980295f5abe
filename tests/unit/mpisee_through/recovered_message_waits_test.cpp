#include "recovery/recovered_message_waits.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "counters/regions.hpp"
#include "files/temporary_directory.hpp"
#include "ops.hpp"
#include "request_table/request_table.hpp"
#include "sites/sites.hpp"
#include "spool/spool.hpp"

namespace fs = std::filesystem;
namespace through = mpisee_through;
using namespace commprof;

namespace {

constexpr std::uint64_t cell_ticks = std::uint64_t{1} << instants::cell_bits;
constexpr Ticks start{1'000'000 * cell_ticks};
Ticks at(std::uint64_t cells) { return start + Ticks{cells * cell_ticks}; }
constexpr std::uint32_t messages = 20, cells_between = 30, first_cells = 20;

struct Job {
  int ranks = 2;
  bool is_in_barrier = false;  // rank 0, before it sends
  bool goes_on = false;        // rank 0, until it keeps half of its instants
  bool is_pending = false;     // a receive of rank 0, since cell 100
};

// Rank 0 computes, or is in a barrier, for 30 cells before each message; the others are in MPI_Recv for the last 20 of
// them, and pass the message on to the next rank.
void exchange(int rank, Job const& job, MessageWaits& waits, Shard& shard) {
  constexpr int tag = 5;
  for (std::uint32_t i = 0; i < messages; ++i) {
    Ticks const due = at(cells_between * (i + 1)), sent = due + Ticks{100 * static_cast<std::uint64_t>(rank)};
    Ticks const entry = due - Ticks{first_cells * cell_ticks};
    if (rank == 0) {
      if (job.is_in_barrier) waits.span({.entry = at(cells_between * i), .exit = sent, .op = Op::Barrier}, nullptr, 0);
      waits.pass(sent, sent + Ticks{100});
    } else {
      waits.pass(entry, sent);
      Awaited const awaited{.comm = CommIndex::world,
                            .peer = rank - 1,
                            .tag = tag,
                            .world_rank = static_cast<WorldRank>(rank - 1),
                            .number = waits.receive(CommIndex::world, rank - 1, tag, entry).value};
      waits.span({.entry = entry, .exit = sent, .op = Op::Recv}, &awaited, 1);
      shard.add(RecordKey::of(CommIndex::world, ScopeIndex::main, Op::Recv, size_bin(4)), {0, 4},
                Interval(sent - entry, sent));
    }
    if (rank + 1 < job.ranks) waits.count(StreamKey::of(Way::out, CommIndex::world, rank + 1, tag), sent);
  }
  Ticks const end = at(instants::most + cells_between);
  if (rank == 0 && job.goes_on) waits.pass(end, end);
}

// In a process of its own, because a process has one spool.
[[noreturn]] void leave_file(fs::path const& directory, int rank, Job const& job) {
  clock::start(clock::Source::monotonic);
  spool::Owner owner{.run = 42, .rank = rank, .ranks = job.ranks, .pid = 7, .start_time = {}, .start = start};
  std::strcpy(owner.host, "host");
  int const opened = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!spool::open(opened, (directory / (std::to_string(rank) + ".spool")).c_str(), owner)) _exit(1);
  Registry registry;
  for (int i = 0; i < 2; ++i) registry.add({});
  registry[CommIndex::world].size = job.ranks;
  registry[CommIndex::world].rank = rank;
  registry[CommIndex::world].is_described_here = rank == 0;
  registry[CommIndex::self].size = 1;
  Regions regions;
  regions.start(start);
  sites::table.start();
  static MessageWaits waits;
  waits.begin(start, [](CommIndex) { return 0; });
  exchange(rank, job, waits, *Shards::mine());
  static RequestTable requests;
  requests.keep_in_spool(0);
  if (job.is_pending && rank == 0)
    requests.insert(1, 8,
                    {.key = RecordKey::of(CommIndex::world, ScopeIndex::main, Op::Irecv, SizeBin{}),
                     .traits = IssuedRequest::receiving,
                     .since = at(100)});
  _exit(0);
}

class Files {
 public:
  explicit Files(Job const& job = {}) {
    for (int rank = 0; rank < job.ranks; ++rank) {
      pid_t const child = fork();
      if (child == 0) leave_file(directory_.path(), rank, job);
      int status = -1;
      waitpid(child, &status, 0);
      REQUIRE(status == 0);
    }
  }
  through::FileToRead file(int rank) const {
    fs::path const path = directory_.path() / (std::to_string(rank) + ".spool");
    return {path, path};
  }
  // Writes a number into the contents of a kind of pages.
  template <class T>
  void damage(int rank, spool::Kind kind, std::size_t offset, T value) const {
    std::fstream stream(file(rank).opened, std::ios::binary | std::ios::in | std::ios::out);
    std::string const bytes{std::istreambuf_iterator<char>(stream), {}};
    for (std::size_t page = 0; page + sizeof(spool::SegmentHead) <= bytes.size(); page += spool::page_bytes) {
      spool::SegmentHead head;
      std::memcpy(&head, bytes.data() + page, sizeof head);
      if (head.magic != spool::segment_magic || head.part.kind != kind) continue;
      stream.clear();
      stream.seekp(static_cast<std::streamoff>(page + head.offset + offset));
      stream.write(reinterpret_cast<char const*>(&value), sizeof value);
      return;
    }
    FAIL("no such pages");
  }

 private:
  through::TemporaryDirectory directory_;
};

void take(through::RecoveredMessageWaits& waits, through::FileToRead const& file) {
  through::SpoolFile read(file, through::SpoolFile::Parts::all);
  waits.take(read);
}

}  // namespace

TEST_CASE("two killed processes leave how long one waited for the other's messages") {
  Files const files;
  through::RecoveredMessageWaits waits;
  for (int rank = 0; rank < 2; ++rank) take(waits, files.file(rank));
  waits.join();
  REQUIRE(waits.of(0) != nullptr);
  REQUIRE(waits.of(1) != nullptr);
  REQUIRE(waits.of(1)->by_rank().size() == 1);
  OwnMessageWaits::Row const& row = *waits.of(1)->by_rank().begin();
  CHECK(row.op == Op::Recv);
  CHECK(row.kind == WaitKind::late_sender);
  CHECK(row.unknown_share == 0);
  // Each cell has an instant, in a random place: one at each end may be outside of the call.
  CHECK(row.instants >= messages * (first_cells - 1));
  CHECK(row.wait_ns == row.time_ns);
  // Rank 0 writes the rows of the communicator.
  REQUIRE(waits.of(0)->rows().rows.size() == 1);
  CHECK(waits.of(1)->rows().rows.size() == 0);
  CHECK(waits.of(0)->rows().rows.begin()->whom.ones[0].rank == 0);
  CHECK(waits.of(0)->rows().rows.begin()->cause.ones[0].rank == 0);
}

TEST_CASE("a request of a killed process was pending until the process was last seen") {
  Files const files({.is_pending = true});
  through::RecoveredMessageWaits waits;
  for (int rank = 0; rank < 2; ++rank) take(waits, files.file(rank));
  waits.join();
  REQUIRE(waits.of(0) != nullptr);
  REQUIRE(waits.of(0)->by_rank().size() == 1);
  OwnMessageWaits::Row const& row = *waits.of(0)->by_rank().begin();
  CHECK(row.op == Op::Irecv);
  CHECK(row.kind == WaitKind::pending);
  // Its last call was at cell 600. Each cell has an instant, in a random place.
  CHECK(row.instants >= messages * cells_between - 100 - 1);
  CHECK(row.instants <= messages * cells_between - 100 + 1);
  CHECK(row.time_ns == row.instants * cell_ticks);  // ticks are nanoseconds
  CHECK(row.wait_ns == 0);                          // it was outside of MPI at all of them
}

TEST_CASE("a process that waits in a collective call meanwhile is not the cause") {
  Files const files({.is_in_barrier = true});
  through::RecoveredMessageWaits waits;
  for (int rank = 0; rank < 2; ++rank) take(waits, files.file(rank));
  waits.join();
  REQUIRE(waits.of(1) != nullptr);
  CHECK(waits.of(1)->by_rank().begin()->wait_ns == waits.of(1)->by_rank().begin()->time_ns);
  REQUIRE(waits.of(0)->rows().rows.size() == 1);
  MessageRow const& row = *waits.of(0)->rows().rows.begin();
  CHECK(row.whom.ones[0].rank == 0);
  CHECK(row.caused == row.late);
  CHECK(row.cause.ones[0].rank == -1);
}

TEST_CASE("an instant that a process has left out does not count as one of unknown cause") {
  Files const files({.ranks = 3, .goes_on = true});
  through::RecoveredMessageWaits waits;
  for (int rank = 0; rank < 3; ++rank) take(waits, files.file(rank));
  waits.join();
  // Rank 0 has answered rank 1 for half of the instants.
  std::uint64_t const all = waits.of(2)->by_rank().begin()->instants, half = waits.of(1)->by_rank().begin()->instants;
  CHECK(half < all * 3 / 4);
  REQUIRE(waits.of(0)->rows().rows.size() == 1);
  MessageRow const& row = *waits.of(0)->rows().rows.begin();
  CHECK(row.late == row.known);
  CHECK(row.caused == Approx(row.late).epsilon(0.2));
  CHECK(row.cause.ones[0].rank == 0);
  CHECK(row.cause.ones[0].weight == Approx(row.caused));
}

TEST_CASE("if the file of a process is missing, it is not known how long others waited for it") {
  Files const files;
  through::RecoveredMessageWaits waits;
  take(waits, files.file(1));
  waits.join();
  CHECK(waits.of(0) == nullptr);
  REQUIRE(waits.of(1) != nullptr);
  CHECK(waits.of(1)->by_rank().size() == 0);
  REQUIRE(waits.of(1)->rows().rows.size() == 1);
  MessageRow const& row = *waits.of(1)->rows().rows.begin();
  CHECK(row.known == 0);
  CHECK(row.unknown >= messages * (first_cells - 1));
}

TEST_CASE("a process that was killed while it rewrote what it keeps, or whose file is damaged, answers nothing") {
  Files const files;
  bool const is_torn = GENERATE(true, false);
  if (is_torn) files.damage(0, spool::Kind::message_state, offsetof(MessageWaits::Kept, is_changing), std::uint32_t{1});
  else
    files.damage(0, spool::Kind::message_log, offsetof(KeptVector<MessageWaits::Entry>::Head, size),
                 std::uint64_t{1} << 40);
  through::SpoolFile const damaged(files.file(0), through::SpoolFile::Parts::all);
  CHECK(damaged.messages == nullptr);
  CHECK((damaged.damaged > 0) == !is_torn);
  through::RecoveredMessageWaits waits;
  for (int rank = 0; rank < 2; ++rank) take(waits, files.file(rank));
  waits.join();
  CHECK(waits.of(0) == nullptr);
  CHECK(waits.of(1)->by_rank().size() == 0);
}
