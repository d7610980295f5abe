#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The communicators that one kind of call creates from one parent.
struct Children {
  double made = 0;  // creating calls of each rank
  double made_s = 0;
  std::uint64_t releases = 0;  // Comm_free and Comm_disconnect of the children, by all ranks
  double releases_s = 0;
  std::uint64_t uses = 0;               // all other calls on the children
  std::uint64_t ranks = 0;              // ranks of the parent
  std::string called_at{};              // place of the creating call
  std::vector<CommOperation> places{};  // the creating and releasing operations
};

bool is_release(std::string_view operation) { return operation == "Comm_free" || operation == "Comm_disconnect"; }

using Makers = std::map<std::pair<std::string, std::string>, Children>;  // by parent and call

void add_child(Summary const& summary, CommunicatorIndex index, Makers& makers) {
  CommunicatorSummary const& child = summary.communicator(index);
  if (child.created_by.empty()) return;
  Children& children = makers[{child.parent, child.created_by}];
  for (OperationSummary const& operation : child.operations) {
    if (is_release(summary.name_of(operation.operation))) {
      children.releases += operation.totals.calls;
      children.releases_s += operation.totals.time_s;
      children.places.push_back({index, operation.operation});
    } else {
      children.uses += operation.totals.calls;
    }
  }
}

void add_creations(Summary const& summary, CommunicatorIndex index, Makers& makers) {
  CommunicatorSummary const& parent = summary.communicator(index);
  auto const first = makers.lower_bound({parent.name, ""});
  if (first == makers.end() || first->first.first != parent.name || parent.ranks == 0) return;
  for (OperationSummary const& operation : parent.operations) {
    auto const found = makers.find({parent.name, summary.name_of(operation.operation)});
    if (found == makers.end()) continue;
    found->second.ranks = parent.ranks;
    found->second.made = static_cast<double>(operation.totals.calls) / static_cast<double>(parent.ranks);
    found->second.made_s = operation.totals.time_s;
    found->second.called_at = called_at(summary, operation);
    found->second.places.push_back({index, operation.operation});
  }
}

}  // namespace

std::vector<Finding> find_communicator_churn(Evidence const& evidence) {
  if (!evidence.whole_ranks) return {};
  Summary const& summary = evidence.summary;
  Makers makers;
  auto const for_each_index = [&](auto add) {
    for (std::size_t i = 0; i < summary.communicators.size(); ++i)
      add(summary, static_cast<CommunicatorIndex>(i), makers);
  };
  for_each_index(add_child);
  for_each_index(add_creations);

  std::vector<Finding> found;
  for (auto const& [maker, children] : makers) {
    auto const& [parent, call] = maker;
    if (children.ranks == 0 || children.made < static_cast<double>(thresholds::churn_calls)) continue;
    double const made_by_ranks = children.made * static_cast<double>(children.ranks);
    double const freed = static_cast<double>(children.releases) / made_by_ranks;
    double const uses = static_cast<double>(children.uses) / made_by_ranks;
    if (freed < thresholds::churn_freed || uses > thresholds::churn_uses) continue;
    double const time_s = children.made_s + children.releases_s;
    if (share_of_wall(evidence, time_s) < thresholds::churn_of_wall) continue;
    found.push_back(
        {.rule = {},
         .weight = share_of_wall(evidence, time_s),
         .fact = fmt::format(
             "Each rank calls {} on {}{} {} times and frees {} of what it makes, after {:.1f} calls on each, the mean "
             "of all ranks; making and freeing take {} of the MPI time.",
             call, parent, children.called_at, format_count(static_cast<std::uint64_t>(std::llround(children.made))),
             format_share(std::min(freed, 1.0)), uses, format_share(time_s / summary.operations_s)),
         .options = fmt::format("{} {} {}", operations_view(children.called_at), option_of_communicator(parent),
                                option("--op", call)),
         .advice = "make the communicator once and keep it; a library that duplicates at each call can cache its "
                   "duplicate as an attribute of the user's communicator.",
         .places = children.places});
  }
  return found;
}

}  // namespace mpisee_through
