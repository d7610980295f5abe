// The host of each rank: for each host its ranks, as ranges with a stride.
//
// Launchers place ranks in blocks or in turn, so a host has one range and the collection stays small. Each process
// starts with its own rank; collections of adjacent ranks are then merged two by two.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/memory.hpp"
#include "profile/summed_names.hpp"

namespace commprof {

class HostRanks {
 public:
  // Ranks without a pattern need one range each; this limits the memory.
  static constexpr std::size_t most_ranges = std::size_t{64} * 1024;

  void take(std::string_view host, std::int32_t rank);
  // Appends a collection of higher ranks.
  void append(HostRanks const& later);
  // False if the hosts of some ranks are unknown, for lack of memory or because of too many ranges.
  bool is_whole() const { return is_whole_; }
  void lose_some() { is_whole_ = false; }

  // Must be called before the first host_of().
  void order_by_rank();
  // The host of the rank; NameHash::several if unknown.
  NameHash host_of(std::int32_t rank) const;

  // Calls visit(host, first rank, number of ranks).
  template <class Visitor>
  void for_each_range(Visitor&& visit) const {
    for (Range const& range : ranges_) visit(range.host, range.first, range.count);
  }
  SummedNames const& names() const { return names_; }

  // Visits the ranges only, to send or receive them.
  template <class Visitor>
  void visit_ranges(Visitor&& visitor) {
    visitor(ranges_);
    visitor(is_whole_);
  }
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visit_ranges(visitor);
    names_.visit(visitor);
  }

 private:
  struct Range {
    NameHash host{};
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int32_t stride = 1;

    std::int32_t last() const { return first + (count - 1) * stride; }
    bool contains(std::int32_t rank) const { return rank >= first && rank <= last() && (rank - first) % stride == 0; }
    bool join(Range const& later);
  };

  void push(Range const& range);

  PageVector<Range> ranges_;  // by host, then by first rank; after order_by_rank(): by stride, remainder, first rank
  PageVector<std::int32_t> strides_;
  SummedNames names_;
  bool is_whole_ = true;
};

}  // namespace commprof
