// The sums of a profile's calls by communicator and operation, and the quantities derived from them.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/group_by.hpp"
#include "reader/profile_reader.hpp"
#include "summary/overview.hpp"
#include "summary/selection.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

enum class CommunicatorIndex : std::uint32_t {};
enum class OperationIndex : std::uint32_t {};
enum class CallSiteIndex : std::uint32_t {};

// The smallest and the largest of the ranks' times; 0 without ranks.
struct RankSpread {
  std::uint64_t ranks = 0;
  Seconds min_s{}, max_s{};

  // Adds the times of other ranks.
  void append(RankSpread const& other) {
    if (other.ranks == 0) return;
    if (ranks == 0 || other.min_s.is_less(min_s)) min_s = other.min_s;
    if (max_s.is_less(other.max_s)) max_s = other.max_s;
    ranks += other.ranks;
  }
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
  RankSpread spread{};                   // over the ranks' times; without ranks if not asked for, or unknown

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
using Cells = std::vector<Cell>;

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

// The predefined communicators: MPI_COMM_WORLD and each rank's MPI_COMM_SELF.
inline constexpr std::string_view world_name = "W";
inline constexpr std::string_view self_name = "SELF";

// Whether a name stands for many communicators of one parent: "W_d*".
[[nodiscard]] constexpr bool is_folded(std::string_view communicator) { return communicator.ends_with('*'); }

// The share of one size in all sizes, 0 to 1; nothing if the whole is 0.
struct SharesOfSize {
  std::optional<double> time, bytes;
};
[[nodiscard]] inline SharesOfSize shares_of(Totals const& one, Totals const& all) {
  return {share_of(one.time_s, all.time_s), share_of(one.bytes(), all.bytes())};
}

// The sums of a rank over all communicators. Unless they are asked for, calls and bytes are unknown (0), and the times
// include all operations.
struct RankSummary {
  WorldRank rank{};
  Totals totals{};
};

// The communicators that share a name, usually one. Descendants of MPI_COMM_SELF have the same names on all ranks.
struct CommunicatorSummary {
  std::string name{};
  std::string parent{};
  std::string created_by{};
  std::string created_at{};  // a site; empty if unknown
  std::uint64_t size = 0;
  std::string members{};
  std::string topology{};
  std::string reorder{};
  std::string user_name{};
  bool freed = false;
  std::uint64_t instances = 1;  // number of communicators with this name; 0 if communicators.csv does not list it
  std::vector<std::string> patterns{};  // of --comm, for a sum of several communicators; empty if its name selects it

  bool selected = false;
  // The number of selected ranks in the communicator, the divisor of means. For MPI_COMM_SELF: all selected ranks. If
  // the members are unknown: the ranks that made a call on it.
  std::uint64_t ranks = 0;
  bool is_called = false;  // in the selection
  Totals totals{};
  RankSpread spread{};  // over the ranks' times

  // Over the ranks of the communicator; a rank that never called the operation counts with 0 s.
  [[nodiscard]] double mean_s(Cell const& operation) const { return mean_s(operation.totals); }
  [[nodiscard]] double min_s(Cell const& operation) const { return min_s(operation.spread); }
  [[nodiscard]] static double max_s(Cell const& operation) { return operation.spread.max_s; }
  // Over the ranks of the communicator, for all selected operations together.
  [[nodiscard]] double mean_s() const { return mean_s(totals); }
  [[nodiscard]] double min_s() const { return min_s(spread); }
  [[nodiscard]] double max_s() const { return spread.max_s; }

  [[nodiscard]] std::optional<double> imbalance() const { return imbalance_of(max_s(), mean_s()); }
  [[nodiscard]] std::optional<double> imbalance(Cell const& operation) const {
    return imbalance_of(max_s(operation), mean_s(operation));
  }

