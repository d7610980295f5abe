#include "comparison/algorithm_changes.hpp"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "summary/efficiency.hpp"
#include "summary/families.hpp"

namespace mpisee_through {
namespace {

// Calls of sizes of one class, in all runs.
struct CallsOfSize {
  std::vector<std::set<std::string>> algorithms;
  EffortOfRuns efforts;
};

std::string algorithms_of(CallsOfSize const& calls, RunGroup const& group) {
  std::set<std::string> all;
  for (std::size_t const run : group) all.insert(calls.algorithms[run].begin(), calls.algorithms[run].end());
  std::string joined;
  for (std::string const& one : all) joined += (joined.empty() ? "" : " and ") + one;
  return joined;
}

// Adds calls of other sizes on the same communicators.
void add_sizes(EffortOfRuns& sums, EffortOfRuns const& others) {
  for (std::size_t run = 0; run < sums.size(); ++run) {
    if (sums[run] && others[run]) *sums[run] += *others[run];
    else if (others[run]) sums[run] = others[run];
  }
}

}  // namespace

std::vector<OtherAlgorithmThanBefore> changed_algorithms(Runs const& runs, RunGroup const& before,
                                                         RunGroup const& after) {
  std::map<std::tuple<std::string, std::string, SizeBin>, CallsOfSize> all;
  for (std::size_t run = 0; run < runs.algorithms.size(); ++run)
    for (AlgorithmInRun const& one : runs.algorithms[run]) {
      bool const is_alone = runs.communicators.contains(one.communicator);
      CallsOfSize& calls = all[{is_alone ? one.communicator : family_of(one.communicator), one.operation, one.sizes}];
      calls.algorithms.resize(runs.algorithms.size());
      calls.efforts.resize(runs.algorithms.size());
      calls.algorithms[run].insert(one.algorithm);
      Effort& sum = calls.efforts[run] ? *calls.efforts[run] : calls.efforts[run].emplace();
      sum += one.effort;
      sum.ranks += one.effort.ranks;
      sum.time_s = share_of(sum.rank_time_s, sum.ranks).value_or(0);
    }

  std::vector<OtherAlgorithmThanBefore> changed;
  bool is_next = false;  // to the last one that changed
  for (auto const& [key, calls] : all) {
    auto const& [communicator, operation, sizes] = key;
    OtherAlgorithmThanBefore one{
        communicator, operation, sizes, algorithms_of(calls, before), algorithms_of(calls, after), calls.efforts};
    if (one.before.empty() || one.after.empty()) continue;
    bool const has_changed = one.before != one.after;
    if (has_changed && is_next && changed.back().communicator == communicator &&
        changed.back().operation == operation && changed.back().before == one.before &&
        changed.back().after == one.after) {
      changed.back().sizes.max_bytes = sizes.max_bytes;
      add_sizes(changed.back().efforts, one.efforts);
    } else if (has_changed) {
      changed.push_back(std::move(one));
    }
    is_next = has_changed;
  }
  return changed;
}

}  // namespace mpisee_through
