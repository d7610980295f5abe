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
  // Those of one place follow each other, by site and kind.
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
