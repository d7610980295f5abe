#include "comparison/comparison.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "comparison/correlation.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

using Profiles = std::vector<std::unique_ptr<TemporaryProfile>>;

Runs read(Profiles const& profiles, Selection const& selection = {}) {
  std::vector<std::filesystem::path> paths;
  for (auto const& profile : profiles) paths.push_back(profile->path());
  return read_runs(paths, selection);
}

// A run of two ranks in which rank 0 spends so long in Barrier on W.
std::unique_ptr<TemporaryProfile> run_with_barrier(double seconds, double wall_s = 10) {
  auto files = std::make_unique<TemporaryProfile>(
      TemporaryProfile::Content{.operations = {fmt::format("main,W,2,0,Barrier,0,0,4,0,0,{},0,1", seconds)}});
  files->replace("run.json", "\"wall_s\": 10", fmt::format("\"wall_s\": {}", wall_s));
  return files;
}

// Runs that all differ, with ties between times, and calls that some runs lack.
std::unique_ptr<TemporaryProfile> random_run(std::mt19937& random) {
  std::vector<std::string> rows;
  for (int rank = 0; rank < 2; ++rank) {
    for (char const* comm : {"W", "SELF"}) {
      for (char const* op : {"Send", "Recv", "Bcast"}) {
        if (random() % 4 == 0) continue;
        rows.push_back(fmt::format("main,{},2,{},{},8,15,{},{},0,{},0,1", comm, rank, op, random() % 5,
                                   8 * (random() % 5), 0.25 * static_cast<double>(random() % 9)));
      }
    }
  }
  auto files = std::make_unique<TemporaryProfile>(TemporaryProfile::Content{.operations = rows});
  files->replace("run.json", "\"wall_s\": 10", fmt::format("\"wall_s\": {}", 1 + random() % 20));
  return files;
}

Profiles random_runs(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Profiles profiles;
  for (std::size_t i = 0; i < count; ++i) profiles.push_back(random_run(random));
  return profiles;
}

CommunicatorChange const& find(Comparison const& comparison, std::string_view name) {
  for (auto const& one : comparison.communicators) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no " + std::string(name));
}

Change const& find(CommunicatorChange const& communicator, std::string_view operation) {
  for (auto const& one : communicator.operations) {
    if (one.operation == operation) return one.change;
  }
  throw std::logic_error("no " + std::string(operation));
}

template <class Use>
void for_each_change(Comparison const& comparison, Use use) {
  use("wall", comparison.wall);
  use("mpi", comparison.mpi);
  for (auto const& communicator : comparison.communicators) {
    use(communicator.name, communicator.change);
    for (auto const& one : communicator.operations) use(communicator.name + " " + one.operation, one.change);
  }
}

}  // namespace

TEST_CASE("two runs: times are means over ranks, calls and bytes are sums") {
  Profiles files;
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .operations = {"main,W,2,0,Send,8,15,3,24,0,0.5,0.1,0.2", "main,W,2,1,Recv,8,15,3,0,24,1.5,0.1,0.2"}}));
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0"},
      .operations = {"main,W,2,0,Send,8,15,2,16,0,0.25,0.1,0.2", "main,W_d1,2,0,Barrier,0,0,1,0,0,0.5,0.1,0.2",
                     "main,W_d1,2,1,Barrier,0,0,1,0,0,1,0.1,0.2"}}));
  Comparison const comparison = compare(read(files), {0}, {1}, ChangeKey::name);
  REQUIRE(comparison.communicators.size() == 2);
  CHECK(comparison.communicators[0].name == "W");
  CHECK(comparison.communicators[1].name == "W_d1");

  Change const& send = find(find(comparison, "W"), "Send");
  CHECK(send.before.time_s.median == 0.25);  // 0.5 s over 2 ranks
  CHECK(send.after.time_s.median == 0.125);
  CHECK(send.seconds() == -0.125);
  CHECK(*send.relative() == -0.5);
  CHECK(send.before.calls == 3);
  CHECK(send.after.calls == 2);
  CHECK(send.before.bytes == 24);
  CHECK(send.after.bytes == 16);
  CHECK_FALSE(send.p.has_value());
  CHECK(send.is_significant());

  Change const& recv = find(find(comparison, "W"), "Recv");
  CHECK(recv.before.runs == 1);
  CHECK(recv.after.runs == 0);
  CHECK(recv.seconds() == -0.75);
  CHECK(*recv.relative() == -1);

  CommunicatorChange const& dup = find(comparison, "W_d1");
  CHECK(dup.change.before.runs == 0);
  CHECK(dup.change.seconds() == 0.75);  // (0.5 + 1) / 2
  CHECK_FALSE(dup.change.relative().has_value());
  CHECK(find(comparison, "W").change.seconds() == -0.875);
  CHECK(comparison.mpi.before.time_s.median == 2);  // from ranks.csv
  CHECK(comparison.outside.before.time_s.median == 8);
  CHECK(comparison.wall.seconds() == 0);
  CHECK(comparison.notices.empty());
}

