// Runs mpisee-through compare.
#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

// Two runs in one directory, with fixed names.
class TwoRuns {
 public:
  TwoRuns() {
    // Mean over ranks: Send 0.25 s, Recv 0.75 s.
    TemporaryProfile const before(
        {.operations = {"main,W,2,0,Send,8,15,3,24,0,0.5,0.1,0.2", "main,W,2,1,Recv,8,15,3,0,24,1.5,0.1,0.2"}});
    // Send 0.125 s, Recv 0.75 s, Barrier 0.5 s.
    TemporaryProfile const after(
        {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0"},
         .operations = {"main,W,2,0,Send,8,15,2,16,0,0.25,0.1,0.2", "main,W_d1,2,0,Barrier,0,0,1,0,0,0.5,0.1,0.2",
                        "main,W,2,1,Recv,8,15,3,0,24,1.5,0.1,0.2", "main,W_d1,2,1,Barrier,0,0,1,0,0,0.5,0.1,0.2"}});
    after.replace("run.json", "\"wall_s\": 10", "\"wall_s\": 8");
    for (auto const& [name, profile] : {std::pair("a", &before), std::pair("b", &after)}) {
      std::filesystem::copy(profile->path(), directory_.path() / name);
    }
  }

  [[nodiscard]] ToolRun run(std::string const& arguments) const {
    return run_tool("compare " + arguments, directory_.path());
  }

 private:
  TemporaryProfile directory_;
};

}  // namespace

TEST_CASE("compare gives what grew much as a factor") {
  TemporaryProfile const before({.operations = {"main,W,2,0,Send,8,15,1,8,0,0.5,0.5,0.5"}});
  TemporaryProfile const after({.operations = {"main,W,2,0,Send,8,15,1,8,0,600,600,600"}});
  std::string const out = run_tool("compare --total " + before.path().string() + " " + after.path().string()).out;
  CHECK(out.find("  1,200x  ") != out.npos);
}

TEST_CASE("compare shows the ten communicators that changed most, and CSV has all") {
  TemporaryProfile::Content content{.ranks = 2};
  for (int i = 1; i <= 12; ++i) {
    content.communicators.push_back("W_d" + std::to_string(i) + ",W,Comm_dup,2,0-1,,,,0");
    content.operations.push_back("main,W_d" + std::to_string(i) + ",2,0,Barrier,0,0,1,0,0,1,0,1");
  }
  TemporaryProfile const before, after(content);
  std::string const paths = "'" + before.path().string() + "' '" + after.path().string() + "'";
  auto const lines_with = [&](std::string const& options) {
    std::istringstream lines(run_tool("compare --total " + paths + options).out);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);) count += line.find("W_d") != line.npos ? 1 : 0;
    return count;
  };
  CHECK(lines_with("") == 10);
  CHECK(lines_with(" --top 11") == 11);
  CHECK(lines_with(" --csv") == 12);
  CHECK(run_tool("compare --total " + paths).out.find("\nNot shown, beyond --top: 2.\n") != std::string::npos);
}

TEST_CASE("compare --total, --top and --sort") {
  ToolRun const run = TwoRuns().run("a b --total --top 1 --sort name");
  CHECK(run.out.substr(run.out.find("Communicator ")) ==
        "Communicator   Before     After     Change  Relative  Calls       Volume\n"
        "W             1.000 s  875.0 ms  -125.0 ms   -12.5 %  6 → 5  48 B → 40 B\n"
        "\n"
        "Not shown, beyond --top: 1.\n");
}

TEST_CASE("compare several runs with the first, or groups of runs") {
  TwoRuns const runs;
  std::string const each = runs.run("a b a --csv --total --comm W --op Send").out;
  CHECK(each.find("\nb,W,1,0.25,") != each.npos);
  CHECK(each.find("\na,W,1,0.25,0.25,0.25,0.25,3,24,1,0.25,0.25,0.25,0.25,3,24,0,0,,,rank_mean_s,,,,,\n") != each.npos);

  // Four of eight runs can be chosen in 70 ways, of which two give a difference as large as the one seen: p is 2/70.
  // Send takes 0.25 s in each run before, and 0.125 s in each run after.
  ToolRun const groups = runs.run("--op Send --total a a a a --with b b b b --with a a a a");
  CHECK(groups.exit_code == 0);
  CHECK(contains(groups.out, "\nWall time  10.00 s → 8.000 s, -2.000 s (-20.0 %), p 0.029; significant\n"));
  CHECK(contains(groups.out, "\n\n\nBefore     a to a (4 runs)\nAfter      a to a (4 runs)\nNote "));
}

