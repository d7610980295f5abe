#include "summary/families.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "findings/first_screen.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

TEST_CASE("a family is a name without ranks") {
  CHECK(family_of("W") == "W");
  CHECK(family_of("W_d*") == "W_d*");
  CHECK(family_of("W_s2.0") == "W_s2.*");
  CHECK(family_of("W_s2.128_c1.0_d3") == "W_s2.*_c1.*_d3");
  for (char const* const group : {"W_u1.0-3", "W_u1.4-7", "W_u1.2-3", "W_u1.0-6:2", "W_u1.5", "W_u1.0.3f2a9c1d"})
    CHECK(family_of(group) == "W_u1.*");
  CHECK(family_of("W_u1.0-3.t7") == "W_u1.*.t7");
  CHECK(family_of("W_u1.0-3.t7_s1.2") == "W_u1.*.t7_s1.*");
  CHECK(family_of("W_i1.0-1.2-3") == "W_i1.*");
  CHECK(family_of("W_i1.0-1:2.2-3.3f2a9c1d.t7_m1") == "W_i1.*.t7_m1");
  CHECK(family_of("W_f1.0-3.all") == "W_f1.*.all");
  CHECK(family_of("U1.0.3f2a9c1d") == "U1.*");
  CHECK(family_of("W_s1._x.") == "W_s1.*_x.*");  // not from this profiler
}

namespace {

// 4 rows of 4 ranks, which run 10 s; their MPI time is in an Allreduce on the row.
struct Grid {
  std::vector<double> seconds = std::vector<double>(16, 8);
  std::string call = "65536,131071,2000,131072000";
  std::vector<std::string> waits{};
  std::vector<std::string> more_communicators{};

  [[nodiscard]] static std::string row_of(int rank) { return fmt::format("W_s1.{}", rank / 4 * 4); }

  [[nodiscard]] FirstScreen screen() const {
    TemporaryProfile::Content content{.ranks = 16, .communicators = more_communicators};
    for (int first = 0; first < 16; first += 4)
      content.communicators.push_back(fmt::format("W_s1.{0},W,Comm_split,4,{0}-{1},,,,0", first, first + 3));
    for (int rank = 0; rank < 16; ++rank)
      content.operations.push_back(
          fmt::format("main,{},4,{},Allreduce,{},0,{},0.00001,1", row_of(rank), rank, call, seconds[rank]));
    if (!waits.empty()) {
      content.waits = waits;
      content.waits_by_rank.emplace();
      for (int rank = 0; rank < 16; ++rank)
        content.waits_by_rank->push_back(fmt::format("{},Allreduce,{},1000,8,7,250", row_of(rank), rank));
    }
    TemporaryProfile const files(content);
    for (int rank = 0; rank < 16; ++rank)
      files.replace("ranks.csv", fmt::format("\n{},host,1,0,1,10,2", rank),
                    fmt::format("\n{},host,1,0,1,10,{}", rank, seconds[rank]));
    return read_first_page(Profile(files.path()), {});
  }
};

std::string verdict_of(FirstScreen const& screen) { return highlights(screen).front().text; }

}  // namespace

TEST_CASE("an operation on many small communicators that one call made is one finding") {
  FirstScreen const screen = Grid{}.screen();
  REQUIRE(screen.findings.size() == 1);
  Finding const& found = screen.findings[0];
  CHECK(found.rule == "dominant-operation");
  CHECK(found.weight == Approx(0.8));
  CHECK(found.fact ==
        "Allreduce on 4 communicators W_s1.{0-12:4} (16 ranks) takes 100.0 % of the MPI time; 64 KiB to <128 KiB a "
        "call.");
  CHECK(found.options == "--sizes --comm 'W_s1.{0-12:4}' --op Allreduce");
  CHECK(found.places.size() == 4);
  CHECK(verdict_of(screen) ==
        "bound by Allreduce on 4 communicators W_s1.{0-12:4}: 80.0 % of the wall time; all of MPI takes 80.0 %.");
}

TEST_CASE("the command of a family selects its members alone") {
  Grid rows;
  rows.more_communicators = {"W_s1.0_d1,W_s1.0,Comm_dup,4,0-3,,,,0"};
  CHECK(rows.screen().findings.at(0).options == "--sizes --comm 'W_s1.{0-12:4}' --op Allreduce");
}

TEST_CASE("tiny calls on many small communicators are one finding") {
  FirstScreen const screen = Grid{.seconds = std::vector<double>(16, 1.5), .call = "8,15,20000,160000"}.screen();
  REQUIRE(screen.findings.size() == 1);
  CHECK(screen.findings[0].rule == "tiny-collectives");
  CHECK(
      screen.findings[0].fact ==
      "Each rank calls Allreduce on 4 communicators W_s1.{0-12:4} 20,000 times, with less than 256 B in 100.0 % of the "
      "calls; they take 100.0 % of the MPI time, 75.00 µs a call.");
}

TEST_CASE("a communicator that has most of what its siblings have stands for itself") {
  Grid rows;
  for (std::size_t rank = 4; rank < 16; ++rank) rows.seconds[rank] = 0.5;  // 6 s of 38 s
  auto const found = rows.screen().findings;
  REQUIRE_FALSE(found.empty());
  CHECK(std::ranges::any_of(found,
                            [](Finding const& one) { return one.fact.find("W_s1.0 (4 ranks)") != one.fact.npos; }));
  CHECK(std::ranges::none_of(found, [](Finding const& one) { return one.fact.find("W_s1.{") != one.fact.npos; }));
}

TEST_CASE("waiting on many small communicators is one finding, with who is late in each") {
  auto const waits = [](int late) {
    std::vector<std::string> rows;
    for (int first = 0; first < 16; first += 4)
      rows.push_back(fmt::format("W_s1.{},Allreduce,4,8000,1000,entries,32,28,0.1,2,2,{},{},0.01", first, first,
                                 first < 4 * late ? 0.9 : 0.3));
    return rows;
  };
  Grid rows;
  rows.waits = waits(4);
  FirstScreen const all = rows.screen();
  REQUIRE(all.findings.size() == 1);
  CHECK(all.findings[0].rule == "waiting");
  CHECK(all.findings[0].weight == Approx(112.0 / 160));
  // the error: 0.1 s √4 of 128 s
  CHECK(all.findings[0].fact ==
        "87.5 ± 0.2 % of Allreduce on 4 communicators W_s1.{0-12:4} (16 ranks) is waiting for all to come; in 4 of "
        "them, a "
        "rank comes last most of the time: ranks 0,4,8,12. The waiting takes 70.0 % of the wall time.");
  CHECK(all.findings[0].advice.starts_with("look at what ranks 0,4,8,12 do before the call"));
  CHECK(all.findings[0].late_ranks == std::vector<std::uint32_t>{0, 4, 8, 12});
  CHECK(verdict_of(all) ==
        "bound by waiting in Allreduce on 4 communicators W_s1.{0-12:4}: 70.0 % of the wall time; all of MPI takes "
        "80.0 %.");
  rows.waits = waits(1);
  auto const one = rows.screen().findings;
  REQUIRE(one.size() == 1);
  CHECK(one[0].fact.find("; in 1 of them, a rank comes last most of the time: rank 0. The") != one[0].fact.npos);
  CHECK(one[0].advice.starts_with("no rank is the last one most of the time"));
}
