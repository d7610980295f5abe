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

// Whether two names, which may be such as "pairwise or linear", can stand for the same algorithm.
bool may_be_same(std::string_view one, std::string_view other) {
  constexpr std::string_view between = " or ";
  auto const at = one.find(between);
  if (at != one.npos)
    return may_be_same(one.substr(0, at), other) || may_be_same(one.substr(at + between.size()), other);
  return other.find(between) == other.npos ? one == other : may_be_same(other, one);
}

// Whether a name of one side can stand for none of the other side.
bool have_another(AlgorithmNames const& names, AlgorithmNames const& others) {
  return std::ranges::any_of(names, [&](std::string const& name) {
    return std::ranges::none_of(others, [&](std::string const& other) { return may_be_same(name, other); });
  });
}

bool have_changed(AlgorithmNames const& before, AlgorithmNames const& after) {
  bool const are_known = !before.empty() && !after.empty() && !before.contains("unknown") && !after.contains("unknown");
  return are_known && (have_another(before, after) || have_another(after, before));
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
    bool const has_changed = have_changed(names_before, names_after);
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
