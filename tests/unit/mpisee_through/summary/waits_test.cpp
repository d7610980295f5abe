#include "summary/waits.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "findings/first_screen.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// 3 ranks with 2 s in MPI each: 4 s in Allreduce on W, and 2 s in Bcast on a part of it.
TemporaryProfile::Content waiting_content() {
  return {.ranks = 3,
          .communicators = {"W_s1.0,W,Comm_split,2,0-1,,,,0"},
          .operations = {"main,W,3,0,Allreduce,8,15,10,80,0,1,0,1", "main,W_s1.0,2,0,Bcast,8,15,5,0,40,1,0,1",
                         "main,W,3,1,Allreduce,8,15,10,80,0,1,0,1", "main,W_s1.0,2,1,Bcast,8,15,5,0,40,1,0,1",
                         "main,W,3,2,Allreduce,8,15,10,80,0,2,0,1"},
          .waits = {{"W_s1.0,Bcast,2,10,5,entries,2,0.5,0.3,1.25,0.25,1,0.6,0.1",
                     "W,Allreduce,3,30,10,entries,4,2,0.4,1.5,0.5,0,0.5,0.25"}},
          .waits_by_rank = {{"W,Allreduce,0,10,1,0.25,5", "W,Allreduce,1,10,1,0.5,3", "W,Allreduce,2,10,2,1.25,2",
                             "W_s1.0,Bcast,0,5,1,0.375,2", "W_s1.0,Bcast,1,5,1,0.125,3"}}};
}

Waits waits_of(TemporaryProfile const& files, Selection const& selection = {},
               WaitDetail detail = WaitDetail::operations) {
  Summary const summary = files.summarise(selection, Detail::operations_and_sizes);
  return read_waits(Profile(files.path()), summary, selection, detail);
}

}  // namespace

TEST_CASE("waiting is that of the operations on their communicators") {
  TemporaryProfile const files(waiting_content());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  Waits const waits = read_waits(Profile(files.path()), summary, {}, WaitDetail::operations);
  REQUIRE(waits.operations.size() == 2);
  OperationWaiting const& one = *arrange_waits(summary, waits.operations, {})[0];
  CHECK(summary.communicator(one.communicator).name == "W");
  CHECK(summary.name_of(one.operation) == "Allreduce");
  CHECK(waits.find(one.communicator, one.operation) == &one);
  CHECK(one.share() == 0.5);
  CHECK(*one.share_error() == Approx(0.1));
  CHECK(one.ranks == 3);
  CHECK(one.calls == 30);
  CHECK(one.samples == 10);
  CHECK(one.move_s == 1.5);
  CHECK(one.rest_s == 0.5);
  REQUIRE(one.last);
  CHECK(one.last->rank == WorldRank{0});
  CHECK(one.last->share == 0.5);
  CHECK(one.last->late_s == 0.25);
  CHECK(one.by_rank.empty());
  CHECK(describe_share(one) == "50.0 ± 10.0 %");
  CHECK(waits.on(one.communicator)->wait_s == 2);
  CHECK(waits.in_all()->wait_s == 2.5);
  CHECK(*waits.in_all()->error_s == Approx(0.5));  // 0.3² + 0.4² = 0.5²
  CHECK(waits.measured_of_rank == std::vector<double>{0.625, 0.625, 1.25});
}

TEST_CASE("waiting of the selected ranks alone is the sum of theirs") {
  TemporaryProfile const files(waiting_content());
  Waits const waits = waits_of(files, {.ranks = RankSet::parse("2")}, WaitDetail::ranks);
  REQUIRE(waits.operations.size() == 1);  // rank 2 is not in W_s1.0
  OperationWaiting const& one = waits.operations[0];
  CHECK(one.time_s == 2);
  CHECK(one.wait_s == 1.25);
  CHECK(one.calls == 10);
  CHECK(one.ranks == 1);
  CHECK_FALSE(one.error_s);  // the error of one operation is unknown
  CHECK_FALSE(one.move_s);
  CHECK_FALSE(one.rest_s);
  CHECK(one.last->rank == WorldRank{0});
  REQUIRE(one.by_rank.size() == 1);
  CHECK(one.by_rank[0].last == 2);
  CHECK(describe_share(one) == "62.5 %");
}

