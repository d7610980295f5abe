// Parts of a run in which the same calls are made, but fewer a second.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <functional>
#include <optional>

#include "findings/first_screen.hpp"
#include "findings/thresholds.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// What a rank does in a window of 0.1 s.
struct InWindow {
  int calls = 40, bytes = 320;
  double mpi_s = 0.01;
  std::string kind = "collective";
  double message_s = 0;  // of one point-to-point call of 8 bytes more, if it is not 0
};

// Four ranks, 100 windows. late_rank: the others wait for it in Allreduce, for 8 of the 40 s of all.
std::vector<Finding> findings_of(std::function<InWindow(int window, int rank)> const& what,
                                 std::optional<int> late_rank = {}, double last_share = 0.9) {
  TemporaryProfile::Content content{.ranks = 4};
  if (late_rank) {
    content.waits.emplace(
        {fmt::format("W,Allreduce,4,40,10,entries,10,8,0.5,1.5,0.5,{},{},0.0032", *late_rank, last_share)});
    for (int rank = 0; rank < 4; ++rank)
      content.operations.push_back(
          fmt::format("main,W,4,{},Allreduce,8,15,10,80,0,{},0,1", rank, rank == *late_rank ? 1 : 3));
  }
  content.when.emplace();
  for (int rank = 0; rank < 4; ++rank) {
    for (int window = 0; window < 100; ++window) {
      auto const [calls, bytes, mpi_s, kind, message_s] = what(window, rank);
      auto const add = [&](std::string_view of_kind, int number, int size, double seconds) {
        content.when->push_back(fmt::format("{},{:.1f},{:.1f},{},{},{},{}", rank, window / 10.0, (window + 1) / 10.0,
                                            of_kind, number, size, seconds));
      };
      add(kind, calls, bytes, mpi_s);
      if (message_s > 0) add("point-to-point", 1, 8, message_s);
    }
  }
  content.more_of_run = R"(, "when": {"window_s": 0.1, "clock": "common"}, "start": "2026-11-21T23:59:55Z")";
  TemporaryProfile const files(content);
  return read_first_page(Profile(files.path()), {}).findings;
}

// Rank 3 is slow in these windows: the others wait for it, and there are half as many calls.
InWindow slow_rank(bool is_slow, int rank) {
  if (!is_slow) return {};
  return {20, 160, rank == 3 ? 0.01 : 0.06};
}

}  // namespace

TEST_CASE("a rank that becomes slow is found, with the moment and by how much") {
  auto const found = findings_of([](int window, int rank) { return slow_rank(window >= 60, rank); });
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "change");
  // In MPI are (3 * 0.06 + 0.01) / 0.4; rank 3 computes 0.09 s for 80 calls of the job instead of 160.
  CHECK(
      found[0].fact ==
      "From 60 % of the run on (since 00:00:01 UTC), the share of MPI is 47.5 % instead of 10.0 %, and the same kinds "
      "of calls are 800 a second instead of 1,600; rank 3 computes 2.0 times as long between calls.");
  CHECK(found[0].weight == Approx(0.5 * 0.4));
  CHECK(found[0].late_ranks == std::vector<std::uint32_t>{3});
  CHECK(found[0].options == "--when");
}

TEST_CASE("a rank that is slow for a while, or at first, is found") {
  auto const burst = findings_of([](int window, int rank) { return slow_rank(window >= 40 && window < 60, rank); });
  REQUIRE(burst.size() == 1);
  CHECK(burst[0].fact.starts_with(
      "From 40 % to 60 % of the run (23:59:59 UTC to 00:00:01 UTC), the share of MPI is 47.5 %"));
  auto const begin = findings_of([](int window, int rank) { return slow_rank(window < 30, rank); });
  REQUIRE(begin.size() == 1);
  CHECK(begin[0].fact.starts_with("Up to 30 % of the run (until 23:59:58 UTC), the share of MPI is 47.5 %"));
  CHECK(begin[0].weight == Approx(0.5 * 0.3));
}

TEST_CASE("calls that take longer from a moment on are found, with their kind") {
  // The ranks compute for half of 0.09 s: as long for a call as before.
  auto const found = findings_of([](int window, int) { return window < 50 ? InWindow{} : InWindow{20, 160, 0.055}; });
  REQUIRE(found.size() == 1);
  CHECK(found[0].fact.ends_with("; collective calls take 11.0 times as long."));
  CHECK(found[0].late_ranks.empty());
}

