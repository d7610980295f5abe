// Findings about many calls, and about files.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "findings/first_screen.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// A row of operations.csv for each of two ranks, which run 10 s.
struct Calls {
  std::string comm, op, sizes;
  std::uint64_t calls, bytes;
  double seconds;
};

TemporaryProfile::Content content_of(std::vector<Calls> const& all) {
  TemporaryProfile::Content content;
  for (int rank = 0; rank < 2; ++rank)
    for (Calls const& one : all)
      content.operations.push_back(fmt::format("main,{},2,{},{},{},{},{},0,{},0.00001,1", one.comm, rank, one.op,
                                               one.sizes, one.calls, one.bytes, one.seconds));
  return content;
}

std::vector<Finding> findings_of(TemporaryProfile::Content const& content) {
  TemporaryProfile const files(content);
  return read_first_page(Profile(files.path()), {}).findings;
}

bool has(std::vector<Finding> const& found, std::string_view rule) {
  return std::ranges::any_of(found, [&](Finding const& one) { return one.rule == rule; });
}

}  // namespace

TEST_CASE("many tiny collectives are found, unless their time is known to be waiting") {
  auto const profile = [](std::uint64_t calls, double seconds) {
    return content_of({{"W", "Allreduce", "8,15", calls, 8 * calls, seconds}, {"W", "Bcast", "0,0", 10, 0, 1}});
  };
  auto const found = findings_of(profile(29156, 4));
  REQUIRE(found.size() == 1);  // it says why Allreduce takes long
  CHECK(found[0].rule == "tiny-collectives");
  // 4 of 5 s; 4 s / 29,156
  CHECK(found[0].fact ==
        "Each rank calls Allreduce on W 29,156 times, with less than 256 B in 100.0 % of the calls; they take 80.0 % "
        "of the MPI time, 137.2 µs a call.");
  CHECK(found[0].options == "--sizes --comm W --op Allreduce");
  CHECK(found[0].weight == Approx(0.4));
  CHECK_FALSE(has(findings_of(profile(999, 4)), "tiny-collectives"));
  CHECK_FALSE(has(findings_of(profile(29156, 0.9)), "tiny-collectives"));
  CHECK_FALSE(has(findings_of(profile(3999, 4)), "tiny-collectives"));  // 1.0003 ms a call
  CHECK(has(findings_of(profile(4000, 4)), "tiny-collectives"));
  auto waits = profile(29156, 4);
  waits.waits = {{"W,Allreduce,2,58312,100,entries,8,5,0.1,2,1,0,0.5,0.001"}};
  waits.waits_by_rank = {{"W,Allreduce,0,100,4,2.5,50"}};
  CHECK_FALSE(has(findings_of(waits), "tiny-collectives"));
  CHECK(has(findings_of(waits), "waiting"));
}