TEST_CASE("waits are those of the selected communicators and operations") {
  TemporaryProfile const files(waiting_content());
  CHECK(waits_of(files, {.communicators = {"W_*"}}).operations.size() == 1);
  CHECK(waits_of(files, {.operations = {"allreduce"}}).operations.size() == 1);
  CHECK(waits_of(files, {.kinds = {OperationKind::p2p}}).operations.empty());
}

TEST_CASE("ranks come by how often they are last") {
  TemporaryProfile const files(waiting_content());
  Waits const waits = waits_of(files, {.operations = {"Allreduce"}}, WaitDetail::ranks);
  std::vector<RankWaiting> const order = arrange_ranks(waits.operations[0], {});
  REQUIRE(order.size() == 3);
  CHECK(order[0].rank == WorldRank{0});
  CHECK(order[2].rank == WorldRank{2});
  CHECK(arrange_ranks(waits.operations[0], 2).size() == 2);
}

TEST_CASE("operations that wait come in the order that is wanted") {
  TemporaryProfile const files(waiting_content());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  Waits const waits = read_waits(Profile(files.path()), summary, {}, WaitDetail::operations);
  auto const first = [&](SortKey key) {
    return summary.name_of(arrange_waits(summary, waits.operations, {key, 1})[0]->operation);
  };
  CHECK(first(SortKey::time) == "Allreduce");
  CHECK(first(SortKey::calls) == "Allreduce");
  CHECK(first(SortKey::size) == "Allreduce");
  CHECK(first(SortKey::volume) == "Allreduce");  // 240 B, Bcast 80 B
  CHECK(first(SortKey::name) == "Allreduce");    // W is before W_s1.0
  CHECK(arrange_waits(summary, waits.operations, {SortKey::time, 1}).size() == 1);
}

// Descendants of MPI_COMM_SELF have one name on all ranks.
TEST_CASE("rows of communicators that share a name add up") {
  TemporaryProfile::Content content = waiting_content();
  content.waits->push_back("W,Allreduce,3,30,6,durations,1,1,0.3,0.25,0,1,0.5,0.25");
  TemporaryProfile const files(content);
  Waits const waits = waits_of(files, {.operations = {"Allreduce"}});
  REQUIRE(waits.operations.size() == 1);
  OperationWaiting const& one = waits.operations[0];
  CHECK(one.time_s == 5);
  CHECK(one.wait_s == 3);
  CHECK(*one.error_s == Approx(0.5));
  CHECK(one.samples == 16);
  CHECK(one.move_s == 1.75);
  CHECK(one.is_upper_bound);
  CHECK_FALSE(one.last);
  CHECK(describe_share(one) == "at most 60.0 ± 10.0 %");
}

TEST_CASE("where waiting cannot be known, nothing is") {
  TemporaryProfile const files(waiting_content());
  auto const known = [](TemporaryProfile const& profile, Selection const& selection) {
    return !read_first_page(Profile(profile.path()), selection).waits.operations.empty();
  };
  CHECK(known(files, {}));
  CHECK(known(files, {.ranks = RankSet::parse("0")}));
  CHECK_FALSE(known(files, {.regions = {"main"}}));
  CHECK_FALSE(known(files, {.sizes = SizeRange::parse("8")}));
  CHECK_FALSE(known(TemporaryProfile(), {}));
  TemporaryProfile::Content without_ranks = waiting_content();
  without_ranks.waits_by_rank.reset();
  TemporaryProfile const old(without_ranks);
  CHECK(known(old, {}));
  CHECK_FALSE(known(old, {.ranks = RankSet::parse("0")}));
}

