#include "profile/placements.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/process.hpp"

using namespace commprof;

namespace {

using Hosts = std::vector<int>;  // of each rank, numbered by their first ranks

HostRanks& take(HostRanks& all, Hosts const& hosts) {
  for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
    HostRanks one;
    one.take("node" + std::to_string(hosts[static_cast<std::size_t>(rank)]), rank);
    all.append(one);
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
  check_placements({0, 1, 2, 0, 1, 2});
  check_placements({0, 0, 0, 0, 1, 1, 1, 1});
  check_placements({0, 0, 0, 1, 2, 2, 2, 2, 2});
  check_placements({0, 1, 1, 1, 1, 2, 2});
  std::mt19937 random(5);
  for (int run = 0; run < 20; ++run) {
    std::vector<int> rooms(1 + random() % 9);
    for (int& room : rooms) room = static_cast<int>(1 + random() % 12);
    check_placements(in_blocks(rooms));
    check_placements(in_turn(rooms, in_blocks(rooms).size()));
  }
}

TEST_CASE("bytes between hosts are those of the program's messages to other ranks of this world") {
  // Ranks 0 and 2 are on one host, 1 and 3 on another.
  HostRanks hosts;
  take(hosts, {0, 1, 0, 1});
  Placements const others(hosts);
  auto const message = [](MessageClass message_class, int to, std::uint64_t bytes) {
    auto const rank = static_cast<WorldRank>(to);
    return PeerRecord{.key = RecordKey::of(CommIndex::world, ScopeIndex::main, no_op, size_bin(bytes)),
                      .peer = Peer::in_world(rank, message_class),
                      .world_rank = rank,
                      .messages = 1,
                      .bytes = bytes};
  };
  std::vector<PeerRecord> const sent{message(MessageClass::p2p, 1, 1),         message(MessageClass::p2p, 2, 10),
                                     message(MessageClass::rma, 3, 100),       message(MessageClass::p2p, -1, 20),
                                     message(MessageClass::internal, 1, 1000), message(MessageClass::p2p, 0, 40)};
  Registry const registry;
  Process const process(0, 4, "node0", registry, {}, sent);
  BytesAcross bytes = bytes_across(process.rows, hosts, others);
  CHECK(bytes.as_placed == 101);
  CHECK(bytes.in_blocks == 110);
  CHECK(bytes.in_turn == 101);
  bytes.add(bytes);
  CHECK(bytes.in_blocks == 220);
}
