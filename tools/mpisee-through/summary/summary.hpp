// The sums of a profile's calls by communicator and operation, and the quantities derived from them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
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

// Whether a name stands for many communicators of one parent: "W_d*".
[[nodiscard]] constexpr bool is_folded(std::string_view communicator) { return communicator.ends_with('*'); }

// What to sum, besides each operation on each communicator.
struct Detail {
  bool by_size = false, by_site = false;  // a separate sum for each size or call site of an operation
  bool has_spread_of_sites = false;       // the ranks' time at each call site, over all communicators
  bool has_parts = false;                 // operations contain sums of their sizes and call sites
  double least_share_with_sizes = 0;      // share of the time; of many communicators, those with less get no sizes
  bool has_ranks = false;                 // complete sums for each rank

  static Detail const operations, message_sizes, by_call_site, call_sites, operations_and_sizes, main_sizes, ranks;

  bool operator==(Detail const&) const = default;
};
inline constexpr Detail Detail::operations{}, Detail::message_sizes{.by_size = true},
    Detail::by_call_site{.by_site = true}, Detail::call_sites{.by_site = true, .has_spread_of_sites = true},
    Detail::operations_and_sizes{.has_parts = true},
    Detail::main_sizes{.has_parts = true, .least_share_with_sizes = 0.01}, Detail::ranks{.has_ranks = true};

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

// The share of one size in all sizes, 0 to 1; nothing if the whole is 0.
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

// An operation on a communicator: all its calls; with Detail::by_size those of one size, with by_site those at one call
// site.
struct OperationSummary {
  OperationIndex operation{};
  std::optional<SizeBin> size;
  std::optional<CallSiteIndex> site;
  Totals totals;
  RankSpread spread;      // over the ranks' times
  double shortest_s = 0;  // of single calls
  double longest_s = 0;
  std::vector<SizeTotals> sizes;  // ascending; only with Detail::has_parts
  std::vector<SiteTotals> sites;  // sorted by the sites' texts; only with Detail::has_parts
};

// The sums of a rank over all communicators. Without Detail::has_ranks, calls and bytes may be unknown (0), and the
// times include all operations.
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
  Totals totals;
  RankSpread spread;                         // over the ranks' times
  std::vector<OperationSummary> operations;  // sorted by name, size, site

  // Over the ranks of the communicator; a rank that never called the operation counts with 0 s.
  [[nodiscard]] double mean_s(OperationSummary const& operation) const;
  [[nodiscard]] double min_s(OperationSummary const& operation) const;
  [[nodiscard]] double max_s(OperationSummary const& operation) const { return operation.spread.max_s(); }
  // Over the ranks of the communicator, for all selected operations together.
  [[nodiscard]] double mean_s() const { return ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks); }
  [[nodiscard]] double min_s() const { return spread.ranks() < ranks ? 0 : spread.min_s(); }
  [[nodiscard]] double max_s() const { return spread.max_s(); }

  [[nodiscard]] std::optional<double> imbalance() const { return imbalance_of(max_s(), mean_s()); }
  [[nodiscard]] std::optional<double> imbalance(OperationSummary const& operation) const {
    return imbalance_of(max_s(operation), mean_s(operation));
  }
};

// The totals of each operation on a communicator, over all sizes and call sites.
class TotalsByOperation {
 public:
  void add(OperationIndex operation, Totals const& totals);  // in ascending order
  [[nodiscard]] Totals const& at(OperationIndex operation) const;

 private:
  std::vector<std::pair<OperationIndex, Totals>> totals_;
};
[[nodiscard]] TotalsByOperation totals_by_operation(CommunicatorSummary const& communicator);

struct Summary : Overview {
  Detail detail{};
  // The time of all operations of the selected ranks on all communicators: the denominator of shares.
  double operations_s = 0;

  std::vector<CommunicatorSummary> communicators;  // in the order of communicators.csv
  std::vector<std::string> operation_names;        // ascending
  std::vector<std::string> call_sites;  // ascending; as in sites.csv; the empty text stands for all unknown sites
  std::shared_ptr<SiteNames const> site_names;
  // The spread of the ranks' times in an operation at a site, over all communicators; only with
  // Detail::has_spread_of_sites.
  std::map<std::pair<CallSiteIndex, OperationIndex>, RankSpread> site_spreads;
  // The sizes of selected operations that carry data, ascending; only with Detail::has_parts.
  std::vector<SizeTotals> sizes_with_data;
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

}  // namespace mpisee_through