TEST_CASE("waits of operations that nobody called are left out") {
  TemporaryProfile::Content content = waiting_content();
  content.waits->push_back("W_d9,Scan,3,30,6,entries,1,1,0.3,0.25,0,1,0.5,0.25");
  content.waits->push_back("W,Scan,3,30,6,entries,1,1,0.3,0.25,0,1,0.5,0.25");
  content.waits_by_rank->push_back("W_d7,Scan,0,6,1,1,0");
  CHECK(waits_of(TemporaryProfile(content)).operations.size() == 2);
}

TEST_CASE("waiting that adds up to more than can be counted is an error") {
  TemporaryProfile::Content content = waiting_content();
  content.waits->push_back("W,Scan,3,30,6,entries,1e308,1e308,,,,,,");
  CHECK_THROWS_AS(waits_of(TemporaryProfile(content)), ProfileError);
}

namespace {

// 3 ranks that are for 8, 8 and 2 s in Waitall at two call sites, and rank 0 also in Send.
TemporaryProfile::Content message_content() {
  return {
      .ranks = 3,
      .operations = {"main,W,3,0,Send,8,15,10,80,0,1,0,1,a.out+0x30", "main,W,3,0,Waitall,0,0,10,0,0,8,0,1,a.out+0x10",
                     "main,W,3,1,Waitall,0,0,10,0,0,8,0,1,a.out+0x10", "main,W,3,2,Waitall,0,0,5,0,0,2,0,1,a.out+0x20"},
      .sites = {{"a.out+0x10,a.out,0x10,exchange,halo.c,88", "a.out+0x20,a.out,0x20,exchange,halo.c,99",
                 "a.out+0x30,a.out,0x30,exchange,halo.c,77"}},
      .waits = {{"W,Waitall,1,5,40,instants,2,1,0.1,,,1,0.5,,late-sender,a.out+0x20,40,0,1,0.5",
                 "W,Waitall,2,20,160,instants,16,10,0.5,,,2,0.75,,late-sender,a.out+0x10,160,0.125,0,0.9",
                 "W,Waitall,2,20,160,instants,16,1,0.25,,,2,0.75,,late-receiver,a.out+0x10,160,0.25,,",
                 "W,Send,1,10,20,instants,1,0.25,0.1,,,1,1,,late-receiver,a.out+0x30,20,0,1,1"}},
      .waits_by_rank = {{"W,Waitall,0,80,8,6,0,late-sender,a.out+0x10,80,0.25",
                         "W,Waitall,0,80,8,1,0,late-receiver,a.out+0x10,80,0.5",
                         "W,Send,0,20,1,0.25,0,late-receiver,a.out+0x30,20,0",
                         "W,Waitall,1,80,8,4,0,late-sender,a.out+0x10,80,0",
                         "W,Waitall,2,40,2,1,0,late-sender,a.out+0x20,40,0"}},
      .waits_by_pair = {{"late-sender,W,Waitall,0,1,1,0.125", "late-sender,W,Waitall,0,2,5,0.25",
                         "late-receiver,W,Send,0,1,0.25,0.1", "late-sender,W,Waitall,1,2,4,0.25"}}};
}

}  // namespace

TEST_CASE("waiting for messages is that of a call site and a kind") {
  TemporaryProfile const files(message_content());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  Waits const waits = read_waits(Profile(files.path()), summary, {}, WaitDetail::operations);
  CHECK(waits.operations.empty());
  CHECK(waits.pairs.empty());
  REQUIRE(waits.messages.size() == 4);
  auto const order = arrange_waits(summary, waits.messages, {});
  OperationWaiting const& one = *order[0];
  CHECK(one.kind == WaitKind::late_sender);
  CHECK(summary.communicator(one.communicator).name == "W");
  CHECK(summary.name_of(one.operation) == "Waitall");
  REQUIRE(one.site);
  CHECK(summary.site(*one.site) == "a.out+0x10");
  CHECK(one.ranks == 2);
  CHECK(one.calls == 20);
  CHECK(one.samples == 160);
  CHECK(one.time_s == 16);
  CHECK(one.wait_s == 10);
  CHECK(one.error_s == 0.5);
  CHECK(one.unknown_share() == 0.125);
  CHECK(one.last->rank == WorldRank{2});
  CHECK(one.last->share == 0.75);
  CHECK(one.cause->rank == WorldRank{0});
  CHECK(one.cause->share == 0.9);
  // The operations of one place follow each other, by site and kind.
  CHECK(waits.messages[2].kind == WaitKind::late_receiver);
  CHECK_FALSE(waits.messages[2].cause);
  CHECK(waits.messages[0].has_enough_samples() == false);  // 20 instants in Send
  CHECK(waits.messages[1].has_enough_samples());
  CHECK(waits.measured_of_rank == std::vector<double>{7.25, 4, 1});
}

