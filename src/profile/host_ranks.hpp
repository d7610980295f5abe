// Which host each rank runs on: for each host its ranks, as ranges with stride.
//
// Ranks are placed on hosts in blocks or in turn, so a host has one range, and all hosts together have few. Each
// process begins with its own rank, and two collections of adjacent ranks make one.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/memory.hpp"
#include "profile/summed_names.hpp"

namespace commprof {

class HostRanks {
 public:
  // Ranks without a pattern would take as many ranges.
  static constexpr std::size_t most_ranges = std::size_t{64} * 1024;

  void take(std::string_view host, std::int32_t rank);
  // Those of higher ranks.
  void append(HostRanks const& later);
  // False if memory was used up, or if there are too many ranges: hosts of some ranks are unknown.
  bool is_whole() const { return is_whole_; }
  void lose_some() { is_whole_ = false; }

  // To be called before the first host_of().
  void order_by_rank();
  // NameHash::several if it is not known.
  NameHash host_of(std::int32_t rank) const;

  // visit(host, first rank, number of ranks)
  template <class Visitor>
  void for_each_range(Visitor&& visit) const {
    for (Range const& range : ranges_) visit(range.host, range.first, range.count);
  }
  SummedNames const& names() const { return names_; }

  // The ranges alone, to be sent and received.
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

  PageVector<Range> ranges_;  // by host, then by first rank. Ordered by rank: by stride, remainder, and first rank
  PageVector<std::int32_t> strides_;
  SummedNames names_;
  bool is_whole_ = true;
};

}  // namespace commprof
