// waits.csv, waits_by_rank.csv and waits_by_pair.csv, row by row.
#include <catch2/catch.hpp>

#include "reader/profile_reader.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

template <class Rows>
std::string problem_of_waits(TemporaryProfile const& files) {
  try {
    Profile const profile(files.path());
    Rows rows(profile);
    while (rows.next() != nullptr) continue;
    return {};
  } catch (ProfileError const& error) {
    return std::string(error.what()).substr(files.path().string().size() + 1);
  }
}

std::string problem_of_wait(std::string const& row) {
  return problem_of_waits<WaitRows>(TemporaryProfile({.waits = {{row}}}));
}
std::string problem_of_rank_wait(std::string const& row) {
  return problem_of_waits<RankWaitRows>(TemporaryProfile({.waits_by_rank = {{row}}}));
}

}  // namespace

TEST_CASE("every field of waits.csv is read") {
  TemporaryProfile const files({.waits = {{"W_s1.0,Reduce,2,40,16,entries,8,6,0.5,1.5,0.25,1,0.75,0.125",
                                           "W,Bcast,2,4,2,durations,1,0.5,,,,,,"}}});
  Profile const profile(files.path());
  WaitRows rows(profile);
  WaitRow const* row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->communicator == "W_s1.0");
  CHECK(row->operation == "Reduce");
  CHECK(row->ranks == 2);
  CHECK(row->calls == 40);
  CHECK(row->samples == 16);
  CHECK_FALSE(row->is_upper_bound);
  CHECK(row->time_s == 8);
  CHECK(row->wait_s == 6);
  CHECK(row->wait_error_s == 0.5);
  CHECK(row->move_s == 1.5);
  CHECK(row->rest_s == 0.25);
  CHECK(row->last_rank == WorldRank{1});
  CHECK(row->last_share == 0.75);
  CHECK(row->late_s == 0.125);
  row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->is_upper_bound);
  CHECK(row->wait_s == 0.5);
  CHECK_FALSE(row->wait_error_s);
  CHECK_FALSE(row->move_s);
  CHECK_FALSE(row->rest_s);
  CHECK_FALSE(row->last_rank);
  CHECK_FALSE(row->last_share);
  CHECK_FALSE(row->late_s);
  CHECK(rows.next() == nullptr);
}

TEST_CASE("every field of waits_by_rank.csv is read") {
  TemporaryProfile const files({.waits_by_rank = {{"W,Bcast,1,16,2.5,0.5,3"}}});
  Profile const profile(files.path());
  RankWaitRows rows(profile);
  RankWaitRow const* row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->communicator == "W");
  CHECK(row->operation == "Bcast");
  CHECK(row->rank == WorldRank{1});
  CHECK(row->samples == 16);
  CHECK(row->time_s == 2.5);
  CHECK(row->wait_s == 0.5);
  CHECK(row->last == 3);
  CHECK(rows.next() == nullptr);
}

TEST_CASE("rows of calls that wait for messages are told from those of collectives") {
  TemporaryProfile const files(
      {.waits = {{"W,Bcast,2,4,2,entries,1,0.5,,,,,,,collective,,,,,",
                  "W,Recv,1,40,16,instants,8,6,0.5,,,1,0.75,,late-sender,a.out+0x1234,16,0.1,0,0.9"}},
       .waits_by_rank = {{"W,Recv,0,16,8,6,0,late-sender,a.out+0x1234,16,0.1"}}});
  Profile const profile(files.path());
  WaitRows rows(profile);
  WaitRow const* row = rows.next();
  CHECK(row->kind == WaitKind::collective);
  CHECK(row->site.empty());
  CHECK_FALSE(row->unknown_share);
  CHECK_FALSE(row->caused_by);
  CHECK_FALSE(row->caused_share);
  row = rows.next();
  CHECK(row->kind == WaitKind::late_sender);
  CHECK_FALSE(row->is_upper_bound);
  CHECK(row->wait_s == 6);
  CHECK(row->site == "a.out+0x1234");
  CHECK(row->unknown_share == 0.1);
  CHECK(row->caused_by == WorldRank{0});
  CHECK(row->caused_share == 0.9);
  RankWaitRows of_ranks(profile);
  RankWaitRow const* const of_rank = of_ranks.next();
  CHECK(of_rank->kind == WaitKind::late_sender);
  CHECK(of_rank->site == "a.out+0x1234");
  CHECK(of_rank->unknown_share == 0.1);
}