TEST_CASE("what is to be noted goes to stderr with --csv") {
  ToolRun const run = TwoRuns().run("a a --with b b --csv");
  CHECK(run.exit_code == 0);
  CHECK(run.err ==
        "mpisee-through: The same run is given 2 times: a. Repetitions are runs of their own.\n"
        "mpisee-through: The same run is given 2 times: b. Repetitions are runs of their own.\n"
        "mpisee-through: With 2 and 2 runs nothing can be significant: p is 0.33 at least.\n");
}

TEST_CASE("compare says once that chance may have made the differences") {
  std::string const caution = "One run a side: differences may be chance; repeat the runs and use --with.";
  for (std::string const format : {"", " --csv"}) {
    ToolRun const run = TwoRuns().run("a b b --total" + format);
    std::string const text = run.out + run.err;
    std::size_t const first = text.find(caution);
    CHECK(first != text.npos);
    CHECK(text.find(caution, first + 1) == text.npos);
  }
  CHECK(TwoRuns().run("a a").out.find("Note       The same run is on both sides: a.\nWall time") != std::string::npos);
}

TEST_CASE("compare takes the selection that all commands take") {
  auto const rows = [](std::string const& options) {
    ToolRun const run = run_shell("mpisee-through compare sample sample-tuned --csv " + options, sample_parent);
    std::string names;
    std::istringstream lines(run.out);
    std::string after, comm, op, rest;
    std::getline(lines, rest);  // the head
    while (std::getline(lines, after, ',') && std::getline(lines, comm, ',') && std::getline(lines, op, ',') &&
           std::getline(lines, rest))
      if (!comm.empty()) names += comm + " " + op + ";";
    return names;
  };
  CHECK(rows("--kind p2p --comm W_a1") == "W_a1 Send;W_a1 Recv;");
  CHECK(rows("--kind collective --comm W") == "W Allreduce;W Barrier;");
  CHECK(rows("--size 64k-") == "W_a1 Send;W_a1 Recv;");
  CHECK(rows("--rank 0 --op Barrier --region main") == "W Barrier;");
}

TEST_CASE("compare writes ASCII where the locale has no more") {
  auto const text = [](std::string const& locale) {
    return run_shell("LC_ALL=" + locale + " mpisee-through compare sample sample-tuned", sample_parent).out;
  };
  CHECK(text("C.UTF-8").find("10.50 s → 9.250 s") != std::string::npos);
  CHECK(text("C").find("10.50 s > 9.250 s") != std::string::npos);
}

TEST_CASE("compare --fail-above fails with one line and an exit code of its own") {
  TwoRuns const runs;
  // The wall time is 10 s in b and 8 s in a: a quarter more.
  ToolRun const slower = runs.run("b a --total --fail-above 24.9%");
  CHECK(slower.exit_code == 3);
  CHECK(slower.out == runs.run("b a --total").out);
  CHECK(slower.err ==
        "mpisee-through: a is slower than --fail-above 24.9% allows: wall time 8.000 s → 10.00 s, +2.000 s (+25.0 %) "
        "(not tested for chance)\n");
  for (char const* allowed :
       {"b a --fail-above 25%", "b a --fail-above '30 %'", "b a --fail-above 25", "a b --fail-above 0"}) {
    INFO(allowed);
    CHECK(runs.run(allowed).exit_code == 0);
    CHECK(runs.run(allowed).err.empty());
  }
  // With several runs after, the line names the one that failed.
  ToolRun const second = runs.run("b b a --json --fail-above 5");
  CHECK(second.exit_code == 3);
  CHECK(contains(second.err, "mpisee-through: a is slower"));
  CHECK(run_shell("LC_ALL=C mpisee-through compare sample-tuned sample --fail-above 5%", sample_parent)
            .err.find("wall time 9.250 s > 10.50 s") != std::string::npos);
}

