#include "report/rank_times.hpp"

#include <algorithm>
#include <bit>
#include <compare>
#include <string>
#include <tuple>
#include <unordered_map>

#include "files/visible_text.hpp"
#include "report/binned_sums.hpp"
#include "summary/group_by.hpp"
#include "summary/row_filter.hpp"

namespace mpisee_through {
namespace {

// A wide screen cannot distinguish more.
constexpr std::uint64_t most_bins = 2048;
constexpr std::size_t most_time_parts = std::size_t{1} << 18U;

struct PartKey {
  std::uint32_t rank;
  std::uint32_t of;

  auto operator<=>(PartKey const&) const = default;
  [[nodiscard]] PartKey merged(unsigned times) const { return {rank >> times, of}; }
  [[nodiscard]] std::size_t hash() const { return ((std::uint64_t{rank} << 32U | of) * 0x9e3779b97f4a7c15U) >> 20U; }
};
using Parts = BinnedSums<PartKey, Seconds>;

std::vector<BinnedTimes::Part> in_bins_of(std::uint64_t ranks_per_bin, Parts& parts) {
  parts.join_into(ranks_per_bin);
  std::vector<BinnedTimes::Part> joined;
  for (auto const& [key, time_s] : parts.sorted()) joined.push_back({key.rank, key.of, time_s});
  return joined;
}

class RankTimer {
 public:
  RankTimer(Profile const& profile, Selection const& selection, Summary const& summary,
            ShownCommunicators const& communicators, Waits const& waits)
      : profile_(profile),
        selection_(selection),
        site_names_(*summary.site_names),
        communicators_(communicators),
        waits_(waits),
        by_operation_(most_time_parts, first_shift(summary.run.ranks)),
        by_communicator_(by_operation_) {
    for (std::size_t i = 0; i < summary.operation_names.size(); ++i) {
      operation_by_name_.emplace(summary.operation_names[i], static_cast<std::uint32_t>(i));
    }
  }

  BinnedTimes run() {
    times_.knows_waiting = waits_.has_measured();
    times_.knows_moving = times_.knows_waiting && !waits_.moving_of_rank.empty();
    if (has_rows_of(profile_.run(), selection_)) add_operations();
    times_.ranks_per_bin = std::max(by_operation_.ranks_per_bin(), by_communicator_.ranks_per_bin());
    add_ranks();
    times_.by_operation = in_bins_of(times_.ranks_per_bin, by_operation_);
    times_.by_communicator = in_bins_of(times_.ranks_per_bin, by_communicator_);
    return std::move(times_);
  }

 private:
  static unsigned first_shift(std::uint64_t ranks) {
    return static_cast<unsigned>(std::countr_zero(std::bit_ceil((ranks + most_bins - 1) / most_bins)));
  }

  void add_operations() {
    RowFilter filter(profile_, selection_, &site_names_);
    // A rank and the index of a name.
    auto const rank_and = [](std::string_view OperationRow::*name, auto const& index_of) {
      return [name, index_of, known = Memo<std::uint32_t>()](OperationRow const& row) mutable {
        return PartKey{static_cast<std::uint32_t>(row.rank), known.get(row.*name, [&] { return index_of(row.*name); })};
      };
    };
    auto const operation = [this](std::string_view name) { return operation_by_name_.at(visible(name)); };
    auto const place = [this](std::string_view name) {
      return static_cast<std::uint32_t>(communicators_.place_of(name));
    };
    std::tie(by_operation_, by_communicator_) = group_by<OperationRow>(
        profile_, filter, Grouping(rank_and(&OperationRow::operation, operation), &OperationRow::time_s, by_operation_),
        Grouping(rank_and(&OperationRow::communicator, place), &OperationRow::time_s, by_communicator_));
  }

  void add_ranks() {
    TextMap<std::size_t> hosts;
    RankRows rows(profile_);
    while (RankRow const* row = rows.next()) {
      if (!selection_.selects(row->rank)) continue;
      auto known = hosts.find(row->host);
      if (known == hosts.end()) {
        known = hosts.emplace(row->host, hosts.size()).first;
        times_.hosts.push_back(visible(row->host));
      }
      add_rank(*row, known->second);
    }
  }

  void add_rank(RankRow const& row, std::size_t host) {
    auto const rank = static_cast<std::uint64_t>(row.rank);
    times_.bins.resize(rank / times_.ranks_per_bin + 1);  // rows are sorted by rank
    BinnedTimes::Bin& bin = times_.bins.back();
    if (bin.ranks == 0) bin = {.mpi_min_s = row.mpi_s, .mpi_max_s = row.mpi_s, .max_rank = rank, .host = host};
    ++bin.ranks;
    bin.wall_s += row.wall_s;
    bin.mpi_s += row.mpi_s;
    bin.mpi_min_s = std::min(bin.mpi_min_s, row.mpi_s);
    if (row.mpi_s > bin.mpi_max_s) {
      bin.mpi_max_s = row.mpi_s;
      bin.max_rank = rank;
    }
    bin.several_hosts = bin.several_hosts || host != bin.host;
    double const outside_s = RankTimes{.wall_s = row.wall_s, .mpi_s = row.mpi_s, .threads = threads_of(row)}.useful_s();
    bin.outside_s += outside_s;
    double const waited_s = times_.knows_waiting ? waits_.measured_of_rank[rank] : 0;
    double const moved_s = times_.knows_moving ? std::min(waits_.moving_of_rank[rank], row.mpi_s - waited_s) : 0;
    bin.waiting_s += part_of_wall(waited_s, row.mpi_s, row.wall_s - outside_s);
    bin.moving_s += part_of_wall(moved_s, row.mpi_s, row.wall_s - outside_s);
  }

  // Several threads can together wait longer than the wall time. Therefore scales the wall time in MPI by the share of
  // waiting in their time in MPI.
  static double part_of_wall(double part_s, double mpi_s, double mpi_of_wall_s) {
    return mpi_s > 0 ? std::clamp(part_s / mpi_s, 0.0, 1.0) * mpi_of_wall_s : 0;
  }

  Profile const& profile_;
  Selection const& selection_;
  SiteNames const& site_names_;
  ShownCommunicators const& communicators_;
  Waits const& waits_;
  std::unordered_map<std::string, std::uint32_t> operation_by_name_;
  Parts by_operation_;
  Parts by_communicator_;
  BinnedTimes times_;
};

}  // namespace

BinnedTimes add_up_rank_times(Profile const& profile, Selection const& selection, Summary const& summary,
                              ShownCommunicators const& communicators, Waits const& waits) {
  return RankTimer(profile, selection, summary, communicators, waits).run();
}

}  // namespace mpisee_through
