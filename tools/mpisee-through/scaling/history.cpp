#include "scaling/history.hpp"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <tuple>

#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "scaling/measured_runs.hpp"

namespace mpisee_through {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> subdirectories(fs::path const& directory) {
  std::error_code error;
  fs::directory_iterator const entries(directory, error);
  if (error) throw ProfileError(directory, std::nullopt, error.message());
  std::vector<fs::path> found;
  for (fs::directory_entry const& entry : entries) {
    if (entry.is_directory(error)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

bool is_profile(fs::path const& directory) {
  std::error_code error;
  return fs::exists(directory / commprof::schema::run_file, error);
}

std::vector<fs::path> profiles_in(fs::path const& folder) {
  if (is_profile(folder)) return {folder};
  std::vector<fs::path> found = subdirectories(folder);
  std::erase_if(found, [](fs::path const& one) { return !is_profile(one); });
  return found;
}

std::string commit_of(fs::path const& folder) {
  std::string line;
  std::ifstream file(folder / "commit");
  std::getline(file, line);
  while (line.ends_with(' ') || line.ends_with('\r')) line.pop_back();
  return visible(line.empty() ? folder.filename().string() : line);
}

std::string first_start(Runs const& runs) {
  std::string first;
  for (Overview const& head : runs.heads) {
    std::string const& start = head.run.start;
    if (!start.empty() && (first.empty() || start < first)) first = start;
  }
  return first;
}

}  // namespace

History read_history(fs::path const& directory, std::string const& region, std::optional<ScalingKind> kind) {
  History history;
  for (fs::path const& folder : subdirectories(directory)) {
    std::vector<fs::path> const profiles = profiles_in(folder);
    if (profiles.empty()) continue;
    Runs runs = read_measured_runs(profiles, region);
    std::string const start = first_start(runs);
    bool const tells_something = std::ranges::any_of(runs.heads, tells_of_scaling);
    if (!tells_something) continue;
    Scaling scaling = scaling_of(runs, kind);
    history.push_back({commit_of(folder), start, std::move(runs), std::move(scaling)});
  }
  if (history.empty())
    throw ProfileError(directory, std::nullopt, "has no folders with profiles, one folder for each commit");
  std::ranges::stable_sort(history, {}, &CommitRuns::start);
  return history;
}

ScalingPoint const* point_before(History const& history, std::size_t commit, std::uint32_t ranks) {
  while (commit > 0) {
    auto const& points = history[--commit].scaling.points;
    auto const found = std::ranges::find(points, ranks, &ScalingPoint::ranks);
    if (found != points.end()) return &*found;
  }
  return nullptr;
}

}  // namespace mpisee_through