TEST_CASE("repetitions: medians, quartiles, and p") {
  Profiles files;
  for (double const seconds : {2.0, 4.0, 6.0, 8.0, 100.0}) files.push_back(run_with_barrier(seconds));
  for (double const seconds : {1.0, 1.5, 1.0, 0.5, 1.75}) files.push_back(run_with_barrier(seconds));
  Comparison const comparison = compare(read(files), {0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}, ChangeKey::change);
  Change const& barrier = find(find(comparison, "W"), "Barrier");
  CHECK(barrier.before.time_s.median == 3);  // halves: 1, 2, 3, 4, 50
  CHECK(barrier.before.time_s.lower_quartile == 2);
  CHECK(barrier.before.time_s.upper_quartile == 4);
  CHECK(barrier.before.time_s.mean == 12);
  CHECK(barrier.after.time_s.median == 0.5);
  CHECK(barrier.seconds() == -2.5);
  CHECK(*barrier.p == Approx(2.0 / 252));  // the two extremes of the ways to choose 5 of 10
  CHECK(barrier.is_significant());
  CHECK(*comparison.wall.p == 1);  // all 10 s
}

TEST_CASE("a run of a group without a call counts as no time") {
  Profiles files;
  files.push_back(run_with_barrier(2));
  files.push_back(std::make_unique<TemporaryProfile>());
  files.push_back(run_with_barrier(2));
  Comparison const comparison = compare(read(files), {0, 1}, {2}, ChangeKey::change);
  Change const& barrier = find(find(comparison, "W"), "Barrier");
  CHECK(barrier.before.runs == 1);
  CHECK(barrier.before.time_s.median == 0.5);  // of 1 and 0
  CHECK(barrier.after.time_s.median == 1);
}

TEST_CASE("p is adjusted for all operations, and for all communicators by themselves") {
  Profiles const files = random_runs(12, 5);
  Runs const runs = read(files);
  Comparison const comparison = compare(runs, {0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}, ChangeKey::name);
  std::size_t operations = 0;
  for (auto const& communicator : comparison.communicators) {
    CHECK(*communicator.change.p_adjusted >= *communicator.change.p);
    for (auto const& one : communicator.operations) {
      CHECK(*one.change.p_adjusted >= *one.change.p);
      ++operations;
    }
  }
  CHECK(operations == 6);
  CHECK(comparison.wall.p_adjusted == comparison.wall.p);
}

TEST_CASE("what stands out from all is significant among many lines with four runs a side") {
  Profiles files;
  for (int run = 0; run < 8; ++run) {
    TemporaryProfile::Content content{.ranks = 2};
    for (int line = 0; line < 30; ++line) {
      double const scatter = 1 + 0.01 * ((7 * run + 3 * line + run * line) % 5);
      double const seconds = (line == 0 && run >= 4 ? 10 : 1) * scatter;
      content.communicators.push_back(fmt::format("W_d{},W,Comm_dup,2,0-1,,,,0", line + 1));
      content.operations.push_back(fmt::format("main,W_d{},2,0,Barrier,0,0,1,0,0,{},0,1", line + 1, seconds));
    }
    files.push_back(std::make_unique<TemporaryProfile>(content));
  }
  Comparison const comparison = compare(read(files), {0, 1, 2, 3}, {4, 5, 6, 7}, ChangeKey::change);
  REQUIRE(comparison.communicators.size() == 30);
  CHECK(comparison.communicators[0].name == "W_d1");
  CHECK(*comparison.communicators[0].change.p_adjusted == Approx(2.0 / 70));
  CHECK(comparison.communicators[0].change.is_significant());
  for (std::size_t i = 1; i < 30; ++i) CHECK_FALSE(comparison.communicators[i].change.is_significant());
}

