// Sums of calls by any of their keys: communicator, operation, message size, call site, rank.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reader/rows.hpp"
#include "summary/efficiency.hpp"
#include "summary/rank_spread.hpp"

namespace mpisee_through {

enum class CommunicatorIndex : std::uint32_t {};
enum class OperationIndex : std::uint32_t {};
enum class CallSiteIndex : std::uint32_t {};

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

// Puts cells in order, and adds up those with the same keys.
void join(Cells& cells, JoinedRanks ranks);

[[nodiscard]] std::span<Cell const> cells_on(Cells const& cells, CommunicatorIndex communicator);
[[nodiscard]] std::span<Cell const> cells_of(Cells const& cells, CommunicatorIndex communicator,
                                             OperationIndex operation);

}  // namespace mpisee_through
