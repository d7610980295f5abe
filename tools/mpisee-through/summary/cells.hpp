// Sums of calls by any of their keys: communicator, operation, message size, call site, rank.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "files/rank_set.hpp"
#include "reader/rows.hpp"
#include "reader/seconds.hpp"

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
  Totals& operator+=(Totals const& other) {
    calls += other.calls;
    bytes_sent += other.bytes_sent;
    bytes_received += other.bytes_received;
    time_s += other.time_s;
    return *this;
  }
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
};

// The sum of all calls with these keys. There may be millions.
struct Cell : CellKey {
  Totals totals{};
  double shortest_s = 0, longest_s = 0;  // of single calls
  RankSpread const* spread = nullptr;    // over the ranks' times; null if it was not asked for, or is unknown

  [[nodiscard]] CellKey const& key() const { return *this; }
  // Adds everything but the spread.
  void add_calls(Cell const& other) {
    if (other.totals.calls > 0) {
      shortest_s = totals.calls == 0 ? other.shortest_s : std::min(shortest_s, other.shortest_s);
      longest_s = std::max(longest_s, other.longest_s);
    }
    totals += other.totals;
  }
};

// Ascending by communicator, operation, size, site, rank; each combination of keys once.
struct Cells : std::vector<Cell> {
  std::shared_ptr<std::vector<RankSpread> const> spreads{};  // those of the cells
};

// Makes one list of cells.
class CellSums {
 public:
  // Whether sums with the same keys are of other ranks, ascending; else the spread of their sum is unknown.
  enum class Ranks : std::uint8_t { ascending, any };

  CellSums(CellList list, Ranks ranks) : list_(list), ranks_(ranks) {}

  // Adds calls of one rank. Ranks come one after another.
  void add_row(Cell const& row);
  // Adds a sum over ranks, by the list's keys.
  void add_sum(Cell const& sum);
  // Adds the calls of another part of the file.
  void append(CellSums&& later);
  // Takes spreads that are unknown here from cells with the same keys.
  void complete_spreads(Cells const& known);
  // Leaves this object empty. change_key: changes the key of a cell to one that no other gets.
  [[nodiscard]] Cells take(std::function<void(CellKey&)> const& change_key = {});

  [[nodiscard]] Keys keys() const { return list_.keys; }
  [[nodiscard]] bool is_by(Keys key) const { return (list_.keys & key) != 0; }
  [[nodiscard]] bool has_spread() const { return list_.has_spread(); }

 private:
  // The time of the latest rank in a cell, so far.
  struct OfRank {
    WorldRank rank;
    Seconds time_s;
  };

  [[nodiscard]] CellKey key_of(CellKey const& call) const;
  // The place of the cell with this key, which is made if it is new.
  std::size_t place_of(CellKey const& key);
  void grow();
  void end_rank(std::size_t place);
  void end_ranks();

  CellList list_;
  Ranks ranks_;
  Cells cells_;
  std::vector<RankSpread> spreads_;   // of each cell, if it was asked for; without ranks if it is unknown
  std::vector<OfRank> latest_;        // of each cell, until end_ranks(); only of rows
  std::vector<std::uint32_t> slots_;  // a hash table of places; 0 is empty, 1 is the first cell
  std::size_t last_ = 0;              // the cell found last, because rows of one cell are often adjacent
};

// The elements of a list with this key; it must be in the order of these keys.
template <class Element, class Key, class KeyOf>
[[nodiscard]] std::span<Element const> with_key(std::vector<Element> const& list, Key const& key, KeyOf key_of) {
  return {std::ranges::lower_bound(list, key, {}, key_of), std::ranges::upper_bound(list, key, {}, key_of)};
}
[[nodiscard]] inline std::span<Cell const> cells_on(Cells const& cells, CommunicatorIndex communicator) {
  return with_key(cells, communicator, &Cell::communicator);
}
[[nodiscard]] inline std::span<Cell const> cells_of(Cells const& cells, CommunicatorIndex communicator,
                                                    OperationIndex operation) {
  return with_key(cells, std::pair(communicator, operation),
                  [](Cell const& cell) { return std::pair(cell.communicator, cell.operation); });
}

}  // namespace mpisee_through