TEST_CASE("runs compared with themselves have not changed") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Runs const runs = read(random_runs(4, seed));
    for (RunGroup const& group : {RunGroup{0}, RunGroup{0, 1, 2, 3}}) {
      for_each_change(compare(runs, group, group, ChangeKey::change),
                      [](std::string const& name, Change const& change) {
                        INFO(name);
                        REQUIRE(change.seconds() == 0);
                        REQUIRE(change.relative().value_or(0) == 0);
                        REQUIRE(change.before.calls == change.after.calls);
                        REQUIRE(change.before.bytes == change.after.bytes);
                        REQUIRE(change.p.value_or(1) == Approx(1));
                      });
    }
  }
}

TEST_CASE("sides that change places change signs") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Runs const runs = read(random_runs(7, seed));
    RunGroup const left{0, 1, 2};
    RunGroup const right{3, 4, 5, 6};
    std::map<std::string, Change> back;
    for_each_change(compare(runs, right, left, ChangeKey::name),
                    [&](std::string const& name, Change const& change) { back.emplace(name, change); });
    std::size_t count = 0;
    for_each_change(compare(runs, left, right, ChangeKey::name), [&](std::string const& name, Change const& change) {
      INFO(name);
      ++count;
      REQUIRE(change.seconds() == -back.at(name).seconds());
      REQUIRE(change.before.calls == back.at(name).after.calls);
      REQUIRE(change.after.bytes == back.at(name).before.bytes);
      REQUIRE(*change.p == Approx(*back.at(name).p));
    });
    CHECK(count == back.size());
  }
}

TEST_CASE("the mean time of a communicator is the sum of those of its operations") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Runs const runs = read(random_runs(2, seed));
    for (auto const& communicator : compare(runs, {0}, {1}, ChangeKey::name).communicators) {
      double before = 0;
      double change = 0;
      for (auto const& one : communicator.operations) {
        before += one.change.before.time_s.median;
        change += one.change.seconds();
      }
      REQUIRE(communicator.change.before.time_s.median == before);  // quarters of a second add up exactly
      REQUIRE(communicator.change.seconds() == change);
    }
  }
}

TEST_CASE("what changed most is first, whichever way") {
  auto const run = [](char const* send, char const* recv, char const* bcast) {
    return std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
        .operations = {std::string("main,W,2,0,Send,8,15,") + send, std::string("main,W,2,0,Recv,8,15,") + recv,
                       std::string("main,W,2,0,Bcast,8,15,") + bcast}});
  };
  Profiles files;  // calls, bytes sent and received, time
  files.push_back(run("1,100,0,8,0,1", "1,0,9,1,0,1", "5,0,9,6,0,1"));
  files.push_back(run("4,100,0,6,0,1", "1,0,12,2,0,1", "5,0,8,6,0,1"));
  Runs const runs = read(files);
  auto const order = [&](ChangeKey key) {
    std::string names;
    Comparison const comparison = compare(runs, {0}, {1}, key);
    for (auto const& one : comparison.communicators[0].operations) names += one.operation + " ";
    return names;
  };
  CHECK(order(ChangeKey::change) == "Send Recv Bcast ");    // -2, +1, 0
  CHECK(order(ChangeKey::relative) == "Recv Send Bcast ");  // +100 %, -25 %, 0
  CHECK(order(ChangeKey::time) == "Send Bcast Recv ");      // 8, 6, 2
  CHECK(order(ChangeKey::calls) == "Send Bcast Recv ");     // +3, 0, 0
  CHECK(order(ChangeKey::volume) == "Recv Bcast Send ");    // +3, -1, 0
  CHECK(order(ChangeKey::name) == "Bcast Recv Send ");
}

TEST_CASE("a pattern has to match in one of the runs") {
  Profiles files;
  files.push_back(run_with_barrier(1));
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0"}, .operations = {"main,W_d1,2,0,Bcast,0,0,1,0,0,0.5,0.1,0.2"}}));
  CHECK(read(files, {.communicators = {"W_d1"}}).communicators.size() == 1);
  CHECK(read(files, {.operations = {"bcast"}}).communicators.count("W_d1") == 1);
  CHECK(read(files, {.communicators = {"W_d1"}, .operations = {"Barrier"}}).communicators.empty());
  CHECK_THROWS_WITH(read(files, {.communicators = {"W_x*"}}),
                    "--comm: no communicator of the profile matches \"W_x*\"");
  CHECK_THROWS_WITH(read(files, {.operations = {"Sned"}}), "--op: no operation of the profile matches \"Sned\"");
  CHECK_THROWS_WITH(read(files, {.ranks = RankSet::parse("2")}),
                    Catch::Contains(": --rank: no rank 2, the run had ranks 0 to 1"));
}

