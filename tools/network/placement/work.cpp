#include "placement/work.hpp"

#include <algorithm>
#include <tuple>

namespace mpisee_through {

Work::Work(std::vector<PairTraffic> const& pairs, std::size_t ranks) : first_(ranks + 1, 0) {
  struct Side {
    std::uint32_t rank;
    Partner partner;
  };
  std::vector<Side> sides;
  sides.reserve(2 * pairs.size());
  for (PairTraffic const& pair : pairs) {
    if (pair.from == pair.to || pair.from == other_world || pair.to == other_world) continue;
    auto const from = static_cast<std::uint32_t>(pair.from), to = static_cast<std::uint32_t>(pair.to);
    auto const messages = static_cast<double>(pair.amount.messages), bytes = static_cast<double>(pair.amount.bytes);
    sides.push_back({from, {to, messages, bytes}});
    sides.push_back({to, {from, messages, bytes}});
  }
  std::ranges::sort(sides, {}, [](Side const& one) { return std::tuple(one.rank, one.partner.rank); });
  std::size_t last = ranks;
  for (Side const& one : sides) {
    if (one.rank == last && partners_.back().rank == one.partner.rank) {
      partners_.back().messages += one.partner.messages;
      partners_.back().bytes += one.partner.bytes;
      continue;
    }
    last = one.rank;
    partners_.push_back(one.partner);
    ++first_[one.rank + 1];
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) first_[rank + 1] += first_[rank];
}

}  // namespace mpisee_through
