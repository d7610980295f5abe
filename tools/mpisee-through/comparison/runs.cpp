#include "comparison/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "summary/communicator_groups.hpp"
#include "summary/regions.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {
namespace {

struct RegionInRun {
  RegionTotals totals;              // including the regions inside
  std::vector<std::string> nested;  // patterns for its path and those of the regions inside
};

RegionInRun find_region(Profile const& profile, std::string const& region) {
  std::vector<RegionSummary> const all = list_regions(profile, {}, read_overview(profile, {}));
  auto const found = std::ranges::find(all, region, &RegionSummary::path);
  if (found == all.end()) throw SelectionError(fmt::format("--region: no region of the profile is \"{}\"", region));
  RegionInRun in_run{found->inclusive, {}};
  std::string const inside = region + commprof::region_names::separator;
  for (RegionSummary const& one : all)
    if (one.path == region || one.path.starts_with(inside)) in_run.nested.push_back(literally(one.path));
  return in_run;
}

// Makes the head of a run that of a region.
void measure(Overview& head, RegionTotals const& region) {
  head.run.wall_s = region.wall_max_s;
  head.wall_s = region.wall_s;
  head.threads_wall_s = region.threads_wall_s;
  head.mpi_s = region.mpi_s;
  head.efficiency = region.efficiency;
}

Effort effort_of(Totals const& totals) {
  return {static_cast<double>(totals.time_s), static_cast<double>(totals.calls), static_cast<double>(totals.bytes())};
}

void add_one(std::optional<Effort>& sum, Effort const& other) {
  if (!sum) sum.emplace();
  sum->rank_time_s += other.rank_time_s;
  sum->calls += other.calls;
  sum->bytes += other.bytes;
}

void set_means(EffortOfRuns& efforts, std::vector<double> const& ranks) {
  efforts.resize(ranks.size());
  for (std::size_t run = 0; run < efforts.size(); ++run)
    if (efforts[run]) efforts[run]->time_s = share_of(efforts[run]->rank_time_s, ranks[run]).value_or(0);
}

class RunsReader {
 public:
  explicit RunsReader(RunsWanted const& wanted)
      : wanted_(wanted),
        communicator_patterns_(wanted.selection.communicators, matches_communicator),
        operation_patterns_(wanted.selection.operations, matches_operation),
        of_each_run_(wanted.selection) {
    Selection of_regions = wanted.selection;
    of_regions.regions.clear();
    runs_.has_efficiencies = of_regions.has_whole_ranks();
    // Names are matched here over all runs, because a communicator may exist in one run only.
    of_each_run_.communicators.clear();
    of_each_run_.operations.clear();
  }

  Runs read(std::vector<std::filesystem::path> const& profiles) {
    for (std::filesystem::path const& path : profiles) {
      Profile const profile(path);
      try {
        read(profile);
      } catch (SelectionError const& error) {
        throw SelectionError(fmt::format("{}: {}", visible(profile.directory().string()), error.what()));
      }
    }
    communicator_patterns_.check("--comm", "communicator");
    operation_patterns_.check("--op", "operation");
    finish_families();
    return std::move(runs_);
  }

 private:
  void read(Profile const& profile) {
    std::optional<RegionInRun> region;
    if (!wanted_.region.empty()) region = find_region(profile, wanted_.region);
    if (region) of_each_run_.regions = region->nested;
    Summary const summary = summarise(profile, of_each_run_, {{by_comm | by_op}});
    runs_.heads.push_back(summary);
    if (region) measure(runs_.heads.back(), region->totals);
    add_calls(summary);
  }

  template <class OfRuns>
  [[nodiscard]] auto& of_this_run(OfRuns& all) const {
    all.resize(runs_.heads.size());
    return all.back();
  }

  void add_calls(Summary const& summary) {
    // Matches the patterns with each operation of the run, so that check() finds only those that match nothing.
    std::vector<bool> selected;
    for (std::string const& name : summary.operation_names) selected.push_back(operation_patterns_.match(name));
    for (CommunicatorSummary const& communicator : summary.communicators) {
      if (!communicator_patterns_.match(communicator.name, communicator.user_name)) continue;
      auto const index = static_cast<CommunicatorIndex>(&communicator - summary.communicators.data());
      std::vector<Cell const*> cells;
      for (Cell const& cell : summary.operations_on(index))
        if (selected[static_cast<std::size_t>(cell.operation)]) cells.push_back(&cell);
      if (cells.empty()) continue;
      std::string const family = family_of(communicator.name);
      members_[family].insert(communicator.name);
      CommunicatorInRuns& joined = runs_.communicators[family];
      of_this_run(joined.ranks) += static_cast<double>(communicator.ranks);
      std::uint64_t& size = of_this_run(joined.sizes);
      size = std::max(size, communicator.size);
      for (Cell const* const cell : cells) {
        add_one(of_this_run(joined.all), effort_of(cell->totals));
        add_one(of_this_run(joined.operations[summary.name_of(cell->operation)]), effort_of(cell->totals));
      }
    }
  }

  // Once all runs are read: families of one communicator get its name, and efforts their means.
  void finish_families() {
    std::map<std::string, CommunicatorInRuns> named;
    for (auto& [family, one] : runs_.communicators) {
      one.ranks.resize(runs_.heads.size());
      one.sizes.resize(runs_.heads.size());
      set_means(one.all, one.ranks);
      for (auto& [operation, efforts] : one.operations) set_means(efforts, one.ranks);
      auto const& members = members_.at(family);
      named.emplace(members.size() > 1 ? family : *members.begin(), std::move(one));
    }
    runs_.communicators = std::move(named);
  }

  Runs runs_;  // communicators by the names of their families, until all runs are read
  std::map<std::string, std::set<std::string>> members_;  // names of selected communicators, by family
  RunsWanted const& wanted_;
  NameFilter communicator_patterns_, operation_patterns_;
  Selection of_each_run_;
};

}  // namespace

RunGroup all_of(Runs const& runs) {
  RunGroup all(runs.heads.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

Runs read_runs(std::vector<std::filesystem::path> const& profiles, RunsWanted const& wanted) {
  return RunsReader(wanted).read(profiles);
}

}  // namespace mpisee_through
