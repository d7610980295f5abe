// Properties of every profile: sums over any grouping are equal, and selections that divide a profile divide its sums.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "summary/regions.hpp"
#include "summary/traffic.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

constexpr std::uint32_t ranks = 6;
constexpr std::array operations{"Send", "Recv", "Allreduce", "Test-none", "Comm_dup", "Put", "File_write", "Pcontrol"};
constexpr std::array communicators{"W", "SELF", "W_d1", "W_s2.0"};
constexpr std::array regions{"main", "solve", "solve/halo"};

// Times are multiples of 2^-10 s: their sums are exact in any order.
TemporaryProfile::Content random_profile(unsigned seed) {
  std::mt19937 random(seed);
  auto const pick = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  TemporaryProfile::Content content{.ranks = ranks,
                                    .communicators = {"W_d1,W,Comm_dup,6,0-5,,,,1", "W_s2.0,W,Comm_split,3,0-4:2,,,,0"},
                                    .peers = std::vector<std::string>(),
                                    .regions = std::vector<std::string>()};
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (char const* region : regions)
      content.regions->push_back(fmt::format("{},{},1,{},{}", region, rank, 2 + pick(3), pick(2)));
    for (int row = 0; row < 40; ++row) {
      unsigned const power = pick(20);
      unsigned const min = power == 0 ? 0 : 1U << (power - 1);
      unsigned const max = power == 0 ? 0 : (1U << power) - 1;
      content.operations.push_back(fmt::format("{},{},6,{},{},{},{},{},{},{},{},0.0009765625,0.5", regions[pick(3)],
                                               communicators[pick(4)], rank, operations[pick(8)], min, max, 1 + pick(9),
                                               pick(1000), pick(1000), (1 + pick(4096)) / 1024.0));
      content.peers->push_back(fmt::format("{},{},p2p,{},{},{},{},{},{},", regions[pick(3)], communicators[pick(4)],
                                           rank, pick(ranks), min, max, 1 + pick(9), pick(1000)));
    }
  }
  return content;
}

// In a form that a failing test can print.
std::vector<double> numbers(Totals const& totals) {
  return {static_cast<double>(totals.calls), static_cast<double>(totals.bytes_sent),
          static_cast<double>(totals.bytes_received), totals.time_s};
}

template <class Parts>
Totals sum_over(Parts const& parts) {
  Totals sum;
  for (auto const& one : parts) sum += one.totals;
  return sum;
}
Totals by_operation(Summary const& summary) {
  Totals sum;
  for (CommunicatorSummary const& one : summary.communicators) sum += sum_over(one.operations);
  return sum;
}
Totals by_size_within_operation(Summary const& summary) {
  Totals sum;
  for (CommunicatorSummary const& one : summary.communicators) {
    for (OperationSummary const& operation : one.operations) sum += sum_over(operation.sizes);
  }
  return sum;
}

Totals sum_of(TemporaryProfile const& files, Selection const& selection) {
  return sum_over(files.summarise(selection).communicators);
}
Totals sum_of(TemporaryProfile const& files, std::vector<Selection> const& parts) {
  Totals sum;
  for (Selection const& part : parts) sum += sum_of(files, part);
  return sum;
}

}  // namespace

TEST_CASE("sums over any grouping are equal") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    TemporaryProfile const files(random_profile(seed));
    Summary const summary = files.summarise();
    Totals const all = sum_over(summary.communicators);
    CHECK(all.calls > 0);
    CHECK(all.time_s == summary.operations_s);
    CHECK(numbers(by_operation(summary)) == numbers(all));
    CHECK(numbers(sum_over(summary.ranks)) == numbers(all));
    CHECK(numbers(by_operation(files.summarise({}, Detail::message_sizes))) == numbers(all));
    CHECK(numbers(by_size_within_operation(files.summarise({}, Detail::operations_and_sizes))) == numbers(all));
  }
}

TEST_CASE("selections that divide a profile divide its sums") {
  for (unsigned seed = 11; seed <= 15; ++seed) {
    TemporaryProfile const files(random_profile(seed));
    Totals const all = sum_of(files, Selection{});
    std::vector<Selection> parts;
    auto const check = [&] {
      CHECK(numbers(sum_of(files, parts)) == numbers(all));
      parts.clear();
    };
    for (char const* one : communicators) parts.push_back({.communicators = {one}});
    check();
    for (char const* one : operations) parts.push_back({.operations = {one}});
    check();
    for (char const* one : regions) parts.push_back({.regions = {one}});
    check();
    for (auto const& [kind, name] : operation_kinds.rows) parts.push_back({.kinds = {kind}});
    check();
    for (char const* list : {"0-1", "2,4", "3-5:2"}) parts.push_back({.ranks = RankSet::parse(list)});
    check();
    for (char const* range : {"0", "1-1000", "1001-65536", "65537-"})
      parts.push_back({.sizes = SizeRange::parse(range)});
    check();
  }
}

TEST_CASE("ranges of sizes that divide all sizes divide the messages") {
  TemporaryProfile const files(random_profile(21));
  Profile const profile(files.path());
  Amount sum;
  for (char const* range : {"0-7", "8-4k", "4097-"}) {
    sum += add_up_traffic(profile, {.sizes = SizeRange::parse(range)}, Detail::operations).total;
  }
  CHECK(sum == add_up_traffic(profile, {}, Detail::operations).total);
}

TEST_CASE("regions of a rank add up, and so do their efficiencies' ranks") {
  TemporaryProfile const files(random_profile(31));
  Regions const all = add_up_regions(Profile(files.path()), {});
  double wall_s = 0;
  for (RegionSummary const& region : all.regions) {
    wall_s += region.exclusive.wall_s;
    for (RegionTotals const& totals : {region.exclusive, region.inclusive}) {
      CHECK(totals.efficiency.ranks() == ranks);
      CHECK(*totals.efficiency.parallel() <= 1);
    }
  }
  double parts_s = 0;
  for (char const* list : {"0-2", "3-5"}) {
    for (RegionSummary const& region : add_up_regions(Profile(files.path()), {.ranks = RankSet::parse(list)}).regions) {
      parts_s += region.exclusive.wall_s;
    }
  }
  CHECK(parts_s == wall_s);
}
