#include "scaling/measured_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "summary/regions.hpp"

namespace mpisee_through {
namespace {

// Escapes the name, so that the pattern matches this name alone.
std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (char const one : name) {
    if (std::string_view("*?[]\\").find(one) != std::string_view::npos) pattern += '\\';
    pattern += one;
  }
  return pattern;
}

struct RegionInRun {
  RegionTotals totals;              // including the regions inside
  std::vector<std::string> nested;  // patterns for its path and those of the regions inside
};

RegionInRun find_region(Profile const& profile, std::string const& region) {
  std::vector<RegionSummary> const all = list_regions(profile, {}, read_overview(profile, {}));
  auto const found = std::ranges::find(all, region, &RegionSummary::path);
  if (found == all.end())
    throw SelectionError(
        visible(fmt::format("{}: --region: no region of the profile is \"{}\"", profile.directory().string(), region)));
  RegionInRun in_run{found->inclusive, {}};
  std::string const inside = region + commprof::region_names::separator;
  for (RegionSummary const& one : all)
    if (one.path == region || one.path.starts_with(inside)) in_run.nested.push_back(pattern_of(one.path));
  return in_run;
}

Runs read_region(std::filesystem::path const& path, std::string const& region) {
  RegionInRun const in_run = find_region(Profile(path), region);
  Runs runs = read_runs({path}, {.regions = in_run.nested});
  Overview& head = runs.heads.front();
  head.run.wall_s = in_run.totals.wall_max_s;
  head.wall_s = in_run.totals.wall_s;
  head.threads_wall_s = in_run.totals.threads_wall_s;
  head.mpi_s = in_run.totals.mpi_s;
  head.efficiency = in_run.totals.efficiency;
  return runs;
}

// Appends one run to `runs`, which will have `count` runs in the end.
void join(Runs& runs, Runs&& one, std::size_t count) {
  std::size_t const place = runs.heads.size();
  runs.heads.push_back(std::move(one.heads.front()));
  runs.program_builds.push_back(std::move(one.program_builds.front()));
  for (auto& [name, communicator] : one.communicators) {
    CommunicatorInRuns& joined = runs.communicators[name];
    joined.all.resize(count);
    joined.all[place] = communicator.all.front();
    for (auto& [operation, efforts] : communicator.operations) {
      EffortOfRuns& of_operation = joined.operations[operation];
      of_operation.resize(count);
      of_operation[place] = efforts.front();
    }
  }
}

}  // namespace

Runs read_measured_runs(std::vector<std::filesystem::path> const& profiles, std::string const& region) {
  if (region.empty()) return read_runs(profiles, {});
  Runs runs;
  for (std::filesystem::path const& profile : profiles) join(runs, read_region(profile, region), profiles.size());
  return runs;
}

}  // namespace mpisee_through
