#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ops.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "support/process.hpp"

using namespace commprof;

namespace {

// A communicator for each test, because the counters of a process outlive its tests.
constexpr int comms_of_tests = 4;

Registry& registry_of_test() {
  static Registry registry;
  if (registry.size() == 0) {
    registry.set_max_children(comms_of_tests);
    registry.add({});
    registry.add({});
    registry[CommIndex::world].size = 4;
    registry[CommIndex::world].members = registry.store("0-3");
    registry[CommIndex::self].size = 1;
    for (std::uint32_t ordinal = 1; ordinal <= comms_of_tests; ++ordinal)
      registry[registry.add({CommIndex::world, Op::Comm_dup, Letter{'d'}, ordinal})].size = 4;
  }
  return registry;
}

CommIndex comm_of_test(std::uint32_t test) {
  registry_of_test();
  return static_cast<CommIndex>(1 + test);
}

void count(std::uint32_t test, Op op, std::uint64_t bytes, std::uint64_t ticks) {
  Shards::mine()->add(RecordKey::of(comm_of_test(test), ScopeIndex::main, op, size_bin(bytes)), {bytes, 0}, {ticks});
}

// Time from 1000 to 1015: 2 outside, 8 in solve, 5 in solve/halo, which is entered twice.
Regions& regions_of_test() {
  static Regions regions;
  if (regions.size() > 0) return regions;
  regions.start({1000});
  regions.begin("solve", {1002});
  regions.begin("halo", {1004});
  regions.end("halo", {1005});
  regions.begin("halo", {1008});
  regions.end("halo", {1012});
  regions.take_stock({1015});
  return regions;
}

// The rows of rank 3 of 4.
template <class WriteRows>
std::string rows(WriteRows const& write_rows, clock::Rate rate = {}, ProcessorUse const& use = {}, int rank = 3) {
  RunFacts facts = Process::facts_of(rank, 4, "node07");
  facts.pid = 4321;
  Sites sites;
  sites.start();
  MergedRecords const records;
  MergedPeers const peers;
  OwnWaits const waits(rank, 0, rate);
  RowContext const context{facts,
                           registry_of_test(),
                           regions_of_test(),
                           sites,
                           records,
                           peers,
                           rate,
                           {5'000'000'000},
                           3,
                           2,
                           "0,2",
                           use,
                           waits,
                           false};
  std::uint64_t number = 0;
  std::string const text = written_rows([&](TextWriter& out) { return write_rows(context, out); }, &number);
  CHECK(number == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  sites.release();
  return text;
}

// The rows of operations.csv of one test's communicator.
std::string operation_rows(std::uint32_t test, clock::Rate rate = {}) {
  std::istringstream all(rows(write_operation_rows, rate));
  std::string found;
  for (std::string line; std::getline(all, line);)
    if (line.starts_with("main,W_d" + std::to_string(test) + ",")) found += line + "\n";
  return found;
}

}  // namespace

TEST_CASE("rows are in the order of operation and size, and threads show as one") {
  count(1, Op::Bcast, 1024, 7);
  count(1, Op::Send, 0, 1);
  std::thread([] {
    count(1, Op::Send, 3, 5);
    count(1, Op::Bcast, 1024, 3);
    count(1, Op::Send, 0, 1);
  }).join();
  std::thread([] { count(1, Op::Bcast, 2047, 2); }).join();
  Shards::mine()->find_or_insert(RecordKey::of(comm_of_test(1), ScopeIndex::main, Op::Recv, SizeBin{}));  // no call
  std::string const send = "main,W_d1,4,3,Send,", bcast = "main,W_d1,4,3,Bcast,1024,2047,3,4095,0,";
  CHECK(operation_rows(1) == send + "0,0,2,0,0,0.000000002,0.000000001,0.000000001,\n" +  //
                                 send + "2,3,1,3,0,0.000000005,0.000000005,0.000000005,\n" + bcast +
                                 "0.000000012,0.000000002,0.000000007,\n");
  // A clock of 2 ticks a nanosecond.
  CHECK(operation_rows(1, {2, 1}).ends_with("0.000000006,0.000000001,0.000000003,\n"));
}

TEST_CASE("each pair of processes has a row for each class, direction and size") {
  auto const sent = [](std::uint32_t comm, Op op, std::uint64_t size, Peer peer, int world_rank) {
    PeerRecord* const record =
        Shards::mine()->peers.find_or_insert(RecordKey::of(comm_of_test(comm), ScopeIndex::main, op, size_bin(size)),
                                             peer, [&] { return static_cast<WorldRank>(world_rank); });
    REQUIRE(record != nullptr);
    record->add(size);
  };
  // Rank 1 of the communicator is 9 in the world. Tests a peer known by its world rank alone, and one that another
  // thread has sent to.
  sent(1, no_op, 8, Peer::in_comm(1, MessageClass::p2p), 9);
  sent(1, no_op, 15, Peer::in_world(static_cast<WorldRank>(9), MessageClass::p2p), 9);
  std::thread([&] { sent(1, no_op, 10, Peer::in_comm(1, MessageClass::p2p), 9); }).join();
  sent(1, no_op, 0, Peer::in_comm(0, MessageClass::p2p), 2);
  sent(1, no_op, 4, Peer::in_comm(1, MessageClass::rma), 9);
  sent(1, no_op, 4, Peer::in_comm(1, MessageClass::rma, true), 9);
  Peer const internal = Peer::in_world(static_cast<WorldRank>(2), MessageClass::internal);
  sent(1, Op::Bcast, 32, internal, 2);
  for (std::uint64_t const size : {4096, 5000, 0}) sent(1, Op::Bcast, 32, internal.for_call_of(size_bin(size)), 2);
  sent(2, no_op, 1, Peer::in_comm(5, MessageClass::p2p), -1);
  CHECK(rows(write_peer_rows) ==
        "main,W_d1,p2p,3,2,0,0,1,0,,,\n"
        "main,W_d1,p2p,3,9,8,15,3,33,,,\n"
        "main,W_d1,rma,3,9,4,7,1,4,,,\n"
        "main,W_d1,rma,9,3,4,7,1,4,,,\n"
        "main,W_d1,internal,3,2,32,63,1,32,Bcast,0,0\n"
        "main,W_d1,internal,3,2,32,63,2,64,Bcast,4096,8191\n"
        "main,W_d1,internal,3,2,32,63,1,32,Bcast,,\n"
        "main,W_d2,p2p,3,-1,1,1,1,1,,,\n");
}

TEST_CASE("what is counted elsewhere is merged with the records of the same key") {
  PageVector<Record> further;
  Record record{};
  record.key = RecordKey::of(comm_of_test(3), ScopeIndex::main, Op::Irecv, size_bin(0));
  record.add({}, {30});
  further.push_back(record);
  std::uint64_t const before = MergedRecords().total_time().count;
  count(3, Op::Irecv, 0, 10);
  auto const times_of = [&](MergedRecords const& records) {
    std::vector<std::uint64_t> times;
    for (Record const& merged : records)
      if (merged.key == record.key) times.push_back(merged.time.count);
    return times;
  };
  CHECK(times_of(MergedRecords(further, true)) == std::vector<std::uint64_t>{40});
  CHECK(times_of(MergedRecords()) == std::vector<std::uint64_t>{10});
  CHECK(MergedRecords().total_time().count == before + 10);
}

TEST_CASE("the row of a process has its processors and what the system counted") {
  ProcessorUse use{.cpu_ns = 1'500'000'000,
                   .queued_ns = 20'000'000,
                   .voluntary_switches = 7,
                   .involuntary_switches = 8,
                   .minor_faults = 9,
                   .major_faults = 10,
                   .max_rss_bytes = 11};
  std::string const row = rows(write_rank_row, {}, use);
  CHECK(row.starts_with("3,node07,4321,\"0,2\",3,5.000000000,0.0"));
  CHECK(row.find(",1.500000000,0.020000000,7,8,9,10,0.") != std::string::npos);
  CHECK(row.ends_with(",11,\n"));
  CHECK(std::ranges::count(row, ',') == 1 + std::ranges::count(schema::ranks.header, ','));  // one is in quotes
  use.queued_ns.reset();
  CHECK(rows(write_rank_row, {}, use).find(",1.500000000,,7,8,9,10,0.") != std::string::npos);
}

TEST_CASE("a communicator's row comes from the process that describes it, SELF's from the first of all") {
  Registry& registry = registry_of_test();
  for (std::uint32_t test = 1; test <= comms_of_tests; ++test) registry[comm_of_test(test)].is_described_here = false;
  Communicator& comm = registry[comm_of_test(2)];
  comm.is_described_here = true;
  comm.members = registry.store("0-63,128-191");
  comm.topology = registry.store("cart 4x2 periods 10");
  comm.user_name = registry.store("say \"hi\"\n");
  comm.reorder = 1;
  std::string const row = "W_d2,W,Comm_dup,4,\"0-63,128-191\",cart 4x2 periods 10,1,\"say \"\"hi\"\"\\x0a\",";
  registry[CommIndex::world].is_described_here = false;
  CHECK(rows(write_communicator_rows) == row + "0,\n");
  registry[CommIndex::world].is_described_here = true;
  comm.count_freed(0, false);
  CHECK(rows(write_communicator_rows, {}, {}, 0) == "W,,,4,0-3,,,,0,\nSELF,,,1,,,,,0,\n" + row + "1,\n");

  // A record that many share: each process that has it offers its row.
  CommIndex const fold = registry.add({CommIndex::world, Op::Comm_dup, Letter{'d'}, comms_of_tests + 1});
  REQUIRE(registry[fold].is_folded);
  CHECK((is_offered(registry, fold) && !is_offered(registry, comm_of_test(1)) &&
         !is_offered(registry, CommIndex::world)));
  CHECK(rows(write_communicator_rows).find("W_d*") == std::string::npos);
  CHECK(rows([&](RowContext const& context, TextWriter& out) {
          write_communicator_row(context, fold, out);
          return 1U;
        }) == "W_d*,W,Comm_dup,4,0-3,,,,0,\n");
}