TEST_CASE("different numbers of ranks and different programs are noted") {
  Profiles files;
  files.push_back(run_with_barrier(1));
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{.ranks = 3}));
  files.back()->replace("run.json", "a.out", "b.out");
  Runs const runs = read(files);
  auto const notices = compare(runs, {0}, {1}, ChangeKey::change).notices;
  REQUIRE(notices.size() == 2);
  CHECK(notices[0] ==
        "Numbers of ranks differ: 2 before, 3 after; communicators join by name, times are means over their ranks.");
  CHECK(notices[1] == "Programs differ: a.out before, b.out after.");
}

TEST_CASE("a program is told by its build, without builds by the file's name") {
  struct {
    char const *build, *program, *other_build;
    bool differs;
  } const cases[] = {{"12ab", "/usr/bin/b.out", "12ab", false},
                     {"12ab", "a.out", "34cd", false},
                     {"12ab", "/opt/a.out", "34cd", true},
                     {"12ab", "/opt/a.out", "", false},
                     {"12ab", "/opt/b.out", "", true}};
  for (auto const& one : cases) {
    CAPTURE(one.program);
    Profiles files;
    for (std::string const build : {one.build, one.other_build})
      files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
          .sites = {{"a.out+0x10,a.out,16,,,", "libx.so+0x10,libx.so,16,,,"}},
          .modules = {{"a.out,/usr/bin/a.out," + build, "libx.so,/usr/lib/libx.so," + build}}}));
    files.back()->replace("run.json", "a.out", one.program);
    Runs const runs = read(files);
    auto const notices = compare(runs, {0}, {1}, ChangeKey::change).notices;
    CHECK((notices.size() == 1) == one.differs);
    if (one.differs) CHECK(notices.at(0) == fmt::format("Programs differ: a.out before, {} after.", one.program));
  }
}

TEST_CASE("efficiencies change with the ranks' times") {
  Profiles files;
  for (int i = 0; i < 4; ++i) files.push_back(std::make_unique<TemporaryProfile>());
  // Useful: 8 s and 8 s of 10 s, in all others 8 s and 4 s.
  for (int i = 1; i < 4; ++i)
    files[static_cast<std::size_t>(i)]->replace("ranks.csv", "1,host,1,0,1,10,2", "1,host,1,0,1,10,6");
  Runs const runs = read(files);
  Comparison const comparison = compare(runs, {0}, {1}, ChangeKey::change);
  CHECK(comparison.outside.before.time_s.median == 8);
  CHECK(comparison.outside.after.time_s.median == 6);
  REQUIRE(comparison.efficiencies.size() == 3);
  EfficiencyChange const& parallel = comparison.efficiencies[0];
  CHECK(parallel.quantity == "parallel_efficiency");
  CHECK(parallel.before.median == Approx(0.8));
  CHECK(parallel.after.median == Approx(0.6));
  CHECK(parallel.difference() == Approx(-0.2));
  CHECK_FALSE(parallel.p.has_value());
  CHECK(comparison.efficiencies[1].quantity == "load_balance");
  CHECK(comparison.efficiencies[1].difference() == Approx(0.75 - 1));
  CHECK(comparison.efficiencies[2].quantity == "communication_efficiency");
  CHECK(comparison.efficiencies[2].difference() == Approx(0));
  // Three runs are alike: the other one has to be on one of the sides.
  CHECK(compare(runs, {0, 1}, {2, 3}, ChangeKey::change).efficiencies[0].p == Approx(1));
  // They need all calls of a rank.
  CHECK(compare(read(files, {.kinds = {OperationKind::p2p}}), {0}, {1}, ChangeKey::change).efficiencies.empty());
  CHECK(
      compare(read(files, {.ranks = RankSet::parse("0")}), {0}, {1}, ChangeKey::change).efficiencies[0].difference() ==
      0);
}

