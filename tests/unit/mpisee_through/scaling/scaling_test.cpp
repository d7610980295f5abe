#include "scaling/scaling.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "support/small_runs.hpp"

using namespace mpisee_through;

namespace {

std::string row(std::string const& comm, int rank, double seconds) {
  return "main," + comm + ",2," + std::to_string(rank) + ",Barrier,0,0,1,0,0," + std::to_string(seconds) + ",0,1";
}

}  // namespace

namespace {

void set_arguments(TemporaryProfile& run, std::string const& text) {
  run.replace("run.json", R"("ranks")", R"("arguments": [")" + text + R"("], "ranks")");
}

}  // namespace

TEST_CASE("strong scaling: the factors of the efficiencies") {
  SmallRuns runs;
  runs.add(10, {8});            // 1 rank: 8 s of 10 s
  runs.add(6, {4.5, 3.5});      // 2 ranks: the same 8 s
  runs.add(4, {3, 3, 2.5, 2});  // 4 ranks: 10.5 s
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(scaling.kind == ScalingKind::strong);
  CHECK(scaling.is_told);
  CHECK(*scaling.growth == Approx(std::log2(10.5 / 8) / 2));
  CHECK(scaling.notices.empty());
  REQUIRE(scaling.points.size() == 3);

  ScalingPoint const& two = scaling.points[1];
  CHECK(two.ranks == 2);
  CHECK(two.gain(ScalingKind::strong).speed_up == Approx(10.0 / 6));
  CHECK(two.gain(ScalingKind::strong).of_ideal == Approx(10.0 / 12));
  CHECK(*two.value(FactorIndex::load_balance) == Approx(4 / 4.5));
  CHECK(*two.value(FactorIndex::communication) == Approx(4.5 / 6));
  CHECK(*two.value(FactorIndex::parallel) == Approx(4.0 / 6));
  CHECK(*two.value(FactorIndex::computation) == Approx(1));
  CHECK(*two.value(FactorIndex::global) == Approx(4.0 / 6));
  CHECK(two.mpi_share == Approx(4.0 / 12));

  ScalingPoint const& four = scaling.points[2];
  CHECK(four.gain(ScalingKind::strong).speed_up == Approx(2.5));
  CHECK(*four.value(FactorIndex::computation) == Approx(8 / 10.5));
  CHECK(*four.value(FactorIndex::parallel) == Approx(10.5 / 16));
  CHECK(*four.value(FactorIndex::global) == Approx(0.5));  // 8 s of 4 times 4 s
}

TEST_CASE("of the ideal is the global efficiency in terms of that with the fewest ranks") {
  for (auto const kind : {ScalingKind::strong, ScalingKind::weak}) {
    SmallRuns runs;
    runs.add(10, {9, 7});
    runs.add(8, {5, 4, 7, 2});
    runs.add(9, {5, 4, 7, 2, 1, 1, 3, 4});
    Scaling const scaling = scaling_of(runs.read(), kind);
    double const first = *scaling.first().value(FactorIndex::global);
    for (ScalingPoint const& point : scaling.points)
      CHECK(point.gain(kind).of_ideal == Approx(*point.value(FactorIndex::global) / first));
  }
}

TEST_CASE("weak scaling: each rank computes the same") {
  SmallRuns runs;
  runs.add(10, {8});
  runs.add(12, {8, 8, 8, 10});
  set_arguments(runs.last(), "4");
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(scaling.kind == ScalingKind::weak);
  ScalingPoint const& four = scaling.last();
  CHECK(four.gain(ScalingKind::weak).of_ideal == Approx(10.0 / 12));
  CHECK(four.gain(ScalingKind::weak).speed_up == Approx(40.0 / 12));
  CHECK(*four.value(FactorIndex::computation) == Approx(32.0 / 34));
  CHECK(describe_kind(scaling) ==
        "weak: with twice the ranks, the time outside MPI is 2.06 times as long, summed over ranks");  // √4.25
}

TEST_CASE("the user's word on the kind goes before what the times tell") {
  SmallRuns runs;
  runs.add(10, {8});
  runs.add(12, {8, 8});
  Scaling const scaling = scaling_of(runs.read(), ScalingKind::strong);
  CHECK(scaling.last().gain(ScalingKind::strong).speed_up == Approx(10.0 / 12));
  CHECK(describe_kind(scaling) == "strong, as asked for");
}