 private:
  [[nodiscard]] double mean_s(Totals const& sum) const {
    return ranks == 0 ? 0 : sum.time_s / static_cast<double>(ranks);
  }
  [[nodiscard]] double min_s(RankSpread const& of) const { return of.ranks < ranks ? 0 : double{of.min_s}; }
};

struct Summary : Overview {
  // The time of all operations of the selected ranks on all communicators: the denominator of shares.
  double operations_s = 0;

  std::vector<CommunicatorSummary> communicators{};  // in the order of communicators.csv
  std::vector<std::string> operation_names{};        // ascending
  std::vector<std::string> call_sites{};  // ascending; as in sites.csv; the empty text stands for all unknown sites
  std::shared_ptr<SiteNames const> site_names{};
  std::map<Keys, Cells> lists{};     // of by_comm only if it was asked for
  std::vector<RankSummary> ranks{};  // selected ranks, ascending

  [[nodiscard]] CommunicatorSummary const& communicator(CommunicatorIndex index) const {
    return communicators[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::string const& name_of(OperationIndex index) const {
    return operation_names[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::string const& site(CallSiteIndex index) const {
    return call_sites[static_cast<std::size_t>(index)];
  }
  // The sums by these keys, which were asked for.
  [[nodiscard]] Cells const& cells(Keys keys) const { return lists.at(keys); }
  [[nodiscard]] Cells const& operations() const { return cells(by_comm | by_op); }
  [[nodiscard]] std::span<Cell const> operations_on(CommunicatorIndex index) const {
    return cells_on(operations(), index);
  }
  // Null if the operation is not called on the communicator, in the selection.
  [[nodiscard]] Cell const* operation(CommunicatorIndex communicator, OperationIndex operation) const;
  // The parts of an operation on a communicator.
  [[nodiscard]] std::span<Cell const> parts_of(Cell const& operation, Keys part) const {
    return cells_of(cells(by_comm | by_op | part), operation.communicator, operation.operation);
  }
  // The share of operations_s that `part` took, 0 to 1; nothing if no time was recorded.
  [[nodiscard]] std::optional<double> share_of_mpi(Totals const& part) const {
    return share_of(part.time_s, operations_s);
  }
  // The share of the wall time of the selected ranks' threads that call MPI that `part` took.
  [[nodiscard]] std::optional<double> share_of_wall(Totals const& part) const {
    return share_of(part.time_s, threads_wall_s);
  }
};

// The ranks whose time outside MPI is above the middle between the mean and the maximum, ascending.
[[nodiscard]] std::vector<std::uint32_t> busy_ranks(Summary const& summary);

// Sums up the selected calls: from summary.csv, which has the sums for most selections, or from the rows of
// operations.csv as they are read. Memory grows with the number of cells, not with the number of rows. Both ways give
// equal summaries.
//
// Reads the profile to its end. Each list of cells that is asked for is then in the summary; that by_comm is in its
// communicators, always. Cells by_size alone are of calls that carry data. Throws ProfileError and SelectionError.
Summary summarise(Profile const& profile, Selection const& selection, std::vector<CellList> lists);

// The sum at the site with most of the operation's time; null if that site is unknown. Needs cells by communicator,
// operation and site.
[[nodiscard]] Cell const* main_site(Summary const& summary, Cell const& operation);

// The main site of an operation, as words to follow its name: " at grid.c:29", or " (62.0 % of it at grid.c:29)" if
// there are others. Empty if no site has a quarter of the time, or the site is unknown. Needs what main_site() needs.
[[nodiscard]] std::string called_at(Summary const& summary, Cell const& operation);

// Finds calls by the names of communicator and operation, as spelled in a file.
class CallFinder {
 public:
  // cells: of the summary, by communicator, operation and maybe more.
  CallFinder(Summary const& summary, Cells const& cells);
  // Empty if the operation is not called on the communicator, in the selection.
  [[nodiscard]] std::span<Cell const> find(std::string_view communicator, std::string_view operation) const;

 private:
  Cells const& cells_;
  TextMap<CommunicatorIndex> communicators_;
  TextMap<OperationIndex> operations_;
};

}  // namespace mpisee_through
