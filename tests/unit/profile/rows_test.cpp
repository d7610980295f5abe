#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "ops.hpp"
#include "profile/profile.hpp"
#include "profile/schema.hpp"
#include "support/process.hpp"

using namespace commprof;

namespace {

Registry& registry_of_test() {
  static Registry registry;
  if (registry.size() == 0) {
    registry.add({});
    registry.add({});
    registry[CommIndex::world].size = 4;
  }
  return registry;
}

void count(Op op, std::uint64_t bytes, std::uint64_t ticks) {
  Shards::mine()->add(RecordKey::of(CommIndex::world, ScopeIndex::main, op, size_bin(bytes)), {bytes, 0}, {ticks});
}

// The rows of rank 3 of 4.
template <class WriteRows>
std::string rows(WriteRows const& write_rows, clock::Rate rate = {}, ProcessorUse const& use = {}) {
  RunFacts facts = Process::facts_of(3, 4, "node07");
  facts.pid = 4321;
  Regions regions;
  regions.start({1000});
  Sites sites;
  sites.start();
  MergedRecords const records;
  MergedPeers const peers;
  OwnMessageWaits const waits;
  RowContext const context{
      facts, registry_of_test(), regions, sites, records, peers, rate, {5'000'000'000}, 3, 2, "0,2", use, waits};
  std::uint64_t number = 0;
  std::string const text = written_rows([&](TextWriter& out) { return write_rows(context, out); }, &number);
  CHECK(number == static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n')));
  sites.release();
  return text;
}

}  // namespace

TEST_CASE("rows are in the order of operation and size, and threads show as one") {
  count(Op::Bcast, 1024, 7);
  count(Op::Send, 0, 1);
  std::thread([] {
    count(Op::Send, 3, 5);
    count(Op::Bcast, 1024, 3);
    count(Op::Send, 0, 1);
  }).join();
  std::thread([] { count(Op::Bcast, 2047, 2); }).join();
  Shards::mine()->find_or_insert(RecordKey::of(CommIndex::world, ScopeIndex::main, Op::Recv, SizeBin{}));  // no call
  std::string const send = "main,W,4,3,Send,", bcast = "main,W,4,3,Bcast,1024,2047,3,4095,0,";
  CHECK(rows(write_operation_rows) == send + "0,0,2,0,0,0.000000002,0.000000001,0.000000001,\n" +  //
                                          send + "2,3,1,3,0,0.000000005,0.000000005,0.000000005,\n" + bcast +
                                          "0.000000012,0.000000002,0.000000007,\n");
  // A clock of 2 ticks a nanosecond.
  CHECK(rows(write_operation_rows, {2, 1}).ends_with("0.000000006,0.000000001,0.000000003,\n"));
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
  CHECK(row.find(",11,,,,,") != std::string::npos);
  CHECK(std::ranges::count(row, ',') == 1 + std::ranges::count(schema::ranks.header, ','));  // one is in quotes
  use.queued_ns.reset();
  CHECK(rows(write_rank_row, {}, use).find(",1.500000000,,7,8,9,10,0.") != std::string::npos);
}
