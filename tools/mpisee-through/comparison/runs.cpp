#include "comparison/runs.hpp"

#include <fmt/format.h>

#include "files/visible_text.hpp"
#include "summary/name_filter.hpp"
#include "summary/summarise.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {
namespace {

class RunsReader {
 public:
  explicit RunsReader(Selection const& selection)
      : communicator_patterns_(selection.communicators),
        operation_patterns_(selection.operations),
        of_each_run_(selection),
        has_efficiencies_(selection.communicators.empty() && selection.operations.empty() && selection.kinds.empty() &&
                          selection.sites.empty() && !selection.sizes) {
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
  [[nodiscard]] Summary summarise_one(std::filesystem::path const& path) const {
    Profile const profile(path);
    try {
      return summarise(profile, of_each_run_, Detail::operations);
    } catch (SelectionError const& error) {
      throw SelectionError(fmt::format("{}: {}", visible_name(profile), error.what()));
    }
  }

  static std::string visible_name(Profile const& profile) { return visible(profile.directory().string()); }

  void add(Summary const& summary) {
    std::size_t const run = runs_.heads.size();
    runs_.heads.push_back(summary);
    // Matches the patterns with each operation of the run, so that check() finds only those that match nothing.
    std::vector<bool> operation_selected;
    for (std::string const& name : summary.operation_names) {
      operation_selected.push_back(
          operation_patterns_.match([&](std::string const& glob) { return matches_operation(glob, name); }));
    }
    for (CommunicatorSummary const& communicator : summary.communicators) {
      bool const selected = communicator_patterns_.match([&](std::string const& glob) {
        return matches_communicator(glob, communicator.name, communicator.user_name);
      });
      if (!selected) continue;
      for (OperationSummary const& operation : communicator.operations) {
        if (!operation_selected[static_cast<std::size_t>(operation.operation)]) continue;
        add(run, communicator, summary.name_of(operation.operation), operation);
      }
    }
  }

  void add(std::size_t run, CommunicatorSummary const& communicator, std::string const& name,
           OperationSummary const& operation) {
    CommunicatorInRuns& joined = runs_.communicators[communicator.name];
    joined.size = communicator.size;
    Effort const effort{communicator.mean_s(operation), static_cast<double>(operation.totals.calls),
                        static_cast<double>(operation.totals.bytes()), static_cast<double>(operation.totals.time_s)};
    for (EffortOfRuns* efforts : {&joined.all, &joined.operations[name]}) {
      efforts->resize(count_);
      Effort& sum = (*efforts)[run] ? *(*efforts)[run] : (*efforts)[run].emplace();
      sum.time_s += effort.time_s;
      sum.calls += effort.calls;
      sum.bytes += effort.bytes;
      sum.rank_time_s += effort.rank_time_s;
    }
  }

  Runs runs_;
  std::size_t count_ = 0;
  Patterns communicator_patterns_;
  Patterns operation_patterns_;
  Selection of_each_run_;
  bool has_efficiencies_;
};

}  // namespace

Runs read_runs(std::vector<std::filesystem::path> const& profiles, Selection const& selection) {
  return RunsReader(selection).read(profiles);
}

}  // namespace mpisee_through
