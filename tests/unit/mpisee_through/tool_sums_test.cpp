// With summary.csv, which has sums over ranks, the tool shows the numbers that it computes from the rows of all ranks.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "profile/schema.hpp"
#include "summary/operation_kind.hpp"
#include "support/long_run.hpp"
#include "support/run_tool.hpp"
#include "support/summary_file.hpp"
#include "support/temporary_profile.hpp"

namespace schema = commprof::schema;

namespace {

constexpr std::uint32_t summed_ranks = 12;
constexpr std::array summed_operations{"Send",      "Recv",       "Irecv",    "Waitall",   "Wait",
                                       "Test-none", "Allreduce",  "Barrier",  "Bcast",     "Comm_dup",
                                       "Put",       "File_write", "Sendrecv", "Iallgather"};
constexpr std::array summed_regions{"main", "*", "solve", "solve/halo"};
constexpr std::array summed_sites{"", "solver+0x10", "solver+0x20", "libblas.so+0x30"};

// Communicators of all kinds: W, SELF, one that descends from SELF on each rank, groups, a folded name that several
// processes share, and one that is not listed.
std::vector<std::string> communicators_of_rank(std::uint32_t rank) {
  std::vector<std::string> names{"W", "SELF", "SELF_d1", fmt::format("W_s1.{}", rank / 4 * 4),
                                 fmt::format("W_s2.{}", rank % 3)};
  if (rank % 2 == 0) names.emplace_back("W_d*");
  if (rank > 5) names.emplace_back("W_x9");
  if (rank == 7) names.emplace_back("W_d3");
  return names;
}

std::string size_of_communicator(std::string const& name) {
  if (name.starts_with("SELF")) return "1";
  if (name.starts_with("W_s")) return "4";
  return name == "W_d*" ? "3" : std::to_string(summed_ranks);
}

struct SummedProfile {
  TemporaryProfile::Content content;
  std::vector<std::string> sums;                         // rows of summary.csv
  std::vector<std::string> sizes;                        // rows of sizes.csv
  std::vector<std::string> rank_rows, rank_rows_before;  // of ranks.csv, with receiving_s and without
};

std::string random_call(std::mt19937& random, std::string const& communicator, std::uint32_t rank) {
  auto const pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  std::string const operation = summed_operations[pick(summed_operations.size())];
  unsigned const power = pick(12);
  unsigned const min = power == 0 ? 0 : 1U << (power - 1);
  unsigned const max = power == 0 ? 0 : (1U << power) - 1;
  unsigned const calls = pick(8) == 0 ? 0 : 1 + pick(50);
  std::uint64_t const shortest_ns = calls == 0 ? 0 : 1 + pick(1000),
                      longest_ns = calls == 0 ? 0 : 1000 + pick(9'999'999);
  // Few different times, so that ranks often have equal sums.
  std::uint64_t const time_ns = pick(3) == 0 ? 250'000'000 : pick(99'999'999);
  // Each operation has a site or more of its own.
  std::string const site = operation == "Bcast" ? summed_sites[1] : summed_sites[pick(summed_sites.size())];
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{}", summed_regions[pick(summed_regions.size())],
                     communicator, size_of_communicator(communicator), rank, operation, min, max, calls, pick(100'000),
                     pick(100'000), seconds_text(time_ns), seconds_text(shortest_ns), seconds_text(longest_ns), site);
}

// Sums operations for each rank.
void add_rank_rows(SummedProfile& profile) {
  std::map<std::uint64_t, std::uint64_t> mpi_ns, receiving_ns, waiting_ns;
  for (std::string const& row : profile.content.operations) {
    auto const fields = fields_of_row(row);
    std::uint64_t const rank = std::stoull(fields[3]);
    mpi_ns[rank] += nanoseconds_of(fields[10]);
    if (mpisee_through::waits_for_messages(fields[4])) receiving_ns[rank] += nanoseconds_of(fields[10]);
  }
  for (std::string const& row : *profile.content.waits_by_rank) {
    auto const fields = fields_of_row(row);
    if (fields[1] == "Allreduce") waiting_ns[std::stoull(fields[2])] += nanoseconds_of(fields[5]);
  }
  for (std::uint32_t rank = 0; rank < summed_ranks; ++rank) {
    std::string const times =
        fmt::format("{},host{},1,0-{},1,{},{}", rank, rank / 5, rank % 2,
                    seconds_text(mpi_ns[rank] + 1'000'000'000 * (1 + rank % 4)), seconds_text(mpi_ns[rank]));
    profile.rank_rows_before.push_back(times);
    profile.rank_rows.push_back(fmt::format("{},2.0,0.5,1,2,3,4,{},{},0,0,0,,1,,", times,
                                            seconds_text(receiving_ns[rank]), seconds_text(waiting_ns[rank])));
  }
}

void add_waits(TemporaryProfile::Content& content, std::mt19937& random) {
  content.waits = {"W,Allreduce,12,300,25,entries,3.000000000,1.500000000,0.100000000,0.2,1.3,5,0.9,0.01",
                   "W_s1.0,Allreduce,4,100,25,entries,1.000000000,0.700000000,0.050000000,0.1,0.2,1,0.8,0.02",
                   "W,Barrier,12,300,25,durations,2.000000000,1.000000000,0.100000000,,,,,"};
  content.waits_by_rank.emplace();
  for (std::uint32_t rank = 0; rank < summed_ranks; ++rank) {
    for (char const* place : {"W,Allreduce", "W_s1.0,Allreduce", "W,Barrier"}) {
      content.waits_by_rank->push_back(fmt::format("{},{},25,0.300000000,{},{}", place, rank,
                                                   seconds_text(random() % 300'000'000), rank == 5 ? 20 : 0));
    }
  }
}

SummedProfile summed_profile(unsigned seed) {
  std::mt19937 random(seed);
  SummedProfile profile;
  TemporaryProfile::Content& content = profile.content;
  content.ranks = summed_ranks;
  content.communicators = {"W_s1.0,W,Comm_split,4,0-3,,,rows,0,solver+0x10",
                           "W_s1.4,W,Comm_split,4,4-7,,,rows,0,solver+0x10",
                           "W_s1.8,W,Comm_split,4,8-11,,,,1,solver+0x10",
                           "W_s2.0,W,Comm_split,4,0-9:3,,,,0,",
                           "W_s2.1,W,Comm_split,4,1-10:3,,,,0,",
                           "W_s2.2,W,Comm_split,4,2-11:3,,,,0,",
                           "W_d3,W,Comm_dup,12,0-11,,,,0,",
                           "W_d*,W,Comm_dup,3,0,,,,0,"};
  for (std::uint32_t rank = 0; rank < summed_ranks; ++rank)
    content.communicators.push_back(fmt::format("SELF_d1,SELF,Comm_dup,1,{},,,,0,", rank));
  content.peers.emplace();
  content.regions.emplace();
  for (std::uint32_t rank = 0; rank < summed_ranks; ++rank) {
    for (std::string const& communicator : communicators_of_rank(rank)) {
      int const rows = communicator == "W_d3" ? 1 : 25;
      for (int i = 0; i < rows; ++i) content.operations.push_back(random_call(random, communicator, rank));
    }
    content.peers->push_back(fmt::format("main,W,p2p,{},{},8,15,{},{},", rank, (rank + 1) % summed_ranks,
                                         1 + random() % 100, random() % 10'000'000));
    for (char const* region : {"main", "solve", "solve/halo"})
      content.regions->push_back(fmt::format("{},{},2,1.{},0.5", region, rank, random() % 1000));
  }
  content.sites = {"solver+0x10,solver,0x10,main,solver.c,12", "solver+0x20,solver,0x20,halo,solver.c,40",
                   "libblas.so+0x30,libblas.so,0x30,,,"};
  content.modules = {"solver,/bin/solver,", "libblas.so,/lib/libblas.so,"};
  add_waits(content, random);
  profile.sums = summary_rows(content.operations);
  profile.sizes = size_rows(content.operations);
  add_rank_rows(profile);
  return profile;
}

void write_table(TemporaryProfile const& files, schema::File const& table, std::vector<std::string> const& rows,
                 std::string_view header) {
  files.write(table.name, fmt::format("{}\n{}\n", header, fmt::join(rows, "\n")));
}

void write_with_sums(TemporaryProfile const& files, SummedProfile const& profile) {
  write_table(files, schema::summary, profile.sums, schema::summary.header);
  write_table(files, schema::sizes, profile.sizes, schema::sizes.header);
  write_table(files, schema::ranks, profile.rank_rows, schema::ranks.header);
}

void write_without_sums(TemporaryProfile const& files, SummedProfile const& profile) {
  for (schema::File const& table : {schema::summary, schema::sizes}) files.remove(table.name);
  std::vector<std::string> rows;
  for (std::string const& row : profile.rank_rows_before) rows.push_back(row + ",2.0,0.5,1,2,3,4");
  write_table(files, schema::ranks, rows, schema::ranks.header.substr(0, schema::ranks.header.find(",receiving_s")));
}

// The tool's output with each of these options, in all formats, as one text.
std::string shown(TemporaryProfile const& files, std::vector<std::string> const& options) {
  std::string script;
  for (std::string const& one : options) {
    for (char const* format : {"", "--csv", "--json"})
      script +=
          fmt::format("echo '{0} {1}' | tr -d \"'\"; mpisee-through {0} {1} {2}; ", one, format, files.path().string());
  }
  ToolRun const run = run_shell(script);
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
  return run.out;
}

// The lines that differ first, for a message that can be read.
void check_equal(std::string const& with, std::string const& without) {
  CHECK(with.size() > 1000);
  auto const differ = std::ranges::mismatch(with, without);
  auto const at = static_cast<std::size_t>(differ.in1 - with.begin());
  if (at == with.size() && at == without.size()) return;
  std::size_t const begin = at < 300 ? 0 : at - 300;
  CHECK(with.substr(begin, 600) == without.substr(begin, 600));
}

std::vector<std::string> const summed_views{
    "",        "--operations", "--operations --by-site", "--tree",  "--sites",          "--communicators",
    "--sizes", "--census",     "--collectives",          "--waits", "--waits --by-rank"};

// The options that summary.csv alone can answer.
std::vector<std::string> answered_selections() {
  std::vector<std::string> all;
  for (std::string const& view : summed_views) {
    all.push_back(view);
    if (view == "--census") continue;
    all.push_back(view + " --op Recv");
    all.push_back(view + " --comm W_d3");
    if (view == "--sites") continue;
    all.push_back(view + " --comm 'W_s*' --comm SELF");
  }
  for (char const* view : {"--operations", "--operations --by-site", "--sites", "--communicators", "--sizes"}) {
    for (char const* key : {"time", "calls", "volume", "name", "size", "imbalance"})
      all.push_back(fmt::format("{} --sort {} --top 40", view, key));
  }
  return all;
}

// Each case runs the tool, so a plain run of the tests tries every fifth.
std::vector<std::string> sampled(std::vector<std::string> selections) {
  if (is_long_run()) return selections;
  std::vector<std::string> some;
  for (std::size_t i = 0; i < selections.size(); i += 5) some.push_back(std::move(selections[i]));
  return some;
}

}  // namespace

TEST_CASE("sums over ranks answer as the rows of all ranks do") {
  for (unsigned const seed : {1U, 2U}) {
    if (seed > 1 && !is_long_run()) continue;
    SummedProfile const profile = summed_profile(seed);
    TemporaryProfile const files(profile.content);
    write_without_sums(files, profile);
    std::vector<std::string> const selections = sampled(answered_selections());
    std::string const from_rows = shown(files, selections), shown_whole = shown(files, std::vector<std::string>{""});
    write_with_sums(files, profile);
    // Removes the rows of all ranks, so that only the sums can answer.
    files.remove(schema::operations.name);
    check_equal(shown(files, selections), from_rows);
    // Writes the file as an older version did: with sizes only over all communicators.
    files.remove(schema::sizes.name);
    check_equal(shown(files, std::vector<std::string>{""}), shown_whole);
  }
}

TEST_CASE("the sizes on all communicators are those of sizes.csv") {
  SummedProfile profile = summed_profile(5);
  TemporaryProfile const files(profile.content);
  write_with_sums(files, profile);
  auto const size = [&] { return run_tool("--json " + files.path().string()).out; };
  std::string const before = size();
  for (std::string& row : profile.sizes) row = "Recv,0,0,1,1,0,0,0.000000001,0.000000001,0,0.000000001,0,0.0,0.0";
  write_table(files, schema::sizes, profile.sizes, schema::sizes.header);
  CHECK(size() != before);
  write_table(files, schema::sizes, {"Recv,8,7,1,1,0,0,0.1,0.1,0,0.1,0,0.1,0.1"}, schema::sizes.header);
  CHECK(run_tool(files.path().string()).err ==
        fmt::format("mpisee-through: {}:2: size_min is greater than size_max\n", files.file(schema::sizes.name)));
}

TEST_CASE("sites on some communicators, wherever a large file has those on all") {
  TemporaryProfile::Content content{.ranks = 2};
  for (int rank = 0; rank < 2; ++rank) {
    for (int i = 0; i < 6000; ++i) {
      int const ms = i == 1 ? 500 + rank : 1 + rank * (i % 7);
      content.operations.push_back(fmt::format(
          "main,W_s{},2,{},Send,8,15,10,90,0,0.{:03}000000,0.000001000,0.000003000,solver+0x10", i, rank, ms));
    }
  }
  content.sites = {"solver+0x10,solver,0x10,main,solver.c,12"};
  content.modules = {"solver,/bin/solver,"};
  TemporaryProfile const files(content);
  std::vector<std::string> const options{"--sites --comm W_s1", "--sites --comm 'W_s5*'",
                                         "--sites --comm W_s1 --comm W_s2"};
  std::string const from_rows = shown(files, options);
  std::vector<std::string> sums = summary_rows(content.operations);
  std::vector<std::string> ranks;
  for (int rank = 0; rank < 2; ++rank) ranks.push_back(fmt::format("{},node0,1,0,1,100.0,50.0,,,,,,,0.0,,,,,", rank));
  for (std::size_t const place : {sums.size() - 1, std::size_t{0}, sums.size() / 6 * 3}) {
    std::vector<std::string> rows = sums;
    std::rotate(rows.begin() + static_cast<std::ptrdiff_t>(place), rows.end() - 1, rows.end());
    write_table(files, schema::summary, rows, schema::summary.header);
    check_equal(shown(files, options), from_rows);
  }
}

TEST_CASE("selections that sums over ranks do not tell are answered from the rows of all ranks") {
  std::vector<std::string> selections;
  for (char const* selection :
       {"--rank 2-5", "--op Recv,Wait", "--kind collective", "--site solver.c:12 --op Bcast", "--site solver.c",
        "--site libblas.so+0x30 --comm W_d3", "--region solve", "--region '[*]'", "--size 8-1k"}) {
    for (std::string const& view : summed_views) {
      // regions.csv of this profile has no folded region.
      bool const has_regions = !view.empty() || selection != std::string_view("--region '[*]'");
      bool const is_known = view != "--census" && !view.starts_with("--waits") && has_regions;
      if (is_known) selections.push_back(view + " " + selection);
    }
  }
  for (char const* view : {"--ranks", "--ranks --op Recv", "--waits --rank 2-5", "--sites --comm 'W_s*' --comm SELF"})
    selections.emplace_back(view);
  selections = sampled(std::move(selections));
  SummedProfile const profile = summed_profile(3);
  TemporaryProfile const files(profile.content);
  write_without_sums(files, profile);
  std::string const from_rows = shown(files, selections);
  write_with_sums(files, profile);
  check_equal(shown(files, selections), from_rows);
}

TEST_CASE("of sums and the rows of few ranks, the tool shows what they tell and says what they do not") {
  SummedProfile profile = summed_profile(4);
  TemporaryProfile const whole(profile.content);
  write_with_sums(whole, profile);
  auto const is_kept = [](std::string const& row, std::size_t rank_column) {
    std::string const rank = fields_of_row(row)[rank_column];
    return rank == "3" || rank == "9";
  };
  TemporaryProfile::Content content = profile.content;
  std::erase_if(content.operations, [&](std::string const& row) { return !is_kept(row, 3); });
  std::erase_if(*content.peers, [&](std::string const& row) { return !is_kept(row, 3); });
  std::erase_if(*content.regions, [&](std::string const& row) { return !is_kept(row, 1); });
  std::erase_if(*content.waits_by_rank, [&](std::string const& row) { return !is_kept(row, 2); });
  content.more_of_run =
      ",\"detail\": \"summary\", \"detailed_ranks\": [3, 9], \"messages\": {\"p2p\": {\"messages\": 90, \"bytes\": "
      "4000}, "
      "\"rma\": {\"messages\": 0, \"bytes\": 0}, \"internal\": {\"messages\": 9, \"bytes\": 1000}, "
      "\"busiest\": {\"src\": 7, \"dst\": 8, \"messages\": 30, \"bytes\": 2000, \"others\": 2}}";
  TemporaryProfile const files(content);
  write_with_sums(files, profile);

  auto const told = [](TemporaryProfile const& of, std::string const& options) {
    ToolRun const run = run_tool(options + " " + of.path().string());
    CHECK(run.err == "");
    return run.out;
  };
  for (char const* view : {"--operations --csv", "--operations --by-site --csv", "--tree --csv", "--sites --csv",
                           "--communicators --csv", "--sizes --csv", "--collectives --csv", "--waits --csv",
                           "--operations --csv --rank 3", "--ranks --csv --rank 3,9",
                           "--operations --csv --region solve "
                           "--rank 9"})
    CHECK(told(files, view) == told(whole, view));

  std::string const page = told(files, "");
  CHECK(contains(page,
                 "\nDetail     sums over ranks, and the rows of 2 of them (COMMPROF_DETAIL=summary): times of "
                 "regions and pairs of ranks are not known\n"));
  CHECK(contains(page, "\nTop call "));
  CHECK(contains(page,
                 "\nTop pair     rank 7 to rank 8: 40.0 % of the 4.883 KiB of all messages; 2 more pairs have as "
                 "much.\n"));
  CHECK_FALSE(contains(told(files, "--comm W"), "\nTop pair "));
  CHECK_FALSE(contains(page, "\n  solve"));
  CHECK(contains(told(whole, ""), "\nTop pair "));
  for (auto const& [options, needs] :
       {std::pair("--ranks", "--ranks"), std::pair("--matrix", "--matrix without --by-host"),
        std::pair("--matrix --by-host --comm W", "a part of --by-host"), std::pair("--regions", "--regions"),
        std::pair("--operations --rank 3-4", "--rank"), std::pair("--region solve", "--region"),
        std::pair("--sizes --size 8-", "--size"), std::pair("--waits --by-rank", "--by-rank")}) {
    check_refused(run_tool(options + (" " + files.path().string())), 1,
                  fmt::format("mpisee-through: {}: holds sums over ranks, and the rows of 2 of 12 ranks "
                              "(COMMPROF_DETAIL=summary): {} needs the rows of all",
                              files.path().string(), needs));
  }
}

TEST_CASE("a profile of sums with the rows of all ranks has what one of rows has") {
  TemporaryProfile const files(
      {.peers = {{"main,W,p2p,0,1,8,15,1,8,"}}, .more_of_run = ",\"detail\": \"summary\", \"detailed_ranks\": [0, 1]"});
  for (char const* view : {"--matrix", "--ranks"}) CHECK(run_tool(view + (" " + files.path().string())).exit_code == 0);
  CHECK_FALSE(contains(run_tool(files.path().string()).out, "Detail"));
}

TEST_CASE("of sums and the rows of few ranks, messages are told by host") {
  TemporaryProfile::Content content{.ranks = 4, .peers = std::vector<std::string>{}};
  content.more_of_run = ",\"detail\": \"summary\", \"detailed_ranks\": [0]";
  TemporaryProfile const files(content);
  std::vector<std::string> ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks.push_back(fmt::format("{},node{},1,0,1,10.0,2.0,,,,,,,,,,,,,,,", rank, rank / 2));
  write_table(files, schema::ranks, ranks, schema::ranks.header);
  write_table(
      files, schema::host_pairs,
      {"p2p,node0,node0,3,300", "p2p,node0,node1,2,200", "p2p,node1,,1,50", "p2p,*,*,4,400", "rma,node0,node1,1,1000"},
      schema::host_pairs.header);
  auto const told = [&](std::string const& options) {
    ToolRun const run = run_tool("--matrix --by-host " + options + " " + files.path().string());
    CHECK(run.err == "");
    return run.out;
  };
  std::string const page = told("");
  CHECK(contains(page, "\nMessages   11 with 1.904 KiB, between 3 pairs of hosts\n"));
  CHECK(contains(page, "\nIn a host  15.4 % of the bytes, 27.3 % of the messages\n"));
  CHECK(contains(page, "\nNot told   4 with 400 B, for whose hosts there was no room\n"));
  CHECK(contains(page, "\n  node0  300 B  1.172 KiB      -  1.465 KiB\n"));
  CHECK(told("--csv") == "src_host,dst_host,messages,bytes\nnode0,node0,3,300\nnode0,node1,3,1200\nnode1,,1,50\n");
  CHECK(told("--csv --class rma") == "src_host,dst_host,messages,bytes\nnode0,node1,1,1000\n");
  CHECK(contains(told("--json"), R"("of_unknown_hosts":{"messages":4,"bytes":400})"));
  check_refused(run_tool("--matrix --by-host --sizes " + files.path().string()), 1,
                fmt::format("mpisee-through: {}: holds sums over ranks, and the rows of 1 of 4 ranks "
                            "(COMMPROF_DETAIL=summary): a part of --by-host needs the rows of all",
                            files.path().string()));
  write_table(files, schema::host_pairs, {"p2p,node0,node7,3,300"}, schema::host_pairs.header);
  check_refused(run_tool("--matrix --by-host " + files.path().string()), 1,
                fmt::format("mpisee-through: {}:2: \"node7\" is a host of no rank", files.file("host_pairs.csv")));
}

TEST_CASE("the rows of all ranks tell the same by host") {
  TemporaryProfile::Content content{.ranks = 4};
  content.peers = {"main,W,p2p,0,1,8,15,3,300,", "main,W,p2p,0,2,8,15,2,200,", "main,W,p2p,1,3,16,31,5,70,",
                   "main,W,rma,3,-1,8,15,1,9,"};
  TemporaryProfile const files(content);
  std::vector<std::string> ranks;
  for (int rank = 0; rank < 4; ++rank)
    ranks.push_back(fmt::format("{},node{},1,0,1,10.0,2.0,,,,,,,,,,,,,,,", rank, rank / 2));
  write_table(files, schema::ranks, ranks, schema::ranks.header);
  auto const told = [&](std::string const& options) {
    return run_tool("--matrix --by-host --csv " + options + " " + files.path().string()).out;
  };
  CHECK(told("") == "src_host,dst_host,messages,bytes\nnode0,node0,3,300\nnode0,node1,7,270\nnode1,,1,9\n");
  CHECK(told("--sizes --class p2p") ==
        "src_host,dst_host,size_min,size_max,messages,bytes\nnode0,node0,8,15,3,300\nnode0,node1,8,15,2,200\n"
        "node0,node1,16,31,5,70\n");
}

TEST_CASE("of sums and the rows of few ranks, another placement is proposed") {
  TemporaryProfile::Content content{.ranks = 4, .peers = std::vector<std::string>{}};
  for (int rank = 0; rank < 4; ++rank)
    content.operations.push_back(
        fmt::format("main,W,4,{},Send,8,15,1000,9000,0,2.000000000,0.001000000,0.003000000,", rank));
  content.sites.emplace();
  auto const finding = [&](std::string const& across) {
    content.more_of_run =
        ",\"detail\": \"summary\", \"detailed_ranks\": [0], \"messages\": {\"p2p\": {\"messages\": 900, "
        "\"bytes\": 4194304}, \"rma\": {}, \"internal\": {}, \"across_hosts\": " +
        across + "}";
    TemporaryProfile const files(content);
    std::vector<std::string> ranks;
    for (int rank = 0; rank < 4; ++rank)
      ranks.push_back(fmt::format("{},node{},1,0,1,10.0,2.000000000,,,,,,,2.000000000,,,,,,,,", rank, rank % 2));
    write_table(files, schema::ranks, ranks, schema::ranks.header);
    write_table(files, schema::summary, summary_rows(content.operations), schema::summary.header);
    return run_tool("--json " + files.path().string()).out;
  };
  std::string const found = finding(R"({"as_placed": 3145728, "in_blocks": 1048576, "in_turn": 3145728})");
  CHECK(contains(found, R"("finding":"mapping")"));
  CHECK(contains(found,
                 "75.0 % of the bytes of messages (3.000 MiB of 4.000 MiB) cross hosts; with consecutive ranks on each "
                 "host, 25.0 % of them would."));
  CHECK_FALSE(contains(finding(R"({"as_placed": 3145728, "in_blocks": 3145728, "in_turn": 3145728})"), "mapping"));
  CHECK_FALSE(contains(finding(R"({"as_placed": 1000000, "in_blocks": 0, "in_turn": 0})"), "mapping"));
}
