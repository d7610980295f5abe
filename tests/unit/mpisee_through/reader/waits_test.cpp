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
