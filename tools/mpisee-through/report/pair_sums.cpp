#include "report/pair_sums.hpp"

#include <compare>

#include "report/binned_sums.hpp"
#include "summary/row_filter.hpp"

namespace mpisee_through {
namespace {

// Enough for all pairs of 1,024 ranks, in one class on one communicator.
constexpr std::size_t most_pairs = std::size_t{1} << 20U;

struct PairKey {
  std::uint32_t communicator;
  TrafficClass traffic_class;
  std::uint32_t from;
  std::uint32_t to;

  auto operator<=>(PairKey const&) const = default;

  [[nodiscard]] PairKey merged(unsigned times) const {
    return {communicator, traffic_class, merged_end(from, times), merged_end(to, times)};
  }
  [[nodiscard]] std::size_t hash() const {
    std::uint64_t bits = (std::uint64_t{from} << 32U | to) * 0x9e3779b97f4a7c15U;
    bits = (bits ^ bits >> 32U ^ communicator * 4U ^ static_cast<std::uint64_t>(traffic_class)) * 0x9e3779b97f4a7c15U;
    return bits ^ bits >> 32U;
  }

 private:
  // Never joins another world with ranks.
  static std::uint32_t merged_end(std::uint32_t end, unsigned times) {
    return end == static_cast<std::uint32_t>(other_world) ? end : end >> times;
  }
};

}  // namespace

PairSums add_up_pairs(Profile const& profile, Selection const& selection, ShownCommunicators& communicators) {
  BinnedSums<PairKey, Amount> sums(most_pairs);
  RowFilter filter(profile, selection);
  PeerRows rows(profile);
  Amount all;
  while (PeerRow const* row = rows.next()) {
    if (__builtin_add_overflow(all.messages, row->messages, &all.messages) ||
        __builtin_add_overflow(all.bytes, row->bytes, &all.bytes)) {
      rows.fail(beyond_counting);
    }
    if (!filter.selects(*row)) continue;
    sums.add({static_cast<std::uint32_t>(communicators.place_of(row->communicator)), row->traffic_class,
              static_cast<std::uint32_t>(row->from), static_cast<std::uint32_t>(row->to)},
             {row->messages, row->bytes});
  }

  PairSums result;
  result.ranks_per_bin = sums.ranks_per_bin();
  result.bins = (profile.run().ranks + result.ranks_per_bin - 1) / result.ranks_per_bin;
  auto const bin_of = [&](std::uint32_t end) {
    return end == static_cast<std::uint32_t>(other_world) ? result.other_world_bin() : end;
  };
  for (auto const& [key, amount] : sums.sorted()) {
    result.pairs.push_back({key.communicator, key.traffic_class, bin_of(key.from), bin_of(key.to), amount});
  }
  return result;
}

}  // namespace mpisee_through