TEST_CASE("where the signs disagree, the kind is not guessed") {
  SmallRuns runs;
  runs.add(10, {8});
  runs.add(8, {3, 3, 3, 7});  // twice the time on 4 times the ranks: a growth of 0.5
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(*scaling.growth == Approx(0.5));
  CHECK_FALSE(scaling.kind.has_value());
  CHECK(scaling.last().gain(ScalingKind::strong).speed_up == Approx(1.25));
  CHECK(scaling.last().gain(ScalingKind::weak).speed_up == Approx(5));
  CHECK_FALSE(scaling.last().value(FactorIndex::computation).has_value());
  CHECK(
      describe_kind(scaling) ==
      "unclear: with twice the ranks, the time outside MPI is 1.41 times as long, summed over ranks; the wall time on "
      "4 ranks is 80.0 % of that on 1 rank; --strong or --weak decides");
}

TEST_CASE("equal arguments speak against weak scaling") {
  SmallRuns runs;
  runs.add(100, {100});
  runs.add(97 + 3.0 / 64, std::vector<double>(64, 97 + 3.0 / 64));  // 97 % of the work is done by each rank
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(*scaling.growth > 0.99);
  CHECK_FALSE(scaling.kind.has_value());
  CHECK(scaling.last().gain(ScalingKind::strong).speed_up == Approx(100 / (97 + 3.0 / 64)));
  CHECK_THAT(describe_kind(scaling),
             Catch::StartsWith("unclear: ") && Catch::Contains("; but the arguments are the same; the wall time on"));
  SmallRuns slower;
  slower.add(10, {10});
  slower.add(14, std::vector<double>(16, 14));
  CHECK_FALSE(scaling_of(slower.read(), std::nullopt).kind.has_value());
}

namespace {

// ranks.csv of ranks that ran for these times, outside MPI, with these times of a processor; how long they waited for
// one was not counted.
std::string not_queued(int ranks, double wall_s, double cpu_s, std::string const& cpus) {
  std::string text =
      "rank,host,pid,cpus,threads,wall_s,mpi_s,cpu_s,queued_s,voluntary_switches,involuntary_switches,"
      "minor_faults,major_faults\n";
  for (int rank = 0; rank < ranks; ++rank)
    text += std::to_string(rank) + ",host,1," + cpus + ",1," + std::to_string(wall_s) + ",0," + std::to_string(cpu_s) +
            ",,0,0,0,0\n";
  return text;
}

}  // namespace

TEST_CASE("processor time tells of ranks that share processors where waiting for these is not counted") {
  auto const scaling = [](std::string const& cpus) {
    SmallRuns runs;
    for (int const ranks : {1, 4}) {
      double const wall_s = ranks == 1 ? 1.49 : 1.45;
      runs.add(wall_s, std::vector<double>(static_cast<std::size_t>(ranks), wall_s));
      runs.last().write("ranks.csv", not_queued(ranks, wall_s, wall_s / ranks, cpus));
    }
    set_arguments(runs.last(), "4");
    return scaling_of(runs.read(), std::nullopt);
  };
  Scaling const known = scaling("0");  // the same processor for all
  CHECK(known.last().queued_share == Approx(0.75));
  CHECK(*known.growth == Approx(std::log(1.45 / 1.49) / std::log(4)));
  CHECK(known.kind == ScalingKind::strong);
  CHECK(std::ranges::count(known.notices,
                           "Ranks shared processors, and waited for them: 75.0 % of the time with 4 ranks.") == 1);
  Scaling const unknown = scaling("");
  CHECK(*unknown.growth > 0.9);
  CHECK_FALSE(unknown.kind.has_value());
  CHECK_THAT(describe_kind(unknown), Catch::Contains("; but the processor time is 0.99 times as long"));
}

TEST_CASE("a run that becomes shorter scales strongly, even if each rank repeats much of the work") {
  SmallRuns runs;
  runs.add(10, {10});
  runs.add(10 * (0.3 + 0.7 / 64), std::vector<double>(64, 10 * (0.3 + 0.7 / 64)));
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(*scaling.growth > 0.7);
  CHECK(scaling.kind == ScalingKind::strong);
  CHECK(scaling.last().gain(ScalingKind::strong).speed_up == Approx(1 / (0.3 + 0.7 / 64)));
  CHECK_THAT(describe_kind(scaling), Catch::EndsWith("; the wall time falls to 31.1 %"));
}

namespace {

// ranks.csv of ranks that ran for 10 s, half of which they waited for a processor.
std::string half_queued(int ranks) {
  std::string text =
      "rank,host,pid,cpus,threads,wall_s,mpi_s,cpu_s,queued_s,voluntary_switches,involuntary_switches,"
      "minor_faults,major_faults\n";
  for (int rank = 0; rank < ranks; ++rank) text += std::to_string(rank) + ",host,1,0,1,10,0,5,5,0,0,0,0\n";
  return text;
}

}  // namespace

