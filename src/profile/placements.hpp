// Where ranks would run if they were placed otherwise, on hosts that keep their numbers of ranks.
#pragma once

#include <cstdint>

#include "base/memory.hpp"
#include "profile/host_ranks.hpp"
#include "profile/message_totals.hpp"

namespace commprof {

struct RowContext;

// Hosts are numbered in the order of their first ranks.
class Placements {
 public:
  // hosts: whole, and ordered by rank.
  explicit Placements(HostRanks const& hosts);

  // False if memory was used up.
  bool is_whole() const { return is_whole_; }
  // Each host has ranks that follow each other.
  std::int32_t host_in_blocks(std::int32_t rank) const;
  // Ranks are dealt to the hosts in turn, as long as a host has room.
  std::int32_t host_in_turn(std::int32_t rank) const;

 private:
  std::int64_t dealt_before(std::int32_t round) const;

  template <class T>
  void push(PageVector<T>& all, T const& one) {
    if (!all.push_back(one)) is_whole_ = false;
  }

  PageVector<std::int32_t> rooms_;   // of each host
  PageVector<std::int32_t> starts_;  // of its block
  PageVector<std::int32_t> sorted_rooms_;
  PageVector<std::int64_t> room_before_;  // sums of the sorted rooms before
  bool is_whole_ = true;
};

// The bytes that one process's messages move, or would move, between hosts.
BytesAcross bytes_across(RowContext const& context, HostRanks const& hosts, Placements const& others);

}  // namespace commprof
