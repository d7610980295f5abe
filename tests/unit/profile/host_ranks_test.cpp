#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "profile/messages.hpp"

using namespace commprof;

namespace {

using HostOf = std::function<int(int rank)>;

NameHash name_of_host(int host) { return name_hash("node" + std::to_string(host)); }

// Joins ranges as processes do: a subtree appends those of its children, one after the other.
std::unique_ptr<HostRanks> joined(HostOf const& host_of, int first, int ranks, int all) {
  auto hosts = std::make_unique<HostRanks>();
  hosts->take(name_of_host(host_of(first)), first);
  for (int step = 1; step < ranks && first + step < all; step *= 2)
    hosts->add(*joined(host_of, first + step, step, all));
  return hosts;
}

std::unique_ptr<HostRanks> joined(HostOf const& host_of, int ranks) {
  int power = 1;
  while (power < ranks) power *= 2;
  return joined(host_of, 0, power, ranks);
}

std::size_t ranges_in(HostRanks& hosts) {
  std::size_t ranges = 0;
  hosts.visit([&](auto& part) {
    if constexpr (requires { part.size(); }) ranges += part.size();
  });
  return ranges;
}

void check_hosts(HostOf const& host_of, int ranks, std::size_t most_ranges) {
  auto const hosts = joined(host_of, ranks);
  CHECK(ranges_in(*hosts) <= most_ranges);
  hosts->order_by_rank();
  int wrong = 0;
  for (int rank = 0; rank < ranks; ++rank)
    if (hosts->host_of(rank) != name_of_host(host_of(rank))) ++wrong;
  CHECK(wrong == 0);
  CHECK(hosts->host_of(ranks) == NameHash::several);
}

}  // namespace

TEST_CASE("of ranks in blocks and in turn, each host has one range") {
  for (int const ranks : {1, 2, 7, 64, 100, 1000}) {
    for (int const hosts : {1, 2, 7}) {
      auto const as_many = static_cast<std::size_t>(hosts);
      check_hosts([=](int rank) { return rank * hosts / ranks; }, ranks, as_many);
      check_hosts([=](int rank) { return rank % hosts; }, ranks, as_many);
    }
  }
}

TEST_CASE("ranks without a pattern are found, too") {
  std::mt19937 random(1);
  for (int const hosts : {2, 5, 40}) {
    std::vector<int> host_of(997);
    for (int& host : host_of) host = static_cast<int>(random() % static_cast<unsigned>(hosts));
    check_hosts([&](int rank) { return host_of[static_cast<std::size_t>(rank)]; }, 997, 997);
  }
  check_hosts([](int rank) { return rank / 3 % 4; }, 1000, 400);
}

TEST_CASE("beyond the most ranges, hosts are unknown") {
  HostRanks hosts;
  auto const most = static_cast<int>(HostRanks::most_ranges);
  for (int rank = 0; rank < most; ++rank) hosts.take(name_hash("node0"), rank);
  hosts.take(name_hash("node1"), most);
  CHECK(ranges_in(hosts) == HostRanks::most_ranges);
  REQUIRE(hosts.order_by_rank());
  CHECK(hosts.host_of(most - 1) == name_hash("node0"));
  CHECK(hosts.host_of(most) == NameHash::several);
}