TEST_CASE("waiting for messages of the selected ranks is the sum of theirs") {
  TemporaryProfile const files(message_content());
  Waits const waits = waits_of(files, {.ranks = RankSet::parse("0")}, WaitDetail::ranks);
  REQUIRE(waits.messages.size() == 3);  // rank 0 is not at one site
  OperationWaiting const& one = waits.messages[1];
  CHECK(one.kind == WaitKind::late_sender);
  CHECK(one.time_s == 8);
  CHECK(one.wait_s == 6);
  CHECK_FALSE(one.error_s);
  CHECK(one.ranks == 1);
  CHECK(one.calls == 10);
  CHECK(one.samples == 80);
  CHECK(one.unknown_share() == 0.25);
  REQUIRE(one.by_rank.size() == 1);
  CHECK(one.by_rank[0].wait_s == 6);
  CHECK(waits_of(files, {.operations = {"Send"}}).messages.size() == 1);
  CHECK(waits_of(files, {.communicators = {"SELF"}}).messages.empty());
}

TEST_CASE("both kinds of waiting at a call site are of the same calls") {
  TemporaryProfile const files(message_content());
  std::vector<OperationWaiting> const sites = by_call_site(waits_of(files).messages);
  REQUIRE(sites.size() == 3);
  CHECK(sites[1].time_s == 16);
  CHECK(sites[1].wait_s == 11);
  CHECK(sites[1].unknown_share() == 0.25);  // late receivers are known at fewer instants
  CHECK(sites[2].wait_s == 1);
}

TEST_CASE("one kind of waiting over the call sites of an operation") {
  TemporaryProfile const files(message_content());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  Waits const waits = read_waits(Profile(files.path()), summary, {}, WaitDetail::operations);
  auto const messages = waits.messages_of(waits.messages[1].communicator, waits.messages[1].operation);
  REQUIRE(messages.size() == 3);
  auto const senders = over_call_sites(messages, WaitKind::late_sender);
  REQUIRE(senders);
  CHECK(senders->time_s == 18);
  CHECK(senders->wait_s == 11);
  CHECK(*senders->error_s == Approx(std::hypot(0.1, 0.5)));
  CHECK(senders->samples == 200);
  CHECK(summary.site(*senders->site) == "a.out+0x10");
  CHECK(senders->cause->rank == WorldRank{0});
  CHECK(senders->cause->share == Approx(0.9 * 10 / 11));
  CHECK_FALSE(over_call_sites({}, WaitKind::late_sender));
}

TEST_CASE("time in MPI is waiting, moving, or not known") {
  TemporaryProfile const files(message_content());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  TimeInMpi const time = split_time(summary, read_waits(Profile(files.path()), summary, {}, WaitDetail::operations));
  CHECK_FALSE(time.in_collectives);
  REQUIRE(time.in_messages);
  // 12 of 16 s are known, and 11 / 16 of these are waiting; 1 of 2 s; 0.25 of 1 s.
  CHECK(time.in_messages->time_s == Approx(12 + 2 + 1));
  CHECK(time.waiting_s() == Approx(8.25 + 1 + 0.25));
  CHECK(time.moving_s == Approx(3.75 + 1 + 0.75));
  CHECK(time.unknown_s() == Approx(4));
  CHECK(time.delays_s == 0);
}

