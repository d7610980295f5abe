#include "profile/host_ranks.hpp"

#include <algorithm>
#include <tuple>

namespace commprof {

// Appends a range of higher ranks if it continues the stride.
bool HostRanks::Range::join(Range const& later) {
  std::int32_t const gap = later.first - last();
  bool const goes_on = (count == 1 || stride == gap) && (later.count == 1 || later.stride == gap);
  if (host != later.host || !goes_on) return false;
  count += later.count;
  stride = gap;
  return true;
}

void HostRanks::push(Range const& range) {
  if (ranges_.size() == most_ranges || !ranges_.push_back(range)) is_whole_ = false;
}

void HostRanks::take(std::string_view host, std::int32_t rank) {
  NameHash const hash = name_hash(host);
  if (!names_.add(hash, host)) is_whole_ = false;
  push({hash, rank, 1});
}

void HostRanks::append(HostRanks const& later) {
  HostRanks both;
  both.ranges_.reserve(ranges_.size() + later.ranges_.size());
  both.is_whole_ = is_whole_ && later.is_whole_;
  Range const *a = ranges_.begin(), *b = later.ranges_.begin();
  while (a != ranges_.end() || b != later.ranges_.end()) {
    bool const takes_a = b == later.ranges_.end() || (a != ranges_.end() && a->host <= b->host);
    Range const& next = takes_a ? *a++ : *b++;
    if (both.ranges_.size() == 0 || !(both.ranges_.end() - 1)->join(next)) both.push(next);
  }
  ranges_.swap(both.ranges_);
  is_whole_ = names_.add(later.names_) && both.is_whole_;
}

void HostRanks::order_by_rank() {
  auto const place = [](Range const& range) {
    return std::tuple(range.stride, range.first % range.stride, range.first);
  };
  std::sort(ranges_.begin(), ranges_.end(), [&](Range const& a, Range const& b) { return place(a) < place(b); });
  for (Range const& range : ranges_) {
    bool const is_known = strides_.size() > 0 && *(strides_.end() - 1) == range.stride;
    if (!is_known && !strides_.push_back(range.stride)) is_whole_ = false;
  }
}

NameHash HostRanks::host_of(std::int32_t rank) const {
  for (std::int32_t const stride : strides_) {
    auto const wanted = std::tuple(stride, rank % stride, rank);
    Range const* const behind =
        std::upper_bound(ranges_.begin(), ranges_.end(), wanted, [](auto const& place, Range const& range) {
          return place < std::tuple(range.stride, range.first % range.stride, range.first);
        });
    if (behind != ranges_.begin() && behind[-1].stride == stride && behind[-1].contains(rank)) return behind[-1].host;
  }
  return NameHash::several;
}

}  // namespace commprof