TEST_CASE("the root of a tiny Bcast, which counts no bytes, makes tiny calls, too") {
  auto const profile = [](std::string const& sizes) {
    TemporaryProfile::Content content;
    content.operations = {"main,W,2,0,Bcast,0,0,30000,0,0,4,0.0001,1",
                          fmt::format("main,W,2,1,Bcast,{},30000,0,240000,4,0.0001,1", sizes)};
    return content;
  };
  auto const found = findings_of(profile("8,15"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "tiny-collectives");
  CHECK(found[0].fact ==
        "Each rank calls Bcast on W 30,000 times, with less than 256 B in 100.0 % of the calls; they take 100.0 % of "
        "the MPI time, 133.3 µs a call.");
  CHECK_FALSE(has(findings_of(profile("256,511")), "tiny-collectives"));
  CHECK_FALSE(has(findings_of(profile("0,0")), "tiny-collectives"));  // no call has data
}

TEST_CASE("tiny messages of persistent requests are found like others") {
  auto const profile = [](std::string const& prepares, std::string const& call) {
    return content_of({{"W", prepares, "0,0", 1, 0, 0.001},
                       {"W", call, "8,15", 100000, 800000, 4},
                       {"W", "Wait", "0,0", 100000, 0, 1}});
  };
  auto const found = findings_of(profile("Send_init", "Start"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "tiny-messages");
  CHECK(found[0].fact.starts_with("200,000 messages on W carry 1.526 MiB: 100.0 % of them are below 256 B"));
  CHECK(found[0].fact == findings_of(profile("Barrier", "Isend"))[0].fact);
  CHECK_FALSE(has(findings_of(profile("Allreduce_init", "Start")), "tiny-messages"));
}

TEST_CASE("windows that come and go are found") {
  auto const profile = [](std::uint64_t windows, std::uint64_t freed, double seconds) {
    return content_of({{"W", "Win_create", "0,0", windows, 0, seconds},
                       {"W", "Win_free", "0,0", freed, 0, seconds / 2},
                       {"W", "Win_fence", "0,0", 2 * windows, 0, 0.5}});
  };
  auto const found = findings_of(profile(516, 516, 0.2));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "window-churn");
  // 0.3 of 0.8 s
  CHECK(found[0].fact ==
        "Each rank makes 516 windows on W (Win_create) and frees 100.0 % of them; making and freeing take 37.5 % of "
        "the MPI time.");
  CHECK(found[0].options == "--operations --comm W --op 'Win_*'");
  CHECK(findings_of(profile(99, 99, 0.2)).empty());
  CHECK(findings_of(profile(516, 400, 0.2)).empty());
  CHECK(findings_of(profile(516, 516, 0.06)).empty());  // 0.9 % of the wall time
}

TEST_CASE("a barrier for each collective comes before the collective that takes longer") {
  auto const found = [](double barrier_s) {
    return findings_of(
        content_of({{"W", "Barrier", "0,0", 900, 0, barrier_s}, {"W", "Alltoall", "8192,16383", 900, 9000000, 3}}));
  };
  REQUIRE(found(1.9).size() == 2);
  CHECK(found(1.9)[0].rule == "paired-barriers");
  CHECK(found(1.9)[1].rule == "dominant-operation");
  CHECK(found(1.7)[0].rule == "dominant-operation");
}

TEST_CASE("a barrier for each collective is found, unless one rank is mostly last in it") {
  auto const profile = [](std::uint64_t barriers, double seconds) {
    return content_of({{"W", "Barrier", "0,0", barriers, 0, seconds},
                       {"W", "Alltoall", "8192,16383", 900, 9000000, 0.3},
                       {"W", "Iallreduce", "8,15", 7000, 56000, 0.1},
                       {"W", "Bcast", "8192,16383", 40, 400000, 0.1}});
  };
  auto const found = findings_of(profile(940, 0.5));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "paired-barriers");
  CHECK(found[0].fact ==
        "Each rank calls Barrier on W 940 times, and other collectives there 940 times, mostly Alltoall: there is a "
        "barrier for each. Barrier takes 50.0 % of the MPI time.");
  CHECK(found[0].options == "--operations --comm W --kind collective");
  CHECK(has(findings_of(profile(893, 0.5)), "paired-barriers"));  // 95.0 %
  CHECK(findings_of(profile(855, 0.5))
            .at(0)
            .fact.starts_with(  // 95.0 % of Alltoall
                "Each rank calls Barrier on W 855 times, and Alltoall there 900 times: there is a barrier for each."));
  CHECK_FALSE(has(findings_of(profile(854, 0.5)), "paired-barriers"));
  CHECK_FALSE(has(findings_of(profile(940, 0.49)), "paired-barriers"));
  auto waits = profile(940, 4);
  waits.waits = {{"W,Barrier,2,1880,100,entries,8,7,0.1,0.5,0.5,0,0.9,0.001"}};
  waits.waits_by_rank = {{"W,Barrier,0,100,4,1,90"}};
  CHECK_FALSE(has(findings_of(waits), "paired-barriers"));
  CHECK(has(findings_of(waits), "waiting"));
}

