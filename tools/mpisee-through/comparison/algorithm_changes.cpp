#include "comparison/algorithm_changes.hpp"

#include <algorithm>
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

using AlgorithmNames = std::set<std::string>;

AlgorithmNames algorithms_of(CallsOfSize const& calls, RunGroup const& group) {
  AlgorithmNames all;
  for (std::size_t const run : group) all.insert(calls.algorithms[run].begin(), calls.algorithms[run].end());
  return all;
}

std::string in_words(AlgorithmNames const& names) {
  std::string joined;
  for (std::string const& one : names) joined += (joined.empty() ? "" : " and ") + one;
  return joined;
}

// The single names of a name such as "pairwise or linear".
AlgorithmNames alternatives(AlgorithmNames const& names) {
  constexpr std::string_view between = " or ";
  AlgorithmNames single;
  for (std::string_view rest : names) {
    for (std::size_t at = rest.find(between); at != rest.npos; at = rest.find(between)) {
      single.emplace(rest.substr(0, at));
      rest.remove_prefix(at + between.size());
    }
    single.emplace(rest);
  }
  return single;
}

// Whether the names of both sides are known, and have none in common.
bool are_others(AlgorithmNames const& before, AlgorithmNames const& after) {
  AlgorithmNames const one = alternatives(before), other = alternatives(after);
  return !one.contains("unknown") && !other.contains("unknown") &&
         std::ranges::none_of(one, [&](std::string const& name) { return other.contains(name); });
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
    AlgorithmNames const names_before = algorithms_of(calls, before), names_after = algorithms_of(calls, after);
    bool const has_changed = !names_before.empty() && !names_after.empty() && are_others(names_before, names_after);
    OtherAlgorithmThanBefore one{communicator,          operation,    sizes, in_words(names_before),
                                 in_words(names_after), calls.efforts};
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
