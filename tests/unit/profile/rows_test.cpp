#include "profile/rows.hpp"

#include <sched.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ops.hpp"
#include "profile/processors.hpp"
#include "profile/schema.hpp"

using namespace commprof;

namespace {

// A communicator for each test, because the counters of a process outlive its tests.
constexpr int comms_of_tests = 6;

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

Sites& sites_of_test() {
  static Sites sites;
  sites.set_max_scopes(10);
  sites.start();
  return sites;
}

// A return address in this test program.
[[gnu::noinline]] void const* somewhere() { return reinterpret_cast<void const*>(&somewhere); }

RunFacts facts_of_test() {
  RunFacts facts;
  facts.rank = 3;
  facts.ranks = 4;
  facts.pid = 4321;
  std::strcpy(facts.host, "node07");
  return facts;
}

template <class WriteRows>
std::string rows(WriteRows const& write_rows, RunFacts const& facts = facts_of_test(), clock::Rate rate = {},
                 std::optional<ProcessorUse> const& processor_use = {}) {
  MergedRecords const records;
  MergedPeers const peers;
  PageVector<char> processors;
  append_processors(processors);
  OwnWaits const waits(facts.rank, 0, rate);
  RowContext const context{facts,
                           registry_of_test(),
                           regions_of_test(),
                           sites_of_test(),
                           records,
                           peers,
                           rate,
                           {5'000'000'000},
                           Shards::threads(),
                           Shards::threads_at_once(),
                           {processors.begin(), processors.size()},
                           processor_use,
                           waits,
                           false};
  std::string text;
  std::vector<char> buffer(64);
  std::uint64_t number = 0;
  {
    TextWriter out(
        buffer.data(), buffer.size(),
        [](void* to, char const* part, std::size_t length) { static_cast<std::string*>(to)->append(part, length); },
        &text);
    number = write_rows(context, out);
  }
  CHECK(number == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  return text;
}

// The rows of operations.csv of one test's communicator.
std::string operation_rows(std::uint32_t test, clock::Rate rate = {}) {
  std::istringstream all(rows(write_operation_rows, facts_of_test(), rate));
  std::string const comm = "main,W_d" + std::to_string(test) + ",";
  std::string found;
  for (std::string line; std::getline(all, line);)
    if (line.starts_with(comm)) found += line + "\n";
  return found;
}

auto columns(std::string_view text) { return 1 + std::count(text.begin(), text.end(), ','); }

std::string communicator_row(CommIndex index) {
  return rows([&](RowContext const& context, TextWriter& out) {
    write_communicator_row(context, index, out);
    return 1U;
  });
}

}  // namespace

TEST_CASE("a record is a row of operations.csv") {
  count(1, Op::Send, 8, 100);
  count(1, Op::Send, 12, 200);
  CHECK(operation_rows(1) == "main,W_d1,4,3,Send,8,15,2,20,0,0.000000300,0.000000100,0.000000200,\n");
  // A clock of 2 ticks a nanosecond.
  CHECK(operation_rows(1, {2, 1}) == "main,W_d1,4,3,Send,8,15,2,20,0,0.000000150,0.000000050,0.000000100,\n");
  CHECK(columns(operation_rows(1)) == columns(schema::operations.header));
}

TEST_CASE("a record's row names its region and its site") {
  constexpr auto halo = static_cast<RegionIndex>(2);
  regions_of_test();
  ScopeIndex const without_site = sites_of_test().scope_of(halo);
  ScopeIndex const with_site = sites_of_test().scope_of(without_site, somewhere());
  Shards::mine()->add(RecordKey::of(comm_of_test(6), without_site, Op::Send, size_bin(8)), {8, 0}, {100});
  Shards::mine()->add(RecordKey::of(comm_of_test(6), with_site, Op::Recv, size_bin(8)), {0, 8}, {100});
  char room[Sites::max_name];
  std::string const site(sites_of_test().name(sites_of_test().site(with_site), room));
  std::string const all = "\n" + rows(write_operation_rows);
  CHECK(all.find("\nsolve/halo,W_d6,4,3,Send,8,15,1,8,0,0.000000100,0.000000100,0.000000100,\n") != all.npos);
  CHECK(all.find("\nsolve/halo,W_d6,4,3,Recv,8,15,1,0,8,0.000000100,0.000000100,0.000000100," + site + "\n") !=
        all.npos);
}

TEST_CASE("each site and each module is a row") {
  char room[Sites::max_name];
  std::string const site(sites_of_test().name(sites_of_test().site_of(somewhere()), room));
  std::string const module = site.substr(0, site.find('+')), offset = site.substr(site.find('+') + 1);
  auto const all_of = [](auto write) {
    return rows([write](RowContext const& context, TextWriter& out) {
      CHECK(write(context, out) == 0);  // offered
      return 1U;
    });
  };
  CHECK(all_of(write_site_rows) == site + "," + module + "," + offset + ",,,\n");
  CHECK(all_of(write_module_rows).starts_with(module + ",/"));
  CHECK(columns(all_of(write_site_rows)) == columns(schema::sites.header));
  CHECK(columns(all_of(write_module_rows)) == columns(schema::modules.header));
}

TEST_CASE("a region that was entered is a row of regions.csv") {
  regions_of_test().take_stock({1015});  // restarts its time in MPI
  regions_of_test().add_mpi_time(static_cast<RegionIndex>(1), {6});
  regions_of_test().add_mpi_time(static_cast<RegionIndex>(1), {1});
  CHECK(rows(write_region_rows) ==
        "main,3,1,0.000000002,0.000000000\n"
        "solve,3,1,0.000000008,0.000000007\n"
        "solve/halo,3,2,0.000000005,0.000000000\n");
  CHECK(columns("main,3,1,0.000000002,0.000000000") == columns(schema::regions.header));
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
  sent(1, no_op, 16, Peer::in_comm(1, MessageClass::p2p), 9);
  sent(1, no_op, 4, Peer::in_comm(1, MessageClass::rma), 9);
  sent(1, no_op, 4, Peer::in_comm(1, MessageClass::rma, true), 9);
  sent(1, Op::Bcast, 32, Peer::in_world(static_cast<WorldRank>(2), MessageClass::internal), 2);
  for (std::uint64_t const size : {4096, 5000, 0})
    sent(1, Op::Bcast, 32,
         Peer::in_world(static_cast<WorldRank>(2), MessageClass::internal).for_call_of(size_bin(size)), 2);
  sent(2, no_op, 1, Peer::in_comm(5, MessageClass::p2p), -1);
  CHECK(rows(write_peer_rows) ==
        "main,W_d1,p2p,3,2,0,0,1,0,,,\n"
        "main,W_d1,p2p,3,9,8,15,3,33,,,\n"
        "main,W_d1,p2p,3,9,16,31,1,16,,,\n"
        "main,W_d1,rma,3,9,4,7,1,4,,,\n"
        "main,W_d1,rma,9,3,4,7,1,4,,,\n"
        "main,W_d1,internal,3,2,32,63,1,32,Bcast,0,0\n"
        "main,W_d1,internal,3,2,32,63,2,64,Bcast,4096,8191\n"
        "main,W_d1,internal,3,2,32,63,1,32,Bcast,,\n"
        "main,W_d2,p2p,3,-1,1,1,1,1,,,\n");
  CHECK(columns("main,W_d1,p2p,3,2,0,0,1,0,,,") == columns(schema::peers.header));
}

TEST_CASE("what is counted elsewhere is merged with the records of the same key") {
  PageVector<Record> further;
  Record record{};
  record.key = RecordKey::of(comm_of_test(6), ScopeIndex::main, Op::Irecv, size_bin(0));
  record.add({}, {30});
  further.push_back(record);
  count(6, Op::Irecv, 0, 10);
  auto const times_of = [&](MergedRecords const& records) {
    std::vector<std::uint64_t> times;
    for (Record const& merged : records)
      if (merged.key == record.key) times.push_back(merged.time.count);
    return times;
  };
  CHECK(times_of(MergedRecords(further)) == std::vector<std::uint64_t>{40});
  CHECK(times_of(MergedRecords()) == std::vector<std::uint64_t>{10});
}

TEST_CASE("rows are in the order of operation and size, and threads show as one") {
  count(2, Op::Bcast, 1024, 7);
  count(2, Op::Send, 0, 1);
  std::thread([] {
    count(2, Op::Send, 3, 5);
    count(2, Op::Bcast, 1024, 3);
    count(2, Op::Send, 0, 1);
  }).join();
  std::thread([] { count(2, Op::Bcast, 2047, 2); }).join();
  CHECK(operation_rows(2) ==
        "main,W_d2,4,3,Send,0,0,2,0,0,0.000000002,0.000000001,0.000000001,\n"
        "main,W_d2,4,3,Send,2,3,1,3,0,0.000000005,0.000000005,0.000000005,\n"
        "main,W_d2,4,3,Bcast,1024,2047,3,4095,0,0.000000012,0.000000002,0.000000007,\n");
}

TEST_CASE("the largest sizes have the last bin") {
  count(3, Op::Send, UINT64_MAX, 1);
  CHECK(operation_rows(3) ==
        "main,W_d3,4,3,Send,4611686018427387904,18446744073709551615,1,18446744073709551615,0,"
        "0.000000001,0.000000001,0.000000001,\n");
}

TEST_CASE("a record without a call is no row") {
  Shards::mine()->find_or_insert(RecordKey::of(comm_of_test(4), ScopeIndex::main, Op::Send, SizeBin{0}));
  CHECK(operation_rows(4) == "");
}

TEST_CASE("the time of all records is the time in MPI") {
  std::uint64_t const before = MergedRecords().total_time().count;
  count(5, Op::Send, 0, 1000);
  count(5, Op::Recv, 0, 234);
  std::thread([] { count(5, Op::Recv, 0, 1); }).join();
  CHECK(MergedRecords().total_time().count == before + 1235);
}

TEST_CASE("the row of a process has its use of processors") {
  ProcessorUse use{.cpu_ns = 1'500'000'000,
                   .queued_ns = 20'000'000,
                   .voluntary_switches = 7,
                   .involuntary_switches = 8,
                   .minor_faults = 9,
                   .major_faults = 10,
                   .max_rss_bytes = 11};
  auto const row = [&] { return rows(write_rank_row, facts_of_test(), {}, use); };
  CHECK(row().find(",1.500000000,0.020000000,7,8,9,10,0.") != std::string::npos);
  CHECK(row().ends_with(",11,\n"));
  use.queued_ns.reset();
  CHECK(row().find(",1.500000000,,7,8,9,10,0.") != std::string::npos);
}

TEST_CASE("a process is a row of ranks.csv") {
  Shards::mine();
  std::string const row = rows(write_rank_row);
  std::string const mpi_time = std::to_string(MergedRecords().total_time().count);
  CHECK(row.starts_with("3,node07,4321,"));
  // wall 5 s, as given; in MPI what the tests have counted, some of which is longer than a second's nine digits.
  std::string const end = "," + std::to_string(Shards::threads()) + ",5.000000000,0." +
                          std::string(9 - mpi_time.size(), '0') + mpi_time + ",,,,,,,0.";
  REQUIRE(row.find(end) != row.npos);
  CHECK(columns(row) == columns(schema::ranks.header));
  // Between them the processors that this process may use, quoted if they are several ranges.
  std::string cpus = row.substr(14, row.find(end) - 14);
  if (cpus.find(',') != std::string::npos) {
    CHECK((cpus.front() == '"' && cpus.back() == '"'));
    cpus = cpus.substr(1, cpus.size() - 2);
  }
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  cpu_set_t written;
  CPU_ZERO(&written);
  std::istringstream parts(cpus);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0, stride = 1;
    if (std::sscanf(part.c_str(), "%d-%d:%d", &first, &last, &stride) == 1) last = first;
    for (int cpu = first; cpu <= last; cpu += stride) CPU_SET(static_cast<std::size_t>(cpu), &written);
  }
  CHECK(CPU_EQUAL(&allowed, &written));
}

TEST_CASE("a communicator is a row of communicators.csv") {
  Registry& registry = registry_of_test();
  CommIndex const index = comm_of_test(6);
  Communicator& comm = registry[index];
  CHECK(communicator_row(index) == "W_d6,W,Comm_dup,4,,,,,0,\n");
  comm.members = registry.store("0-63,128-191");
  comm.topology = registry.store("cart 4x2 periods 10");
  comm.user_name = registry.store("say \"hi\"\n");
  comm.reorder = 1;
  CHECK(communicator_row(index) ==
        "W_d6,W,Comm_dup,4,\"0-63,128-191\",cart 4x2 periods 10,1,\"say \"\"hi\"\"\\x0a\",0,\n");
  registry[index].count_freed(0, false);
  CHECK(communicator_row(index).ends_with(",1,\n"));
  CHECK(communicator_row(CommIndex::world) == "W,,,4,0-3,,,,0,\n");
  CHECK(communicator_row(CommIndex::self) == "SELF,,,1,,,,,0,\n");
  CHECK(columns(communicator_row(CommIndex::world)) == columns(schema::communicators.header));
}

TEST_CASE(
    "a communicator's row comes from the process that describes it, and that of MPI_COMM_SELF from the first of all") {
  Registry& registry = registry_of_test();
  for (int test = 1; test <= comms_of_tests; ++test)
    registry[comm_of_test(static_cast<std::uint32_t>(test))].is_described_here = false;
  registry[comm_of_test(2)].is_described_here = true;
  registry[CommIndex::world].is_described_here = false;
  CHECK(rows(write_communicator_rows).starts_with("W_d2,"));
  CHECK(columns(rows(write_communicator_rows)) == columns(schema::communicators.header));  // no other row

  RunFacts first = facts_of_test();
  first.rank = 0;
  registry[CommIndex::world].is_described_here = true;
  std::string const of_first = rows(write_communicator_rows, first);
  CHECK(of_first.starts_with("W,,,4,0-3,,,,0,\nSELF,,,1,"));
  CHECK(std::count(of_first.begin(), of_first.end(), '\n') == 3);
}

TEST_CASE("a record that many communicators share is offered by whoever has it") {
  Registry& registry = registry_of_test();
  CommIndex const fold = registry.add({CommIndex::world, Op::Comm_dup, Letter{'d'}, comms_of_tests + 1});
  REQUIRE(registry[fold].is_folded);
  CHECK(is_offered(registry, fold));
  CHECK_FALSE(is_offered(registry, comm_of_test(1)));
  CHECK_FALSE(is_offered(registry, CommIndex::world));
  CHECK(communicator_row(fold) == "W_d*,W,Comm_dup,4,0-3,,,,0,\n");
  CHECK(rows(write_communicator_rows).find("W_d*") == std::string::npos);
}
