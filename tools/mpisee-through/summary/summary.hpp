// The sums of a profile's calls by communicator and operation, and the quantities derived from them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/cells.hpp"
#include "summary/group_by.hpp"
#include "summary/overview.hpp"
#include "summary/selection.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

// The predefined communicators: MPI_COMM_WORLD and each rank's MPI_COMM_SELF.
inline constexpr std::string_view world_name = "W";
inline constexpr std::string_view self_name = "SELF";

// Whether a name stands for many communicators of one parent: "W_d*".
[[nodiscard]] constexpr bool is_folded(std::string_view communicator) { return communicator.ends_with('*'); }

// The share of one size in all sizes, 0 to 1; nothing if the whole is 0.
struct SharesOfSize {
  std::optional<double> time, bytes;
};
[[nodiscard]] SharesOfSize shares_of(Totals const& one, Totals const& all);

// The sums of a rank over all communicators. Unless they are asked for, calls and bytes are unknown (0), and the times
// include all operations.
struct RankSummary {
  WorldRank rank{};
  Totals totals{};
};

// The communicators that share a name, usually one. Descendants of MPI_COMM_SELF have the same names on all ranks.
struct CommunicatorSummary {
  std::string name;
  std::string parent;
  std::string created_by;
  std::string created_at;  // a site; empty if unknown
  std::uint64_t size = 0;
  std::string members;
  std::string topology;
  std::string reorder;
  std::string user_name;
  bool freed = false;
  std::uint64_t instances = 1;        // number of communicators with this name; 0 if communicators.csv does not list it
  std::vector<std::string> patterns;  // of --comm, for a sum of several communicators; empty if its name selects it

  bool selected = false;
  // The number of selected ranks in the communicator, the divisor of means. For MPI_COMM_SELF: all selected ranks. If
  // the members are unknown: the ranks that made a call on it.
  std::uint64_t ranks = 0;
  bool is_called = false;  // in the selection
  Totals totals;
  RankSpread spread;  // over the ranks' times

  // Over the ranks of the communicator; a rank that never called the operation counts with 0 s.
  [[nodiscard]] double mean_s(Cell const& operation) const;
  [[nodiscard]] double min_s(Cell const& operation) const;
  [[nodiscard]] double max_s(Cell const& operation) const {
    return operation.spread != nullptr ? operation.spread->max_s() : 0;
  }
  // Over the ranks of the communicator, for all selected operations together.
  [[nodiscard]] double mean_s() const { return ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks); }
  [[nodiscard]] double min_s() const { return spread.ranks() < ranks ? 0 : spread.min_s(); }
  [[nodiscard]] double max_s() const { return spread.max_s(); }

  [[nodiscard]] std::optional<double> imbalance() const { return imbalance_of(max_s(), mean_s()); }
  [[nodiscard]] std::optional<double> imbalance(Cell const& operation) const {
    return imbalance_of(max_s(operation), mean_s(operation));
  }
};

struct Summary : Overview {
  // The time of all operations of the selected ranks on all communicators: the denominator of shares.
  double operations_s = 0;

  std::vector<CommunicatorSummary> communicators;  // in the order of communicators.csv
  std::vector<std::string> operation_names;        // ascending
  std::vector<std::string> call_sites;  // ascending; as in sites.csv; the empty text stands for all unknown sites
  std::shared_ptr<SiteNames const> site_names;
  std::map<Keys, Cells> lists;     // of by_comm only if it was asked for
  std::vector<RankSummary> ranks;  // selected ranks, ascending

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
  // The share of operations_s that the communicator's selected operations took, 0 to 1; nothing if no time was
  // recorded.
  [[nodiscard]] std::optional<double> share_of_mpi(CommunicatorSummary const& communicator) const {
    return share_of_mpi(communicator.totals);
  }
  // The share of operations_s that `part` took.
  [[nodiscard]] std::optional<double> share_of_mpi(Totals const& part) const;
  // The share of the wall time of the selected ranks' threads that call MPI that `part` took.
  [[nodiscard]] std::optional<double> share_of_wall(Totals const& part) const;
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