TEST_CASE("time outside MPI that ranks wait for a processor is no work") {
  SmallRuns runs;
  runs.add(10, {10});
  runs.add(10, {10, 10});  // on one core
  runs.last().write("ranks.csv", half_queued(2));
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(*scaling.growth == Approx(0).margin(1e-12));
  CHECK(scaling.kind == ScalingKind::strong);
  CHECK(
      describe_kind(scaling) ==
      "strong: with twice the ranks, the time outside MPI is 1.00 times as long, summed over ranks and without waiting "
      "for processors");
}

TEST_CASE("runs that lack ranks or took no time are left out") {
  SmallRuns runs;
  runs.add(10, {8});
  runs.add(5, {4, 4});
  runs.add(1, {0, 0});
  runs.last().replace("run.json", R"("ranks": 2)",
                      R"("ranks": 2, "unfinished": {"ranks_missing": "1", "last_record_s": 1, "problems": []})");
  runs.last().write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,1,1\n");
  std::string const lacking = runs.last().path().string();
  runs.add(0, {0, 0});
  std::string const without_time = runs.last().path().string();
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  REQUIRE(scaling.points.size() == 2);
  CHECK(scaling.last().runs == RunGroup{1});
  CHECK(std::ranges::count(scaling.notices, lacking + " is left out: ranks are missing.") == 1);
  CHECK(std::ranges::count(scaling.notices, without_time + " is left out: it took no time.") == 1);
}

TEST_CASE("several runs on one number of ranks: medians, in any order of the runs") {
  SmallRuns runs;
  runs.add(7, {3, 3});
  runs.add(10, {8});
  runs.add(5, {4, 4});
  runs.add(30, {2, 2});
  runs.add(10, {8});
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  REQUIRE(scaling.points.size() == 2);
  CHECK(scaling.points[0].runs == RunGroup{1, 4});
  CHECK(scaling.points[1].runs == RunGroup{0, 2, 3});
  CHECK(scaling.points[1].wall_s.median == 7);
  CHECK(scaling.points[1].wall_s.min == 5);
  CHECK(scaling.points[1].wall_s.max == 30);
  CHECK(*scaling.points[1].value(FactorIndex::parallel) == Approx(3.0 / 7));  // of 3 / 7, 4 / 5 and 2 / 30
  CHECK(scaling.points[1].useful_s == Approx(6));
}

TEST_CASE("communicators that one call has made are one family") {
  SmallRuns runs;
  runs.add(10, {9, 9}, {row("W", 0, 1), row("W", 1, 0.5)});
  runs.add(10, {5, 9, 9, 9}, {row("W", 0, 1), row("W_s1.0", 0, 2), row("W_s1.2", 2, 4), row("W", 3, 2)});
  Scaling const scaling = scaling_of(runs.read(), ScalingKind::strong);
  CHECK(scaling.first().communicator_shares == std::map<std::string, double>{{"W", 1.5 / 20}});
  CHECK(scaling.last().communicator_shares.size() == 2);
  CHECK(scaling.last().communicator_shares.at("W") == Approx(3.0 / 40));
  CHECK(scaling.last().communicator_shares.at("W_s1.*") == Approx(6.0 / 40));
  CHECK(families_by_time(scaling, std::nullopt) == std::vector<std::string>{"W_s1.*", "W"});
  CHECK(families_by_time(scaling, 1) == std::vector<std::string>{"W_s1.*"});
}

TEST_CASE("what else differs is noted, and so are ranks that share processors") {
  SmallRuns runs;
  runs.add(10, {8});
  runs.add(10, {4, 4});
  runs.last().replace("run.json", "a.out", "b.out");
  // cpu_s and queued_s: 5 s of 10 s each.
  runs.last().write("ranks.csv",
                    "rank,host,pid,cpus,threads,wall_s,mpi_s,cpu_s,queued_s,voluntary_switches,involuntary_switches,"
                    "minor_faults,major_faults\n"
                    "0,host,1,0,1,10,6,5,5,0,0,0,0\n1,host,1,0,1,10,6,5,5,0,0,0,0\n");
  Scaling const scaling = scaling_of(runs.read(), std::nullopt);
  CHECK(scaling.last().queued_share == Approx(0.5));
  CHECK(scaling.notices ==
        std::vector<std::string>{"Programs differ: a.out on the fewest ranks, b.out on more.",
                                 "Ranks shared processors, and waited for them: 50.0 % of the time with 2 ranks."});
}
