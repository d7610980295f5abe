#include "comparison/runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "summary/algorithms.hpp"
#include "summary/families.hpp"
#include "summary/regions.hpp"
#include "summary/row_filter.hpp"
#include "summary/summary.hpp"
#include "summary/time_windows.hpp"

namespace mpisee_through {
namespace {

// The share of MPI in equal parts of the run.
std::vector<double> in_parts(TimeWindows const& all) {
  constexpr std::size_t parts = 50;
  double const part_s = all.windows.back().end_s / parts;
  std::vector<double> mpi_s(parts), threads_s(parts);
  for (std::size_t i = 0; i < all.windows.size(); ++i) {
    auto const [begin_s, end_s] = all.windows[i];
    WindowSum const sum = all.job(i);
    for (std::size_t part = 0; part < parts; ++part) {
      auto const place = static_cast<double>(part);
      double const common_s = std::min(end_s, (place + 1) * part_s) - std::max(begin_s, place * part_s);
      if (common_s <= 0) continue;
      mpi_s[part] += sum.all_mpi_s() * common_s / (end_s - begin_s);
      threads_s[part] += sum.threads_s * common_s / (end_s - begin_s);
    }
  }
  for (std::size_t part = 0; part < parts; ++part) mpi_s[part] = share_of(mpi_s[part], threads_s[part]).value_or(0);
  return mpi_s;
}

// The build ids of the programs that have call sites, without those of libraries. Empty if that is not known.
std::string program_builds(Profile const& profile) try {
  std::string builds;
  if (!profile.holds(commprof::schema::modules)) return builds;
  ModuleRows modules(profile);
  while (ModuleRow const* row = modules.next())
    if (row->module.find(".so") == row->module.npos && !row->build_id.empty())
      builds += fmt::format("{} ", row->build_id);
  return builds;
} catch (ProfileError const&) {
  return {};  // reported where call sites are shown
}

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

class RunsReader {
 public:
  explicit RunsReader(RunsWanted const& wanted)
      : wanted_(wanted),
        communicator_patterns_(wanted.selection.communicators, matches_communicator),
        operation_patterns_(wanted.selection.operations, matches_operation),
        of_each_run_(wanted.selection),
        has_efficiencies_(wanted.selection.communicators.empty() && wanted.selection.operations.empty() &&
                          wanted.selection.kinds.empty() && wanted.selection.sites.empty() && !wanted.selection.sizes) {
    // Names are matched here over all runs, because a communicator may exist in one run only.
    of_each_run_.communicators.clear();
    of_each_run_.operations.clear();
  }

  Runs read(std::vector<std::filesystem::path> const& profiles) {
    count_ = profiles.size();
    for (std::filesystem::path const& profile : profiles) add(summarise_one(profile));
    communicator_patterns_.check("--comm", "communicator");
    operation_patterns_.check("--op", "operation");
    runs_.has_efficiencies = has_efficiencies_;
    return std::move(runs_);
  }

 private:
  [[nodiscard]] Summary summarise_one(std::filesystem::path const& path) {
    Profile const profile(path);
    try {
      std::optional<RegionInRun> const region =
          wanted_.region.empty() ? std::nullopt : std::optional(find_region(profile, wanted_.region));
      if (region) of_each_run_.regions = region->nested;
      Summary summary = summarise(profile, of_each_run_, {{by_comm | by_op}});
      if (region) measure(summary, region->totals);
      bool const has_time = has_efficiencies_ && of_each_run_.regions.empty() && has_windows(profile);
      runs_.mpi_over_time.push_back(has_time ? in_parts(read_windows(profile, of_each_run_, summary))
                                             : std::vector<double>());
      runs_.algorithms.push_back(algorithms_in(profile));
      runs_.program_builds.push_back(program_builds(profile));
      return summary;
    } catch (SelectionError const& error) {
      throw SelectionError(fmt::format("{}: {}", visible_name(profile), error.what()));
    }
  }

  // --algorithms is not for parts of calls, nor for some of their ranks.
  [[nodiscard]] std::vector<AlgorithmInRun> algorithms_in(Profile const& profile) const {
    auto const counted = profile.run().options.find("COMMPROF_INTERNAL");
    bool const is_known = wanted_.algorithms && counted != profile.run().options.end() && counted->second == "1" &&
                          profile.holds(commprof::schema::peers) && has_rows_of(profile.run(), of_each_run_);
    bool const has_whole_calls = of_each_run_.kinds.empty() && of_each_run_.sites.empty() && !of_each_run_.sizes;
    if (!is_known || !has_whole_calls || of_each_run_.ranks) return {};
    Summary const summary = summarise(profile, of_each_run_, {{by_comm | by_op | by_size}});
    std::vector<AlgorithmInRun> all;
    for (AlgorithmSummary const& one : read_algorithms(profile, of_each_run_, summary)) {
      CommunicatorSummary const& communicator = summary.communicator(one.communicator);
      all.push_back({communicator.name, summary.name_of(one.operation), one.sizes, one.algorithm,
                     effort_of(one.totals, communicator)});
    }
    return all;
  }

