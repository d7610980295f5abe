#include "profile/placements.hpp"

#include <algorithm>

#include "profile/rows.hpp"

namespace commprof {

Placements::Placements(HostRanks const& hosts) {
  struct Host {
    NameHash name;
    std::int32_t first;
    std::int32_t room;
  };
  PageVector<Host> all;
  hosts.for_each_range([&](NameHash name, std::int32_t first, std::int32_t count) { push(all, {name, first, count}); });
  std::sort(all.begin(), all.end(),
            [](Host const& a, Host const& b) { return a.name < b.name || (a.name == b.name && a.first < b.first); });
  std::size_t size = 0;
  Host* const first = all.begin();
  for (Host const& one : all) {
    if (size > 0 && first[size - 1].name == one.name) first[size - 1].room += one.room;
    else first[size++] = one;
  }
  all.resize(size);
  std::sort(all.begin(), all.end(), [](Host const& a, Host const& b) { return a.first < b.first; });
  std::int32_t start = 0;
  for (Host const& one : all) {
    push(rooms_, one.room);
    push(sorted_rooms_, one.room);
    push(starts_, start);
    start += one.room;
  }
  std::sort(sorted_rooms_.begin(), sorted_rooms_.end());
  std::int64_t sum = 0;
  for (std::int32_t const room : sorted_rooms_) {
    push(room_before_, sum);
    sum += room;
  }
}

std::int32_t Placements::host_in_blocks(std::int32_t rank) const {
  return static_cast<std::int32_t>(std::upper_bound(starts_.begin(), starts_.end(), rank) - starts_.begin()) - 1;
}

// The number of ranks dealt in the rounds before this one.
std::int64_t Placements::dealt_before(std::int32_t round) const {
  auto const full = std::lower_bound(sorted_rooms_.begin(), sorted_rooms_.end(), round) - sorted_rooms_.begin();
  auto const hosts = static_cast<std::ptrdiff_t>(sorted_rooms_.size());
  std::int64_t const in_full =
      full == hosts ? room_before_.end()[-1] + sorted_rooms_.end()[-1] : room_before_.begin()[full];
  return in_full + std::int64_t{round} * (hosts - full);
}

std::int32_t Placements::host_in_turn(std::int32_t rank) const {
  std::int32_t round = 0;  // the last round that begins with this rank or a lower one
  for (std::int32_t rounds = sorted_rooms_.end()[-1]; rounds > 1;) {
    std::int32_t const half = rounds / 2;
    if (dealt_before(round + half) <= rank) {
      round += half;
      rounds -= half;
    } else {
      rounds = half;
    }
  }
  auto place = static_cast<std::int32_t>(rank - dealt_before(round));
  if (round < *sorted_rooms_.begin()) return place;  // all hosts still have room
  std::int32_t host = 0;
  for (; rooms_.begin()[host] <= round || place-- > 0; ++host) continue;
  return host;
}

BytesAcross bytes_across(RowContext const& context, HostRanks const& hosts, Placements const& others) {
  BytesAcross bytes;
  std::int32_t const here = context.facts.rank;
  NameHash const host = hosts.host_of(here);
  std::int32_t const in_blocks = others.host_in_blocks(here), in_turn = others.host_in_turn(here);
  for (PeerRecord const& peer : context.peers) {
    auto const there = static_cast<std::int32_t>(peer.world_rank);
    if (there < 0 || peer.peer.message_class() >= MessageClass::internal) continue;
    if (hosts.host_of(there) != host) bytes.as_placed += peer.bytes;
    if (others.host_in_blocks(there) != in_blocks) bytes.in_blocks += peer.bytes;
    if (others.host_in_turn(there) != in_turn) bytes.in_turn += peer.bytes;
  }
  return bytes;
}

}  // namespace commprof
