#include "summary/time_windows.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Two ranks, 10 s with windows of 4 s from 2 s on: 0-2, 2-6, 6-10.
TemporaryProfile profile_of(std::vector<std::string> rows, std::uint32_t ranks = 2) {
  return TemporaryProfile(
      {.ranks = ranks, .when = std::move(rows), .more_of_run = ", \"when\": {\"window_s\": 4, \"clock\": \"common\"}"});
}

TemporaryProfile two_ranks_over_time() {
  return profile_of({"0,0,2,other,1,0,1", "0,2,6,point-to-point,2,100,1", "0,2,6,collective,3,20,1",
                     "1,2,6,collective,3,20,3", "1,6,10,files,4,5,1"});
}

TimeWindows read(TemporaryProfile const& files, Selection const& selection = {}, RunPart const& part = {}) {
  return read_windows(Profile(files.path()), selection, part);
}

std::string problem_of(TemporaryProfile const& files, RunPart const& part = {}) {
  try {
    (void)read(files, {}, part);
    return "";
  } catch (std::runtime_error const& error) {
    std::string const text = error.what();
    return text.substr(text.rfind('/') + 1);
  }
}

}  // namespace

TEST_CASE("windows of time begin at the same moments, also where nobody called") {
  TimeWindows const all = read(two_ranks_over_time());
  REQUIRE(all.windows.size() == 3);
  CHECK(all.windows[0].begin_s == 0);
  CHECK(all.windows[0].end_s == 2);
  CHECK(all.windows[1].end_s == 6);
  CHECK(all.windows[2].end_s == 10);
  REQUIRE(all.groups.size() == 2);
  CHECK(all.groups[1].ranks.to_string() == "1");
  CHECK(all.groups[0].windows[0].mpi_share() == 0.5);
  CHECK(all.groups[0].windows[1].mpi_share() == 0.5);
  CHECK(all.groups[0].windows[2].mpi_share() == 0);
  CHECK(all.groups[1].windows[0].calls == 0);
  CHECK(all.job(1).bytes == 140);
  CHECK(all.job(1).calls == 8);
}

TEST_CASE("the efficiencies of a window are POP's of its time") {
  TimeWindows const all = read(two_ranks_over_time());
  // Useful: 2 and 1 of 4 s.
  CHECK(all.parallel_efficiency(1) == 3.0 / 8);
  CHECK(all.load_balance(1) == 1.5 / 2);
  // 4 and 3 of 4 s
  CHECK(all.parallel_efficiency(2) == 7.0 / 8);
  CHECK(all.load_balance(2) == 3.5 / 4);
}

TEST_CASE("a kind of calls has its own time in windows of time, and the efficiencies stay") {
  TimeWindows const all = read(two_ranks_over_time(), {.kinds = {OperationKind::p2p, OperationKind::file}});
  CHECK(all.groups[0].windows[1].mpi_share() == 0.25);
  CHECK(all.groups[1].windows[1].mpi_share() == 0);
  CHECK(all.groups[1].windows[2].mpi_share() == 0.25);
  CHECK(all.job(1).calls == 2);
  CHECK(all.parallel_efficiency(1) == 3.0 / 8);
}

TEST_CASE("windows of time of some ranks are theirs alone") {
  TimeWindows const all = read(two_ranks_over_time(), {.ranks = RankSet::parse("1")});
  REQUIRE(all.groups.size() == 1);
  CHECK(all.parallel_efficiency(1) == 0.25);
  CHECK(all.load_balance(1) == 1);
}

TEST_CASE("a rank that ends earlier computes until then") {
  TemporaryProfile const files = two_ranks_over_time();
  files.replace("ranks.csv", "1,host,1,0,1,10,2", "1,host,1,0,1,8,2");
  TimeWindows const all = read(files);
  CHECK(all.groups[1].windows[2].mpi_share() == 0.5);  // 1 of 2 s
  CHECK(all.parallel_efficiency(2) == (4.0 + 1.0) / 8);
}

TEST_CASE("windows of ranks that are added up bound the load balance") {
  TimeWindows const all = read(profile_of({"0-1,2,6,collective,1,0,2", "2-3,2,6,collective,1,0,6"}, 4));
  REQUIRE(all.groups.size() == 2);
  CHECK_FALSE(all.has_single_ranks());
  CHECK(all.groups[0].windows[1].mpi_share() == 0.25);
  CHECK(all.load_balance(1) == (6.0 + 2.0) / 4 / 3);
}

TEST_CASE("part of the run is given in seconds or in per cent of it") {
  TemporaryProfile const files = two_ranks_over_time();
  RunPart const late{RunMoment::parse("60%"), {}};
  REQUIRE(read(files, {}, late).windows.size() == 1);
  CHECK(read(files, {}, late).windows.front().begin_s == 6);
  CHECK(read(files, {}, {{}, RunMoment::parse("5")}).windows.size() == 2);
  CHECK(problem_of(files, {RunMoment::parse("9s"), RunMoment::parse("95%")}) ==
        "--from, --to: no window of time is between 9 s and 9.5 s");
  CHECK(RunMoment::parse("300ms")->seconds(7) == 0.3);
  for (char const* const text : {"", "%", "101%", "-1", "1-2", "2ms%", "x"}) CHECK_FALSE(RunMoment::parse(text));
}

TEST_CASE("neighbouring windows and ranks are joined") {
  TimeWindows const all = joined(read(two_ranks_over_time()), 2, 2);
  REQUIRE(all.windows.size() == 2);
  CHECK(all.windows[0].end_s == 6);
  REQUIRE(all.groups.size() == 1);
  CHECK(all.groups[0].ranks.to_string() == "0-1");
  CHECK(all.groups[0].windows[0].mpi_share() == 6.0 / 12);
  CHECK(all.groups[0].windows[1].mpi_share() == 1.0 / 8);
}

TEST_CASE("malformed windows of time are named") {
  CHECK(problem_of(profile_of({"0,2,6,talk,1,0,1"})) ==
        "when.csv:2: kind is not one of point-to-point, collective, completion, one-sided, files, other: \"talk\"");
  CHECK(problem_of(profile_of({"0,2,1,other,1,0,1"})) == "when.csv:2: end_s is less than begin_s");
  CHECK(problem_of(profile_of({"0,1,other,2,0,1"})).starts_with("when.csv:2: "));
  CHECK(problem_of(profile_of({"0-2,2,6,other,1,0,1"})) == "when.csv:2: rank 2 in a run of 2 ranks");
  CHECK(problem_of(profile_of({"0-1,2,6,other,1,0,1", "0,2,6,other,1,0,1"})) == "when.csv:3: groups of ranks overlap");
  CHECK(problem_of(profile_of({"0,2,6,other,1,0,1", "0,2,1000000,other,1,0,1"})) ==
        "when.csv: more windows of time than can be shown");
}

TEST_CASE("older profiles have no windows of time") {
  CHECK_FALSE(has_windows(Profile(TemporaryProfile().path())));
  TemporaryProfile const files = two_ranks_over_time();
  CHECK(has_windows(Profile(files.path())));
  files.replace("run.json", "\"window_s\": 4", "\"window_s\": 0");
  CHECK(problem_of(files).starts_with("run.json:"));
}