TEST_CASE("calls that only begin their work move data") {
  TemporaryProfile::Content content = message_content();
  content.operations.push_back("main,W,3,2,Isend,8,15,5,40,0,0.5,0,1,a.out+0x20");
  content.operations.push_back("main,W,3,2,Scan,8,15,5,40,0,1.5,0,1,a.out+0x20");
  TemporaryProfile const files(content);
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  TimeInMpi const time = split_time(summary, read_waits(Profile(files.path()), summary, {}, WaitDetail::operations));
  CHECK(time.moving_s == Approx(3.75 + 1 + 0.75 + 0.5));
  CHECK(time.unknown_s() == Approx(4 + 1.5));
}

TEST_CASE("ranks move data during what is known of their calls and is no waiting") {
  TemporaryProfile const files(message_content());
  Waits const waits = waits_of(files, {}, WaitDetail::ranks);
  REQUIRE(waits.moving_of_rank.size() == 3);
  // Rank 0: 8 s in Waitall, known to three quarters, less 6 and 1 s of waiting; 0.75 of 1 s in Send.
  CHECK(waits.moving_of_rank[0] == Approx(0.75 * 8 - 0.75 * 6 - 0.5 * 1 + 0.75));
  CHECK(waits.moving_of_rank[1] == Approx(4));
  CHECK(waits.moving_of_rank[2] == Approx(1));
}

TEST_CASE("without transfer, a run takes as long as the rank that moves data longest would") {
  // Rank 0 sends for 4 s while rank 1 waits in a barrier; both compute for 1 s.
  TemporaryProfile::Content content{
      .operations = {"main,W,2,0,Barrier,0,0,1,0,0,0,0,0", "main,W,2,0,Send,8,15,1,8,0,4,4,4",
                     "main,W,2,1,Barrier,0,0,1,0,0,4,4,4"},
      .waits = {{"W,Barrier,2,2,1,entries,4,4,0,0,0,0,1,4,collective,,,,,",
                 "W,Send,1,1,400,instants,4,0,0.01,,,,,,late-receiver,,400,0.05,,"}},
      .waits_by_rank = {{"W,Barrier,0,1,0,0,1,collective,,,", "W,Barrier,1,1,4,4,0,collective,,,",
                         "W,Send,0,400,4,0,0,late-receiver,,400,0.05"}}};
  TemporaryProfile const files(content);
  files.write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,5,4\n1,host,1,0,1,5,4\n");
  Efficiency const known = read_first_page(Profile(files.path()), {}).summary.efficiency;
  CHECK(*known.communication() == Approx(0.2));
  CHECK(*known.serialisation() == Approx(1));
  CHECK(*known.transfer() == Approx(0.2));
  // A part of the calls has no efficiencies, nor regions.
  CHECK_FALSE(read_first_page(Profile(files.path()), {.operations = {"Send"}}).summary.efficiency.transfer());
  CHECK_FALSE(read_first_page(Profile(files.path()), {.regions = {"main"}}).summary.efficiency.transfer());
  // 8 s in MPI: at most 0.8 s may be unknown.
  files.replace("waits.csv", "400,0.05,,", "400,0.2,,");
  CHECK(read_first_page(Profile(files.path()), {}).summary.efficiency.transfer());
  files.replace("waits.csv", "400,0.2,,", "400,0.21,,");
  CHECK_FALSE(read_first_page(Profile(files.path()), {}).summary.efficiency.transfer());
}