TEST_CASE("compare --fail-above judges the communicators of selected calls") {
  TwoRuns const runs;
  // Send: 0.125 s in b and 0.25 s in a; Recv is the same, and the wall time is not judged.
  ToolRun const send = runs.run("b a --op Send --csv --fail-above 50%");
  CHECK(send.exit_code == 3);
  CHECK(contains(send.err, "a is slower than --fail-above 50% allows: W 125.0 ms → 250.0 ms, +125.0 ms (+100.0 %)"));
  CHECK(runs.run("b a --op Recv --fail-above 0%").exit_code == 0);
}

TEST_CASE("compare --fail-above lets pass what may be chance") {
  TwoRuns const runs;
  CHECK(runs.run("--total b b b b --with a a a a --fail-above 5%").exit_code == 3);
  // Both have two runs of each kind but one: p is far above 0.05.
  ToolRun const chance = runs.run("--total b b b a --with b a a a --fail-above 5%");
  CHECK(chance.exit_code == 0);
  CHECK(contains(chance.err,
                 "b to a (4 runs) may be slower by chance, so --fail-above 5% lets it pass: wall time 8.000 s"));
}

TEST_CASE("compare has exit codes like the whole tool") {
  struct Case {
    char const* arguments;
    int exit_code;
    char const* err;
  };
  Case const cases[] = {
      {"a b --op nothing", 1, "mpisee-through: --op: no operation of the profile matches \"nothing\"\n"},
      {"a nowhere", 1, "mpisee-through: nowhere: No such file or directory\n"},
      {"a b --rank 5", 1, "mpisee-through: a: --rank: no rank 5, the run had ranks 0 to 1\n"},
      {"a", 2, "mpisee-through compare: PROFILE: a comparison needs two or more (--help explains)\n"},
      {"--correlate a b", 2, "mpisee-through compare: --correlate: needs three profiles or more (--help explains)\n"},
      {"a b --rank x", 2,
       "mpisee-through compare: --rank: \"x\" is no list of ranks like 0-3,8 or 0-192:64 (--help "
       "explains)\n"},
      {"a b --sort size", 2,
       "mpisee-through compare: --sort: \"size\" is not one of change, relative, time, calls, volume, p, name (--help "
       "explains)\n"},
      {"a b --correlate a --sort p", 2,
       "mpisee-through compare: --sort: \"p\" is not one of pearson, spearman, slope, time, name (--help explains)\n"},
      {"a b --top 0", 2, "mpisee-through compare: --top: \"0\" is not a number from 1 on (--help explains)\n"},
      {"a b --top x", 2, "mpisee-through compare: --top: \"x\" is not a number from 1 on (--help explains)\n"},
      {"a b --fail-above much", 2,
       "mpisee-through compare: --fail-above: \"much\" is no percentage (--help explains)\n"},
      {"a b --fail-above -5%", 2, "mpisee-through compare: --fail-above: \"-5%\" is no percentage (--help explains)\n"},
      {"a a a --with b b b --fail-above 5%", 2,
       "mpisee-through compare: --fail-above: with 3 and 3 runs no difference can be significant; take four a side "
       "(--help explains)\n"},
      {"a b a --correlate --fail-above 5%", 2,
       "mpisee-through compare: --fail-above excludes --correlate (--help explains)\n"},
      {"a b --csv --json", 2, "mpisee-through compare: --csv excludes --json (--help explains)\n"},
  };
  TwoRuns const runs;
  for (Case const& one : cases) {
    ToolRun const run = runs.run(one.arguments);
    INFO(one.arguments);
    CHECK(run.exit_code == one.exit_code);
    CHECK(run.out.empty());
    CHECK(run.err == one.err);
  }
  CHECK(runs.run("--help").exit_code == 0);
  CHECK(runs.run("a b --op Send --region main --rank 1").out.find("No calls in this selection.\n") !=
        std::string::npos);
}

TEST_CASE("compare --fail-above does not judge unfinished runs") {
  TemporaryProfile const before({.ranks = 1});
  TemporaryProfile after({.ranks = 1});
  after.replace("run.json", R"("ranks": 1)",
                R"("ranks": 1, "unfinished": {"ranks_missing": "", "last_record_s": 1, "problems": []})");
  ToolRun const run =
      run_tool("compare --fail-above 5% '" + before.path().string() + "' '" + after.path().string() + "'");
  CHECK(run.exit_code == 1);
  CHECK(run.err == "mpisee-through: --fail-above cannot judge: " + after.path().string() + " is unfinished\n");
}