TEST_CASE("time in files is a finding of its own, with its rate") {
  std::uint64_t const gib = 1ULL << 30U;
  auto const found = findings_of(content_of({{"W", "File_write_at_all", "1048576,2097151", 1024, gib, 6},
                                             {"W", "File_open", "0,0", 1, 0, 1},
                                             {"SELF", "File_close", "0,0", 1, 0, 1}}));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "files");
  // 16 of 20 s; 2 GiB by 16 s of both ranks
  CHECK(found[0].fact ==
        "Calls on files take 80.0 % of the wall time, 75.0 % of that in File_write_at_all on W. They write 2.000 GiB, "
        "1.000 MiB a call, 128.0 MiB/s for each rank in them.");
  CHECK(found[0].options == "--sites --kind file");
  CHECK(found[0].advice.starts_with("access files less often; hints of the info"));
  auto const views =
      content_of({{"W", "File_set_view", "0,0", 16, 0, 4}, {"W", "File_write_at_all", "8388608,16777215", 8, gib, 2}});
  CHECK(findings_of(views).at(0).advice.starts_with("keep one view for many accesses"));
  // The program joins its accesses: what takes longest says nothing about that.
  auto const syncs =
      content_of({{"W", "File_sync", "0,0", 16, 0, 4}, {"W", "File_write_at_all", "8388608,16777215", 8, gib, 2}});
  CHECK(findings_of(syncs).at(0).advice.starts_with("access files less often; hints of the info"));
  auto const small = findings_of(content_of({{"W", "File_read_at", "8,15", 1000, 8000, 1}}));
  REQUIRE(small.size() == 1);
  CHECK(small[0].advice ==
        "use the collective forms (_all), which join accesses of ranks, and access larger blocks: collect data in "
        "memory first.");
  CHECK(findings_of(content_of({{"W", "File_open", "0,0", 1000, 0, 0.9}})).empty());
  CHECK(findings_of(content_of({{"W", "File_open", "0,0", 1000, 0, 1}}))[0].advice ==
        "open files once and keep them open; one file for many ranks, not one for each.");
}

TEST_CASE("a communicator that stays does not hide those that come and go") {
  // 999 of 1,000 duplicates are released unused; 50,000 calls of each rank on the other one.
  auto const profile = [](std::string const& freed, std::uint64_t uses) {
    auto content = content_of({{"W", "Comm_dup", "0,0", 1000, 0, 3},
                               {"W_d*", "Comm_free", "0,0", 999, 0, 0.1},
                               {"W_d1", "Allreduce", "8,15", uses, 8 * uses, 0.5}});
    content.communicators = {"W_d1,W,Comm_dup,2,0-1,,,," + freed, "W_d*,W,Comm_dup,2,0-1,,,,1"};
    return content;
  };
  for (char const* const freed : {"0", "1"}) {
    auto const found = findings_of(profile(freed, 50000));
    REQUIRE(found.size() == 1);
    CHECK(found[0].rule == "communicator-churn");
    // 2.997 + 0.1 of 3.6 s
    CHECK(found[0].fact ==
          "Each rank calls Comm_dup on W 999 times and frees 100.0 % of what it makes, after 0.0 calls on each, the "
          "mean of all ranks; making and freeing take 86.0 % of the MPI time.");
  }
  CHECK(has(findings_of(profile("0", 10)), "communicator-churn"));
}

TEST_CASE("communicators that come and go in no time are no finding") {
  // 100 duplicates take 0.6 ms of ten hours.
  auto content = content_of({{"W", "Comm_dup", "0,0", 100, 0, 0.0005}, {"W_d*", "Comm_free", "0,0", 100, 0, 0.0001}});
  content.communicators = {"W_d*,W,Comm_dup,2,0-1,,,,1"};
  CHECK(findings_of(content).empty());
}

TEST_CASE("a finding in a library that makes most of the calls says how to see its callers") {
  auto const note = [](std::string const& site, int calls_of_others) {
    TemporaryProfile::Content content{.operations = {}, .sites = std::vector<std::string>{}};
    for (int rank = 0; rank < 2; ++rank) {
      content.operations.push_back(fmt::format("main,W,2,{},Waitall,0,0,100,0,0,4,0.01,1,{}", rank, site));
      content.operations.push_back(
          fmt::format("main,W,2,{},Isend,8,15,{},800,0,0.1,0.001,1,solver+0x10", rank, calls_of_others));
    }
    auto const found = findings_of(content);
    REQUIRE_FALSE(found.empty());
    return found[0].note;
  };
  CHECK(note("libPstream.so+0x9acf", 60) ==
        "libPstream.so makes 62.5 % of the calls: with commprof --stack=1 (COMMPROF_STACK), call sites have their "
        "callers.");
  CHECK(note("libPstream.so+0x9acf", 101).empty());
  CHECK(note("libPstream.so+0x9acf < solver+0x20", 60).empty());
  CHECK(note("solver+0x30", 60).empty());
}