TEST_CASE("siblings that one call has made are compared as one") {
  // One communicator of two ranks before, two of one rank each after; rank 1 then has half of the time.
  Profiles files;
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .communicators = {"W_s1.0,W,Comm_split,2,0-1,,,,0"},
      .operations = {"main,W_s1.0,2,0,Barrier,0,0,3,0,0,2,0,1", "main,W_s1.0,2,1,Barrier,0,0,3,0,0,2,0,1"}}));
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .communicators = {"W_s1.0,W,Comm_split,1,0,,,,0", "W_s1.1,W,Comm_split,1,1,,,,0"},
      .operations = {"main,W_s1.0,1,0,Barrier,0,0,3,0,0,2,0,1", "main,W_s1.1,1,1,Barrier,0,0,4,0,0,1,0,1"}}));
  Runs runs = read(files);
  runs.communicators = join_siblings(std::move(runs.communicators));
  auto const changes = compare(runs, {0}, {1}, ChangeKey::change).communicators;
  REQUIRE(changes.size() == 1);
  CHECK(changes[0].name == "W_s1.*");
  CHECK(changes[0].change.before.time_s.median == 2);
  CHECK(changes[0].change.after.time_s.median == 1.5);
  CHECK(changes[0].change.after.calls == 7);
  REQUIRE(changes[0].operations.size() == 1);
  CHECK(changes[0].operations[0].change.after.time_s.median == 1.5);

  std::map<std::string, CommunicatorInRuns> groups;
  for (char const* const name : {"W_u1.0-3", "W_u1.4-7", "W_u1.0-3.t7"}) groups[name].all = {Effort{1, 2, 3, 4, 2}};
  auto const joined = join_siblings(std::move(groups));
  CHECK(joined.size() == 2);
  CHECK(joined.at("W_u1.*").all[0]->calls == 4);
  CHECK(joined.contains("W_u1.0-3.t7"));

  std::map<std::string, CommunicatorInRuns> alone;
  alone["W_s1.0"].all = {Effort{1, 2, 3, 4, 2}};
  CHECK(join_siblings(std::move(alone)).contains("W_s1.0"));  // no other name is needed
}

TEST_CASE("communicators correlate with the wall time") {
  Profiles files;
  double const walls[] = {10, 11, 12, 14, 13};
  double const times[] = {1, 3, 2, 5, 9};
  for (int i = 0; i < 5; ++i) files.push_back(run_with_barrier(2 * times[i], walls[i]));  // over 2 ranks
  files.push_back(std::make_unique<TemporaryProfile>());  // without calls on W: it has no part in the correlation
  auto const found = correlate(read(files), CorrelationKey::pearson);
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "W");
  CHECK(found[0].size == 2);
  CHECK(found[0].runs == 5);
  CHECK(found[0].time_mean_s == 4);
  CHECK(found[0].pearson->coefficient == Approx(0.7));  // as in the test of pearson()
  CHECK(found[0].spearman->coefficient == Approx(0.8));
  CHECK(*found[0].slope == Approx(1.4));
  CHECK(found[0].pearson_p_adjusted == found[0].pearson->p);  // the only test
}

TEST_CASE("the strongest correlation is first, what has none last") {
  Profiles files;
  for (int i = 0; i < 4; ++i) {
    auto const row = [](char const* comm, double seconds) {
      return fmt::format("main,{},2,0,Barrier,0,0,1,0,0,{},0,1", comm, seconds);
    };
    files.push_back(std::make_unique<TemporaryProfile>(
        TemporaryProfile::Content{.communicators = {"W_d2,W,Comm_dup,2,0-1,,,,0", "W_d10,W,Comm_dup,2,0-1,,,,0"},
                                  .operations = {row("W", 100), row("W_d2", i % 2 + 0.1 * i), row("W_d10", 5 - i)}}));
    files.back()->replace("run.json", "\"wall_s\": 10", fmt::format("\"wall_s\": {}", 20 + i));
  }
  Runs const runs = read(files);
  auto const order = [&](CorrelationKey key) {
    std::string names;
    for (auto const& one : correlate(runs, key)) names += one.name + " ";
    return names;
  };
  CHECK(order(CorrelationKey::pearson) == "W_d10 W_d2 W ");
  CHECK(order(CorrelationKey::name) == "W W_d2 W_d10 ");
  CHECK(order(CorrelationKey::time) == "W W_d10 W_d2 ");
  CHECK_FALSE(correlate(runs, CorrelationKey::name)[0].pearson.has_value());
  CHECK_FALSE(correlate(runs, CorrelationKey::name)[0].pearson_p_adjusted.has_value());
}