TEST_CASE("calls of a kind that the faster part lacks are not compared with it") {
  CHECK(findings_of([](int window, int) { return window < 50 ? InWindow{} : InWindow{20, 160, 0.055}; }).size() == 1);
  CHECK(findings_of([](int window, int) {
          return window < 50 ? InWindow{} : InWindow{20, 160, 0.005, "collective", 0.05};
        }).empty());
}

TEST_CASE("another phase of the program is no change") {
  auto const of = [](InWindow const& other) {
    return findings_of([&](int window, int) { return window < 50 ? InWindow{} : other; }).size();
  };
  CHECK(of({20, 160, 0.055}) == 1);
  CHECK(of({20, 320, 0.055}) == 0);                    // larger messages
  CHECK(of({20, 160, 0.055, "point-to-point"}) == 0);  // other calls
  CHECK(of({38, 304, 0.055}) == 0);                    // as many calls
  CHECK(of({4, 32, 0.04}) == 0);                       // the ranks compute longer, too
}

TEST_CASE("a rank that becomes slow is found though nobody waits for it") {
  // It has half of the calls, as a worker of a farm.
  auto const worker = [](int window, int rank) { return window >= 60 && rank == 3 ? InWindow{20, 160} : InWindow{}; };
  auto const found = findings_of(worker);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "slower-rank");
  CHECK(found[0].fact ==
        "From 60 % of the run on (since 00:00:01 UTC), rank 3 computes 2.0 times as long between calls (4.500 ms "
        "instead of 2.250 ms), and the other ranks do not.");
  CHECK(found[0].late_ranks == std::vector<std::uint32_t>{3});
  // 34 of the 40 windows count, and half of 0.09 s would have been enough in each; the ranks have 40 s.
  CHECK(found[0].weight == Approx(34 * 0.045 / 40));
  // As many calls, but it waits less, as the last of a pipeline.
  auto const last = findings_of([](int window, int rank) {
    return rank == 3 ? InWindow{40, 320, window >= 60 ? 0.02 : 0.06} : InWindow{};
  });
  REQUIRE(last.size() == 1);
  CHECK(last[0].rule == "slower-rank");
  CHECK(last[0].fact.find("rank 3 computes 2.0 times as long between calls (2.000 ms instead of 1.000 ms)") !=
        std::string::npos);
}

TEST_CASE("a rank that becomes slow explains the waiting for it, though it is one of many ranks") {
  auto const worker = [](int window, int rank) { return window >= 60 && rank == 3 ? InWindow{20, 160} : InWindow{}; };
  auto const found = findings_of(worker, 3);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "slower-rank");
  REQUIRE(found[0].consequences.size() == 1);
  CHECK(found[0].consequences[0].rule == "waiting");
  CHECK(found[0].delay == Approx(34 * 0.045 / 10));
  CHECK(found[0].consequences[0].weight > thresholds::explained_by_uneven * found[0].weight);
  CHECK(found[0].weight_with_consequences() == Approx(0.2));
  auto const of_another = findings_of(worker, 1);
  REQUIRE(of_another.size() == 2);
  CHECK(of_another[0].rule == "waiting");
  // If no rank comes last most of the time, the slow one may be what the time is waited for.
  CHECK(findings_of(worker, 1, 0.3).size() == 1);
}

TEST_CASE("a rank that makes other calls, or larger ones, is not slower") {
  auto const of = [](InWindow const& other) {
    return findings_of([&](int window, int rank) { return window >= 60 && rank == 3 ? other : InWindow{}; }).size();
  };
  CHECK(of({20, 160}) == 1);
  CHECK(of({20, 320}) == 0);
  CHECK(of({20, 160, 0.01, "files"}) == 0);
  CHECK(of({36, 288}) == 0);  // as many calls
}

TEST_CASE("all ranks that compute longer may have more work") {
  CHECK(findings_of([](int window, int) {
          return window < 50 ? InWindow{40, 320, 0.04} : InWindow{20, 160, 0.02};
        }).empty());
}