  static Effort effort_of(Totals const& totals, CommunicatorSummary const& communicator) {
    auto const ranks = static_cast<double>(communicator.ranks);
    auto const rank_time_s = static_cast<double>(totals.time_s);
    return {share_of(rank_time_s, ranks).value_or(0),
            static_cast<double>(totals.calls),
            static_cast<double>(totals.bytes()),
            rank_time_s,
            ranks,
            communicator.size};
  }

  static std::string visible_name(Profile const& profile) { return visible(profile.directory().string()); }

  void add(Summary const& summary) {
    std::size_t const run = runs_.heads.size();
    runs_.heads.push_back(summary);
    // Matches the patterns with each operation of the run, so that check() finds only those that match nothing.
    std::vector<bool> operation_selected;
    for (std::string const& name : summary.operation_names)
      operation_selected.push_back(operation_patterns_.match(name));
    for (CommunicatorSummary const& communicator : summary.communicators) {
      if (!communicator_patterns_.match(communicator.name, communicator.user_name)) continue;
      auto const index = static_cast<CommunicatorIndex>(&communicator - summary.communicators.data());
      for (Cell const& operation : summary.operations_on(index)) {
        if (!operation_selected[static_cast<std::size_t>(operation.operation)]) continue;
        add(run, communicator, summary.name_of(operation.operation), operation);
      }
    }
    std::erase_if(runs_.algorithms.back(), [&](AlgorithmInRun const& one) {
      auto const found = runs_.communicators.find(one.communicator);
      return found == runs_.communicators.end() || !found->second.operations.contains(one.operation);
    });
  }

  void add(std::size_t run, CommunicatorSummary const& communicator, std::string const& name, Cell const& operation) {
    CommunicatorInRuns& joined = runs_.communicators[communicator.name];
    Effort const effort = effort_of(operation.totals, communicator);
    for (EffortOfRuns* efforts : {&joined.all, &joined.operations[name]}) {
      efforts->resize(count_);
      Effort& sum = (*efforts)[run] ? *(*efforts)[run] : (*efforts)[run].emplace();
      sum += effort;
      sum.ranks = effort.ranks;
    }
  }

  Runs runs_;
  std::size_t count_ = 0;
  RunsWanted const& wanted_;
  NameFilter communicator_patterns_, operation_patterns_;
  Selection of_each_run_;
  bool has_efficiencies_;
};

}  // namespace

Runs read_runs(std::vector<std::filesystem::path> const& profiles, RunsWanted const& wanted) {
  return RunsReader(wanted).read(profiles);
}

namespace {

bool have_one_program(Runs const& runs, std::size_t one, std::size_t other) {
  std::string const &build = runs.program_builds[one], &other_build = runs.program_builds[other];
  if (!build.empty() && !other_build.empty()) return build == other_build;
  auto const file = [&](std::size_t run) { return std::filesystem::path(runs.heads[run].run.program).filename(); };
  return file(one) == file(other);
}

}  // namespace

std::vector<std::string> program_of_each(Runs const& runs) {
  std::vector<std::string> programs;
  for (std::size_t run = 0; run < runs.heads.size(); ++run) {
    std::size_t first = 0;
    while (!have_one_program(runs, first, run)) ++first;
    programs.push_back(runs.heads[first].run.program);
  }
  return programs;
}

namespace {

void add(EffortOfRuns& sums, EffortOfRuns const& others) {
  sums.resize(std::max(sums.size(), others.size()));
  for (std::size_t run = 0; run < others.size(); ++run) {
    if (!others[run]) continue;
    Effort& sum = sums[run] ? *sums[run] : sums[run].emplace();
    sum += *others[run];
    sum.ranks += others[run]->ranks;
  }
}

// ranks: those of the communicators that are joined, of each run.
void set_means(EffortOfRuns& efforts, EffortOfRuns const& ranks) {
  for (std::size_t run = 0; run < efforts.size(); ++run)
    if (efforts[run]) efforts[run]->time_s = share_of(efforts[run]->rank_time_s, ranks[run]->ranks).value_or(0);
}

}  // namespace

std::map<std::string, CommunicatorInRuns> join_siblings(std::map<std::string, CommunicatorInRuns>&& communicators) {
  std::map<std::string, std::size_t> members;
  for (auto const& [name, one] : communicators) ++members[family_of(name)];
  std::map<std::string, CommunicatorInRuns> joined;
  for (auto& [name, one] : communicators) {
    std::string family = family_of(name);
    if (members[family] == 1) {
      joined.emplace(name, std::move(one));
      continue;
    }
    CommunicatorInRuns& sum = joined[family];
    add(sum.all, one.all);
    for (auto const& [operation, efforts] : one.operations) add(sum.operations[operation], efforts);
  }
  for (auto& [name, one] : joined) {
    if (members[name] < 2) continue;
    for (auto& [operation, efforts] : one.operations) set_means(efforts, one.all);
    set_means(one.all, one.all);
  }
  return joined;
}

}  // namespace mpisee_through