namespace {

// A run of eight ranks, halves of which call Allreduce: 4 s with 8 bytes and 4 s with 16 on each rank. The algorithms
// are those of the calls on the first half with 8 and 16 bytes, then on the second half.
std::unique_ptr<TemporaryProfile> run_with_algorithms(std::vector<std::string> const& algorithms,
                                                      std::string const& internal = "1") {
  TemporaryProfile::Content content{.ranks = 8, .peers = std::vector<std::string>{}};
  content.communicators = {"W_s1.0,W,Comm_split,4,0-3,,,,0", "W_s1.4,W,Comm_split,4,4-7,,,,0"};
  content.more_of_run = R"(, "options": {"COMMPROF_INTERNAL": ")" + internal + "\"}";
  for (int rank = 0; rank < 8; ++rank) {
    int const first = rank / 4 * 4;
    for (int of_size = 0; of_size < 2; ++of_size) {
      int const size = 8 << of_size;
      content.operations.push_back(
          fmt::format("main,W_s1.{},4,{},Allreduce,{},{},2,{},0,4,1,2", first, rank, size, 2 * size - 1, 2 * size));
      std::string const& algorithm = algorithms[static_cast<std::size_t>(rank / 4 * 2 + of_size)];
      for (int other = first; other < first + 4; ++other) {
        int const apart = (rank - first) ^ (other - first);
        bool const is_next = other == first + (rank - first + 1) % 4;
        int const messages = algorithm == "ring" ? (is_next ? 12 : 0) : apart == 1 || apart == 2 ? 2 : 0;
        if (messages > 0)
          content.peers->push_back(fmt::format("main,W_s1.{},internal,{},{},8,15,{},{},Allreduce,{},{}", first, rank,
                                               other, messages, 8 * messages, size, 2 * size - 1));
      }
    }
  }
  return std::make_unique<TemporaryProfile>(content);
}

// COMMUNICATOR SIZES: BEFORE, AFTER, SECONDS BEFORE; several joined by "; ".
std::string changed_algorithms_of(Runs const& runs, RunGroup const& before, RunGroup const& after) {
  std::string text;
  for (AlgorithmChange const& one : compare(runs, before, after, ChangeKey::name).algorithms)
    text += fmt::format("{}{} {}-{}: {}, {}, {}", text.empty() ? "" : "; ", one.communicator, one.sizes.min_bytes,
                        one.sizes.max_bytes, one.before, one.after, one.change.before.time_s.median);
  return text;
}

}  // namespace

TEST_CASE("operations whose algorithm is another one than before") {
  std::string const doubling = "recursive doubling";
  Profiles files;
  files.push_back(run_with_algorithms({doubling, doubling, doubling, doubling}));
  files.push_back(run_with_algorithms({"ring", "ring", doubling, doubling}));
  files.push_back(run_with_algorithms({doubling, "ring", doubling, "ring"}));
  files.push_back(run_with_algorithms({"ring", "ring", "ring", "ring"}, "0"));
  Runs runs = read(files);
  CHECK(changed_algorithms_of(runs, {0}, {0}).empty());
  // Sizes next to each other are one line.
  CHECK(changed_algorithms_of(runs, {0}, {1}) == "W_s1.0 8-31: recursive doubling, ring, 8");
  CHECK(changed_algorithms_of(runs, {0, 0}, {1, 2}) ==
        "W_s1.0 8-15: recursive doubling, recursive doubling and ring, 4; W_s1.0 16-31: recursive doubling, ring, 4; "
        "W_s1.4 16-31: recursive doubling, recursive doubling and ring, 4");
  // The last one did not count messages for collectives.
  CHECK(changed_algorithms_of(runs, {0}, {3}).empty());
  auto const after = [&](RunGroup const& group) {
    return compare(runs, {0}, group, ChangeKey::name).algorithms.front().change.after.time_s.median;
  };
  CHECK(after({1, 3, 3}) == after({1}));
  // Times are means over the ranks of all siblings.
  runs.communicators = join_siblings(std::move(runs.communicators));
  CHECK(changed_algorithms_of(runs, {0}, {2}) == "W_s1.* 16-31: recursive doubling, ring, 4");

  Selection selection;
  selection.communicators = {"W_s1.4"};
  CHECK(changed_algorithms_of(read(files, selection), {0}, {2}) == "W_s1.4 16-31: recursive doubling, ring, 4");
  selection.ranks = RankSet::parse("4-5");
  CHECK(changed_algorithms_of(read(files, selection), {0}, {2}).empty());
}