TEST_CASE("a run in which all wait for each other in turns loses it to serialisation") {
  // Both compute for 2 of 5 s, and wait for the other's message during the rest.
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Recv,8,15,1,0,8,3,3,3", "main,W,2,1,Recv,8,15,1,0,8,3,3,3"},
       .waits = {{"W,Recv,2,2,600,instants,6,6,0.01,,,1,0.5,,late-sender,,600,0,1,0.5"}},
       .waits_by_rank = {{"W,Recv,0,300,3,3,0,late-sender,,300,0", "W,Recv,1,300,3,3,0,late-sender,,300,0"}}});
  files.write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,5,3\n1,host,1,0,1,5,3\n");
  Efficiency const efficiency = read_first_page(Profile(files.path()), {}).summary.efficiency;
  CHECK(*efficiency.serialisation() == Approx(0.4));
  CHECK(*efficiency.transfer() == Approx(1));
}

TEST_CASE("the share of waiting for messages in words") {
  OperationWaiting one;
  one.kind = WaitKind::late_sender;
  one.time_s = 4;
  one.wait_s = 1;
  one.error_s = 0.1;
  one.samples = 30;
  CHECK(describe_share(one) == "25.0 ± 2.5 %");
  one.samples = 29;
  CHECK(describe_share(one) == "-");
  one.wait_s = 0;
  one.samples = 300;
  CHECK(describe_share(one) == "at most 1.0 %");
}

TEST_CASE("pairs that wait come by how long they do") {
  TemporaryProfile const files(message_content());
  Waits const waits = waits_of(files, {}, WaitDetail::pairs);
  REQUIRE(waits.pairs.size() == 4);
  CHECK(waits.pairs[0].rank == WorldRank{0});
  CHECK(waits.pairs[0].for_rank == WorldRank{2});
  CHECK(waits.pairs[0].wait_s == 5);
  CHECK(waits.pairs[0].error_s == 0.25);
  CHECK(waits.pairs[1].rank == WorldRank{1});
  CHECK(waits.pairs[3].kind == WaitKind::late_receiver);
  CHECK(waits_of(files, {.operations = {"Send"}}, WaitDetail::pairs).pairs.size() == 1);
  CHECK(waits_of(files, {.ranks = RankSet::parse("1")}, WaitDetail::pairs).pairs.size() == 1);
}

TEST_CASE("waiting for messages is that of ranks, and in no collective operation") {
  TemporaryProfile::Content content = waiting_content();
  Waits const without = waits_of(TemporaryProfile(content));
  for (std::string& row : *content.waits) row += ",,,,,,";
  for (std::string& row : *content.waits_by_rank) row += ",,,,";
  content.waits->push_back("W,Allreduce,1,40,16,instants,8,6,0.5,,,1,0.75,,late-sender,,16,0.1,0,0.9");
  content.waits_by_rank->push_back("W,Allreduce,0,16,8,6,0,late-sender,,16,0.1");
  Waits const with = waits_of(TemporaryProfile(content));
  REQUIRE(with.operations.size() == without.operations.size());
  for (std::size_t i = 0; i < with.operations.size(); ++i)
    CHECK(with.operations[i].wait_s == without.operations[i].wait_s);
  CHECK(with.measured_of_rank[0] == Approx(without.measured_of_rank[0] + 6));
  CHECK(with.measured_of_rank[1] == Approx(without.measured_of_rank[1]));
}

TEST_CASE("pending requests are no waiting") {
  TemporaryProfile::Content content = waiting_content();
  Waits const without = waits_of(TemporaryProfile(content));
  for (std::string& row : *content.waits) row += ",,,,,,";
  for (std::string& row : *content.waits_by_rank) row += ",,,,";
  content.waits->push_back("W,Allreduce,1,40,64,instants,8,6,0.5,,,,,,pending,,64,0,,");
  content.waits_by_rank->push_back("W,Allreduce,0,64,8,6,0,pending,,64,0");
  Waits const with = waits_of(TemporaryProfile(content));
  CHECK(with.operations.size() == without.operations.size());
  CHECK(with.messages.empty());
  CHECK(with.measured_of_rank == without.measured_of_rank);
  REQUIRE(with.pending.size() == 1);
  CHECK(with.pending[0].time_s == 8);
  CHECK(with.pending[0].wait_s == 6);
}
