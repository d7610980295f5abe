#include "report/pair_sums.hpp"

#include <compare>

#include "report/binned_sums.hpp"
#include "summary/message_rows.hpp"

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

PairSums add_up_pairs(Profile const& profile, Selection const& selection, ShownCommunicators const& communicators) {
  auto const pair_of = [&communicators, places = Memo<std::uint32_t>()](PeerRow const& row) mutable {
    std::uint32_t const place = places.get(
        row.communicator, [&] { return static_cast<std::uint32_t>(communicators.place_of(row.communicator)); });
    return PairKey{place, row.traffic_class, static_cast<std::uint32_t>(row.from), static_cast<std::uint32_t>(row.to)};
  };
  auto const sums = group_messages(profile, selection,
                                   Grouping(pair_of, amount_of<PeerRow>, BinnedSums<PairKey, Amount>(most_pairs)));

  PairSums result;
  result.ranks_per_bin = sums.ranks_per_bin();
  result.bins = (profile.run().ranks + result.ranks_per_bin - 1) / result.ranks_per_bin;
  auto const bin_of = [&](std::uint32_t end) {
    return end == static_cast<std::uint32_t>(other_world) ? result.other_world_bin() : end;
  };
  for (auto const& [key, amount] : sums.sorted()) {
    result.total += amount;
    result.pairs.push_back({key.communicator, key.traffic_class, bin_of(key.from), bin_of(key.to), amount});
  }
  return result;
}

}  // namespace mpisee_through
