// The sums of a profile, by communicator and operation.
//
// The rows of operations.csv are summed while they are read, over ranks and regions, and over message sizes unless
// these are requested. So memory grows with the cells that can be shown (communicators × operations × sizes), not with
// the number of rows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/overview.hpp"
#include "summary/rank_spread.hpp"
#include "summary/selection.hpp"
#include "symbols/site_names.hpp"

namespace mpisee_through {

enum class CommunicatorIndex : std::uint32_t {};
enum class OperationIndex : std::uint32_t {};
enum class CallSiteIndex : std::uint32_t {};

// The predefined communicators: MPI_COMM_WORLD and each rank's MPI_COMM_SELF.
inline constexpr std::string_view world_name = "W";
inline constexpr std::string_view self_name = "SELF";

enum class Detail {
  operations,
  message_sizes,         // an OperationSummary for each size
  call_sites,            // one for each call site
  operations_and_sizes,  // one for each operation, and it knows its sizes and its call sites
};

// Sums over the selected ranks.
struct Totals {
  std::uint64_t calls = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  double time_s = 0;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_sent + bytes_received; }
  // The mean of single calls.
  [[nodiscard]] std::optional<double> call_s() const {
    return calls > 0 ? std::optional(time_s / static_cast<double>(calls)) : std::nullopt;
  }
  Totals& operator+=(Totals const& other);
};

// The part that one size has of all sizes, 0 to 1; nothing if these have nothing.
struct SharesOfSize {
  std::optional<double> time, bytes;
};
[[nodiscard]] SharesOfSize shares_of(Totals const& one, Totals const& all);

struct SizeTotals {
  SizeBin size;
  Totals totals;
};

struct SiteTotals {
  CallSiteIndex site;
  Totals totals;
};

// One operation on one communicator. With Detail::message_sizes also of one size, with Detail::call_sites also of one
// call site.
struct OperationSummary {
  OperationIndex operation{};
  std::optional<SizeBin> size;
  std::optional<CallSiteIndex> site;
  Totals totals;
  RankSpread spread;      // of the time per rank
  double shortest_s = 0;  // single calls
  double longest_s = 0;
  std::vector<SizeTotals> sizes;  // in no order; only with Detail::operations_and_sizes
  std::vector<SiteTotals> sites;  // the same
};

// The sums of a rank over all communicators.
struct RankSummary {
  WorldRank rank{};
  Totals totals{};
  double receiving_s = 0;  // the part of the time in operations that may wait for a message
};

// The communicators of one name, usually one. Descendants of MPI_COMM_SELF have the same names on all ranks.
struct CommunicatorSummary {
  std::string name;
  std::string parent;
  std::string created_by;
  std::string created_at;  // a site; empty where it is not known
  std::uint64_t size = 0;
  std::string members;
  std::string topology;
  std::string reorder;
  std::string user_name;
  bool freed = false;
  std::uint64_t instances = 1;  // communicators of this name; 0 if communicators.csv does not know it

  bool selected = false;
  // The number of selected ranks in the communicator, over which means are taken. For MPI_COMM_SELF, all selected
  // ranks. If the members are unknown, the ranks that called something on it.
  std::uint64_t ranks = 0;
  Totals totals;
  RankSpread spread;                         // of the time per rank
  std::vector<OperationSummary> operations;  // in the order of first sight

  // A rank of the communicator that never called the operation counts with 0 s.
  [[nodiscard]] double mean_s(OperationSummary const& operation) const;
  [[nodiscard]] double min_s(OperationSummary const& operation) const;
  [[nodiscard]] double max_s(OperationSummary const& operation) const { return operation.spread.max_s(); }
  // Likewise, over all selected operations.
  [[nodiscard]] double mean_s() const { return ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks); }
  [[nodiscard]] double min_s() const { return spread.ranks() < ranks ? 0 : spread.min_s(); }
  [[nodiscard]] double max_s() const { return spread.max_s(); }

  [[nodiscard]] std::optional<double> imbalance() const { return imbalance_of(max_s(), mean_s()); }
  [[nodiscard]] std::optional<double> imbalance(OperationSummary const& operation) const {
    return imbalance_of(max_s(operation), mean_s(operation));
  }
};

// Of each operation on a communicator, all sizes and call sites together.
using TotalsByOperation = std::unordered_map<OperationIndex, Totals>;
[[nodiscard]] TotalsByOperation totals_by_operation(CommunicatorSummary const& communicator);

struct Summary : Overview {
  Detail detail{};
  // The time of all operations of the selected ranks on all communicators: the denominator of shares.
  double operations_s = 0;

  std::vector<CommunicatorSummary> communicators;  // in the order of communicators.csv
  std::vector<std::string> operation_names;
  std::vector<std::string> call_sites;  // as in sites.csv; empty for the one that stands for no known site
  std::shared_ptr<SiteNames const> site_names;
  // The ranks' times in an operation at a site, summed over communicators; only with Detail::call_sites.
  std::map<std::pair<CallSiteIndex, OperationIndex>, RankSpread> site_spreads;
  std::vector<RankSummary> ranks;  // the selected ones, ascending

  [[nodiscard]] CommunicatorSummary const& communicator(CommunicatorIndex index) const {
    return communicators[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::string const& name_of(OperationIndex index) const {
    return operation_names[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::string const& site(CallSiteIndex index) const {
    return call_sites[static_cast<std::size_t>(index)];
  }
  // The part of operations_s that a communicator's selected operations took, 0 to 1; nothing if no time was recorded.
  [[nodiscard]] std::optional<double> share_of_mpi(CommunicatorSummary const& communicator) const {
    return share_of_mpi(communicator.totals);
  }
  // Likewise, of any part.
  [[nodiscard]] std::optional<double> share_of_mpi(Totals const& part) const;
  // The part of the selected ranks' wall time.
  [[nodiscard]] std::optional<double> share_of_wall(Totals const& part) const;
};

// Reads the profile to its end. Throws ProfileError and SelectionError.
Summary summarise(Profile const& profile, Selection const& selection, Detail detail);

}  // namespace mpisee_through