TEST_CASE("every field of waits_by_pair.csv is read") {
  TemporaryProfile const files({.waits_by_pair = {{"late-receiver,W,Send,0,1,2.5,0.25"}}});
  Profile const profile(files.path());
  PairWaitRows rows(profile);
  PairWaitRow const* const row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->kind == WaitKind::late_receiver);
  CHECK(row->communicator == "W");
  CHECK(row->operation == "Send");
  CHECK(row->rank == WorldRank{0});
  CHECK(row->for_rank == WorldRank{1});
  CHECK(row->wait_s == 2.5);
  CHECK(row->wait_error_s == 0.25);
  CHECK(rows.next() == nullptr);
}

TEST_CASE("a wrong row of the waits is named") {
  CHECK(problem_of_wait("W,Bcast,2,4,2,entries,1,0.5,0.1,0.2,0.1,1,0.5,0.1").empty());
  CHECK(problem_of_wait(",Bcast,2,4,2,entries,1,0.5,,,,,,") == "waits.csv:2: comm is empty");
  CHECK(problem_of_wait("W,,2,4,2,entries,1,0.5,,,,,,") == "waits.csv:2: op is empty");
  CHECK(problem_of_wait("W,Bcast,2,4,2,guess,1,0.5,,,,,,") ==
        "waits.csv:2: how is neither entries nor durations: \"guess\"");
  CHECK(problem_of_wait("W,Bcast,2,4,2,entries,1,,,,,,,") == "waits.csv:2: wait_s is not a time in seconds: \"\"");
  CHECK(problem_of_wait("W,Bcast,2,4,2,entries,1,0.5,-1,,,,,") ==
        "waits.csv:2: wait_error_s is not a time in seconds: \"-1\"");
  CHECK(problem_of_wait("W,Bcast,2,4,2,entries,1,0.5,,,,2,0.5,") == "waits.csv:2: rank 2 in a run of 2 ranks");
  CHECK(problem_of_wait("W,Bcast,2,4,2,entries,1,0.5,,,,1,1.5,") == "waits.csv:2: last_share is greater than 1");
  CHECK(problem_of_wait("W,Recv,1,4,2,instants,1,0.5,,,,1,0.5,,late,,2,0,1,0.5") ==
        "waits.csv:2: kind is not one of collective, late-sender, late-receiver, pending: \"late\"");
  CHECK(problem_of_wait("W,Recv,1,4,2,instants,1,0.5,,,,1,0.5,,late-sender,,2,1.5,1,0.5") ==
        "waits.csv:2: unknown_share is greater than 1");
  CHECK(problem_of_wait("W,Recv,1,4,2,instants,1,0.5,,,,1,0.5,,late-sender,,2,0,1,1.5") ==
        "waits.csv:2: caused_share is greater than 1");
  CHECK(problem_of_rank_wait("W,Recv,1,16,2.5,0.5,0,late-sender,,16,1.5") ==
        "waits_by_rank.csv:2: unknown_share is greater than 1");
  CHECK(problem_of_rank_wait("W,Bcast,1,16,2.5,0.5,16").empty());
  CHECK(problem_of_rank_wait("W,Bcast,2,16,2.5,0.5,3") == "waits_by_rank.csv:2: rank 2 in a run of 2 ranks");
  CHECK(problem_of_rank_wait("W,Bcast,1,16,2.5,0.5,17") == "waits_by_rank.csv:2: last is greater than samples");
  CHECK(problem_of_rank_wait("W,Bcast,1,16,2.5,0.5") ==
        "waits_by_rank.csv:2: fewer fields than the header has columns");
}

TEST_CASE("a profile without waits is an old one") {
  TemporaryProfile const files;
  CHECK(problem_of_waits<WaitRows>(files) == "waits.csv: this profile was written without waiting times");
  CHECK(problem_of_waits<RankWaitRows>(files) ==
        "waits_by_rank.csv: this profile was written without waiting times of ranks");
}
