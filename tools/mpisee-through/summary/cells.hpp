// Sums of calls by any of their keys: communicator, operation, message size, call site, rank.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "files/rank_set.hpp"
#include "reader/rows.hpp"
#include "reader/seconds.hpp"
#include "summary/efficiency.hpp"

namespace mpisee_through {

enum class CommunicatorIndex : std::uint32_t {};
enum class OperationIndex : std::uint32_t {};
enum class CallSiteIndex : std::uint32_t {};

// The smallest and the largest of the ranks' times. Among equal times, the first rank counts.
class RankSpread {
 public:
  struct Extreme {
    Seconds seconds{};
    WorldRank rank{};
  };

  RankSpread() = default;
  RankSpread(std::uint64_t ranks, Extreme const& min, Extreme const& max) : ranks_(ranks), min_(min), max_(max) {}

  // Adds the times of later ranks.
  void append(RankSpread const& later) {
    if (later.ranks_ == 0) return;
    if (ranks_ == 0 || later.min_.seconds.is_less(min_.seconds)) min_ = later.min_;
    if (ranks_ == 0 || max_.seconds.is_less(later.max_.seconds)) max_ = later.max_;
    ranks_ += later.ranks_;
  }

  // min() and max() are 0 without ranks.
  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] Extreme const& min() const { return min_; }
  [[nodiscard]] Extreme const& max() const { return max_; }
  [[nodiscard]] double min_s() const { return min_.seconds; }
  [[nodiscard]] double max_s() const { return max_.seconds; }

 private:
  std::uint64_t ranks_ = 0;
  Extreme min_, max_;
};

// How much longer the slowest rank takes than the mean: maximum / mean - 1. 0 if all ranks take equally long, 1 if the
// slowest takes twice the mean. Nothing if no time passed.
[[nodiscard]] inline std::optional<double> imbalance_of(double max_s, double mean_s) {
  return mean_s > 0 ? std::optional(std::max(max_s / mean_s - 1, 0.0)) : std::nullopt;
}

// Sums over the selected ranks.
struct Totals {
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  Seconds time_s{};

  [[nodiscard]] std::uint64_t bytes() const { return bytes_sent + bytes_received; }
  // The mean time of a call.
  [[nodiscard]] std::optional<double> call_s() const {
    return calls > 0 ? std::optional(time_s / static_cast<double>(calls)) : std::nullopt;
  }
  Totals& operator+=(Totals const& other);
};

// The keys by which calls are summed, as bits.
using Keys = unsigned;
inline constexpr Keys by_comm = 1, by_op = 2, by_size = 4, by_site = 8, by_rank = 16;

// A list of cells to make.
struct CellList {
  Keys keys;
  // What cells have. totals_of_most: of many communicators, those that take little time get none.
  enum class With : std::uint8_t { spread, totals, totals_of_most } with = With::spread;

  [[nodiscard]] bool has_spread() const { return with == With::spread; }
};

// A key by which a list is not summed is 0.
struct CellKey {
  CommunicatorIndex communicator{};
  OperationIndex operation{};
  SizeBin size{};
  CallSiteIndex site{};
  WorldRank rank{};

  auto operator<=>(CellKey const&) const = default;
  struct Hash {
    std::size_t operator()(CellKey const& key) const;
  };
};

// What cells with the same keys are when they are joined: of other ranks, ascending, or of any, so that the spread of
// their sum is unknown.
enum class JoinedRanks : std::uint8_t { ascending, any };

// The sum of all calls with these keys.
struct Cell : CellKey {
  Totals totals{};
  double shortest_s = 0, longest_s = 0;  // of single calls
  std::optional<RankSpread> spread{};    // over the ranks' times; only if it was asked for

  [[nodiscard]] CellKey const& key() const { return *this; }
  void add(Cell const& other, JoinedRanks ranks);
  // Adds everything but the spread.
  void add_calls(Cell const& other);
};

// Ascending by communicator, operation, size, site, rank; each combination of keys once.
using Cells = std::vector<Cell>;

// Adds up cells that get the same key, and puts the sums in order.
template <class NewKey>
[[nodiscard]] Cells regrouped(Cells const& cells, NewKey new_key, JoinedRanks ranks) {
  std::unordered_map<CellKey, std::size_t, CellKey::Hash> places;
  Cells sums;
  for (Cell const& cell : cells) {
    CellKey const key = std::invoke(new_key, cell);
    auto const [place, is_new] = places.try_emplace(key, sums.size());
    if (is_new) static_cast<CellKey&>(sums.emplace_back(cell)) = key;
    else sums[place->second].add(cell, ranks);
  }
  // Sorts keys in place of cells, which are large.
  std::vector<std::pair<CellKey, std::size_t>> order(places.begin(), places.end());
  std::ranges::sort(order);
  Cells sorted;
  sorted.reserve(sums.size());
  for (auto const& [key, place] : order) sorted.push_back(sums[place]);
  return sorted;
}
// Puts cells in order, and adds up those with the same key.
void join(Cells& cells, JoinedRanks ranks);

[[nodiscard]] std::span<Cell const> cells_on(Cells const& cells, CommunicatorIndex communicator);
[[nodiscard]] std::span<Cell const> cells_of(Cells const& cells, CommunicatorIndex communicator,
                                             OperationIndex operation);

}  // namespace mpisee_through
