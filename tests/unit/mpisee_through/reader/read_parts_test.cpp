#include "reader/read_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/csv_parts.hpp"
#include "summary/collective_messages.hpp"
#include "summary/regions.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Enough rows for several parts: each rank has 50 to 99 rows.
constexpr std::uint32_t ranks_of_large = 600;

std::vector<std::string> large_operations() {
  std::vector<std::string> rows;
  for (std::uint32_t rank = 0; rank < ranks_of_large; ++rank) {
    for (std::uint32_t i = 0; i < 50 + rank % 50; ++i) {
      rows.push_back(fmt::format("main,W,{},{},Send,{},{},{},8,0,0.{:09},0.000000001,0.000000002", ranks_of_large, rank,
                                 i, i, 1 + rank % 7, 1000 * rank + i));
    }
  }
  return rows;
}

TemporaryProfile large_profile(std::vector<std::string> const& rows) {
  return TemporaryProfile({.ranks = ranks_of_large, .operations = rows});
}

std::string what_of(TemporaryProfile const& files) {
  std::string const problem = files.problem();
  return problem.substr(problem.find(':') + 1);
}

// The contents of a row as a reader gets it.
std::vector<std::string> seen(OperationRows& rows) {
  std::vector<std::string> all;
  while (OperationRow const* row = rows.next()) {
    all.push_back(fmt::format("{} {} {} {}", static_cast<std::uint32_t>(row->rank), row->size.min_bytes, row->calls,
                              static_cast<double>(row->time_s)));
  }
  return all;
}

std::string rank_of_seen(std::string const& row) { return row.substr(0, row.find(' ')); }

}  // namespace

TEST_CASE("a large table is read in parts, each row once and each rank in one part") {
  TemporaryProfile const files = large_profile(large_operations());
  Profile const profile(files.path());
  OperationRows whole(profile);
  std::vector<std::string> const expected = seen(whole);
  auto const parts = read_in_parts<OperationRows>(profile, seen);
  CHECK((parts.size() > 1) == (threads_at_once() > 1));
  std::vector<std::string> all;
  for (auto const& part : parts) {
    REQUIRE_FALSE(part.empty());
    if (!all.empty()) CHECK(rank_of_seen(all.back()) != rank_of_seen(part.front()));
    all.insert(all.end(), part.begin(), part.end());
  }
  CHECK(all == expected);
}

TEST_CASE("the sums of parts are those of the whole") {
  std::vector<std::string> const rows = large_operations();
  TemporaryProfile const files = large_profile(rows);
  Summary const summary = files.summarise({}, Detail::message_sizes);
  CommunicatorSummary const& world = summary.communicators.at(0);
  CHECK(world.operations.size() == 99);  // sizes
  CHECK(world.totals.bytes_sent == 8 * rows.size());
  CHECK(world.ranks == ranks_of_large);
  CHECK(world.spread.ranks() == ranks_of_large);
  // Size 0: a row of each rank, of 1000 ns times its number.
  CHECK(world.operations[0].spread.max().rank == WorldRank{ranks_of_large - 1});
  CHECK(world.operations[0].spread.max_s() == 0.000599);
  CHECK(static_cast<double>(world.operations[0].totals.time_s) == 0.1797);
}

TEST_CASE("regions are summed in parts, and each part notes which patterns match") {
  std::vector<std::string> rows;
  for (std::uint32_t rank = 0; rank < ranks_of_large; ++rank)
    for (int region = 0; region < 100; ++region)
      rows.push_back(fmt::format("solve/region {:02},{},{},0.000000001,0.000000000", region, rank, 1 + rank % 7));
  rows.push_back(fmt::format("late,{},1,0.5,0.25", ranks_of_large - 1));
  TemporaryProfile const files({.ranks = ranks_of_large, .regions = rows});
  Profile const profile(files.path());
  Regions const all = add_up_regions(profile, {});
  REQUIRE(all.regions.size() == 102);  // with "solve" itself
  auto const of_path = [&](std::string_view path) {
    return *std::ranges::find(all.regions, path, &RegionSummary::path);
  };
  CHECK(of_path("late").exclusive.wall_s == 0.5);
  CHECK(of_path("solve/region 42").exclusive.ranks == ranks_of_large);
  CHECK(of_path("solve/region 42").exclusive.entered == 2395);
  CHECK(of_path("solve").inclusive.ranks == ranks_of_large);
  CHECK(add_up_regions(profile, {.regions = {"late"}}).regions.size() == 1);
  CHECK_THROWS_AS(add_up_regions(profile, {.regions = {"later"}}), SelectionError);
}

TEST_CASE("messages of collectives are estimated from all parts") {
  std::vector<std::string> rows;
  for (std::uint32_t rank = 0; rank < ranks_of_large; ++rank)
    for (int region = 0; region < 50; ++region)
      rows.push_back(fmt::format("region {:02},W,{},{},Bcast,{},{},2,0,{},0.000000001,0.000000000,0.000000001", region,
                                 ranks_of_large, rank, rank == 0 ? 0 : 8, rank == 0 ? 0 : 15, rank == 0 ? 0 : 16));
  TemporaryProfile const files({.ranks = ranks_of_large, .operations = rows});
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;  // messages and bytes
  estimate_collective_messages(Profile(files.path()), [&](PeerRow const& row) {
    CHECK(row.from == WorldRank{0});
    auto& [messages, bytes] = found[std::string(row.region)];
    messages += row.messages;
    bytes += row.bytes;
  });
  CHECK(found.size() == 50);
  for (auto const& [region, amount] : found)
    CHECK(amount == std::pair<std::uint64_t, std::uint64_t>(2 * (ranks_of_large - 1), 16 * (ranks_of_large - 1)));
}

TEST_CASE("errors in parts name the line in the file, of several the first") {
  std::vector<std::string> rows = large_operations();
  std::size_t const first = rows.size() / 3, second = rows.size() * 2 / 3;
  rows[first] += ",9";
  rows[second] += ",9";
  CHECK(what_of(large_profile(rows)) == fmt::format("{}: more fields than the header has columns", first + 2));
}

TEST_CASE("rows out of order are noticed in any part") {
  for (std::size_t const eighth : {1U, 3U, 4U, 6U, 7U}) {
    std::vector<std::string> rows = large_operations();
    std::size_t const place = rows.size() * eighth / 8;
    rows[place] = rows[100];
    CHECK(what_of(large_profile(rows)).starts_with(fmt::format("{}: rank 1 after rank ", place + 2)));
  }
}

TEST_CASE("the rows of all parts are counted") {
  std::size_t const count = large_operations().size();
  std::string const counted = fmt::format("{{\"rows\": {}}}", count);
  TemporaryProfile const files = large_profile(large_operations());
  files.replace("run.json", counted, fmt::format("{{\"rows\": {}}}", count + 1));
  CHECK(what_of(files) == fmt::format("{}: cut off after {} of {} rows", count + 1, count, count + 1));
  files.replace("run.json", fmt::format("{{\"rows\": {}}}", count + 1), fmt::format("{{\"rows\": {}}}", count - 1));
  CHECK(what_of(files) == fmt::format("{}: more rows than the {} that run.json counts", count + 1, count - 1));
}
