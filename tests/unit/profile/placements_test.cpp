#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "profile/messages.hpp"
#include "support/process.hpp"

using namespace commprof;

namespace {

using Hosts = std::vector<int>;  // of each rank, numbered by their first ranks

HostRanks& take(HostRanks& all, Hosts const& hosts) {
  for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
    HostRanks one;
    one.take(name_hash("node" + std::to_string(hosts[static_cast<std::size_t>(rank)])), rank);
    all.add(one);
  }
  all.order_by_rank();
  return all;
}

std::vector<int> rooms_of(Hosts const& hosts) {
  std::vector<int> rooms;
  for (int const host : hosts) {
    rooms.resize(std::max(rooms.size(), static_cast<std::size_t>(host) + 1));
    ++rooms[static_cast<std::size_t>(host)];
  }
  return rooms;
}

Hosts in_blocks(std::vector<int> const& rooms) {
  Hosts hosts;
  for (int host = 0; host < static_cast<int>(rooms.size()); ++host)
    hosts.insert(hosts.end(), static_cast<std::size_t>(rooms[static_cast<std::size_t>(host)]), host);
  return hosts;
}

Hosts in_turn(std::vector<int> rooms, std::size_t ranks) {
  Hosts hosts;
  for (std::size_t host = 0; hosts.size() < ranks; host = (host + 1) % rooms.size())
    if (rooms[host]-- > 0) hosts.push_back(static_cast<int>(host));
  return hosts;
}

void check_placements(Hosts const& hosts) {
  HostRanks all;
  Placements const placements(take(all, hosts));
  CHECK(placements.is_whole());
  Hosts blocks, turn;
  for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
    blocks.push_back(placements.host_in_blocks(rank));
    turn.push_back(placements.host_in_turn(rank));
  }
  CHECK(blocks == in_blocks(rooms_of(hosts)));
  CHECK(turn == in_turn(rooms_of(hosts), hosts.size()));
}

}  // namespace

TEST_CASE("other placements keep the room of each host") {
  check_placements({0});
  std::mt19937 random(5);
  for (int run = 0; run < 20; ++run) {
    std::vector<int> rooms(1 + random() % 9);
    for (int& room : rooms) room = static_cast<int>(1 + random() % 12);
    check_placements(in_blocks(rooms));
    check_placements(in_turn(rooms, in_blocks(rooms).size()));
  }
}
