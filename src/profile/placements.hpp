// Computes the hosts of ranks under other placements, in which each host keeps its number of ranks.
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
  // hosts: must be whole, and ordered by rank.
  explicit Placements(HostRanks const& hosts);

  // False if memory was used up.
  bool is_whole() const { return is_whole_; }
  // The rank's host if each host has consecutive ranks.
  std::int32_t host_in_blocks(std::int32_t rank) const;
  // The rank's host if ranks are dealt to the hosts in turn, skipping full hosts.
  std::int32_t host_in_turn(std::int32_t rank) const;

 private:
  std::int64_t dealt_before(std::int32_t round) const;

  template <class T>
  void push(PageVector<T>& all, T const& one) {
    if (!all.push_back(one)) is_whole_ = false;
  }

  PageVector<std::int32_t> rooms_;   // ranks of each host
  PageVector<std::int32_t> starts_;  // first rank of each host's block
  PageVector<std::int32_t> sorted_rooms_;
  PageVector<std::int64_t> room_before_;  // prefix sums of the sorted rooms
  bool is_whole_ = true;
};

// The bytes of one process's messages between hosts, under the present and the other placements.
BytesAcross bytes_across(RowContext const& context, HostRanks const& hosts, Placements const& others);

}  // namespace commprof
