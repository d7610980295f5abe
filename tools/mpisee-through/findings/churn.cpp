// Communicators and windows that are made again and again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The communicators that one kind of call creates from one parent, or from several.
struct Children {
  std::uint64_t calls = 0;  // that create, by all ranks
  std::uint64_t kept = 0;   // those of these calls that made a communicator with many uses
  double calls_s = 0;
  // The rest counts children with few uses.
  std::uint64_t releases = 0;  // Comm_free and Comm_disconnect, by all ranks
  double releases_s = 0;
  std::uint64_t uses = 0;   // all other calls
  std::uint64_t ranks = 0;  // ranks of the parent
  std::uint64_t parents = 1;
  std::string called_at{};              // place of the creating call
  std::vector<CommOperation> places{};  // the creating and releasing operations

  void add(Children const& other) {
    calls += other.calls;
    kept += other.kept;
    calls_s += other.calls_s;
    releases += other.releases;
    releases_s += other.releases_s;
    uses += other.uses;
    if (parents++ == 0) called_at = other.called_at;
    else if (called_at != other.called_at) called_at.clear();
    places.insert(places.end(), other.places.begin(), other.places.end());
  }
  double short_lived() const { return static_cast<double>(calls - std::min(kept, calls)); }
  double short_lived_of_rank() const { return short_lived() / static_cast<double>(ranks); }
  double time_s() const {
    return calls_s * share_of(short_lived(), static_cast<double>(calls)).value_or(0) + releases_s;
  }
};

bool is_release(std::string_view operation) {
  return is_a(operation, commprof::calls::communicator, commprof::calls::release);
}

using Makers = std::map<std::pair<std::string, std::string>, Children>;  // by parent and call

void add_child(Summary const& summary, CommunicatorIndex index, Makers& makers) {
  CommunicatorSummary const& child = summary.communicator(index);
  if (child.created_by.empty()) return;
  Children& children = makers[{child.parent, child.created_by}];
  std::uint64_t uses = 0;
  for (Cell const& operation : summary.operations_on(index))
    if (!is_release(summary.name_of(operation.operation))) uses += operation.totals.calls;
  // Only the mean of folded communicators is known.
  if (!is_folded(child.name) && static_cast<double>(uses) > thresholds::churn_uses * static_cast<double>(child.ranks)) {
    children.kept += child.ranks;
    return;
  }
  children.uses += uses;
  for (Cell const& operation : summary.operations_on(index)) {
    if (!is_release(summary.name_of(operation.operation))) continue;
    children.releases += operation.totals.calls;
    children.releases_s += operation.totals.time_s;
    children.places.push_back({index, operation.operation});
  }
}

void add_creations(Summary const& summary, CommunicatorIndex index, Makers& makers) {
  CommunicatorSummary const& parent = summary.communicator(index);
  auto const first = makers.lower_bound({parent.name, ""});
  if (first == makers.end() || first->first.first != parent.name || parent.ranks == 0) return;
  for (Cell const& operation : summary.operations_on(index)) {
    auto const found = makers.find({parent.name, summary.name_of(operation.operation)});
    if (found == makers.end()) continue;
    found->second.ranks = parent.ranks;
    found->second.calls = operation.totals.calls;
    found->second.calls_s = operation.totals.time_s;
    found->second.called_at = called_at(summary, operation);
    found->second.places.push_back({index, operation.operation});
  }
}

// The windows that are made on one communicator.
struct Windows {
  Cell const* made_by = nullptr;      // the call that makes most of them
  std::uint64_t made = 0, freed = 0;  // by all ranks
  double time_s = 0;
  std::vector<CommOperation> places{};
};

Windows windows_on(Summary const& summary, CommunicatorIndex index) {
  using namespace commprof::calls;
  Windows windows;
  for (Cell const& operation : summary.operations_on(index)) {
    std::string const& name = summary.name_of(operation.operation);
    bool const makes = is_a(name, one_sided, window_creation);
    if (!makes && !is_a(name, one_sided, release)) continue;
    (makes ? windows.made : windows.freed) += operation.totals.calls;
    windows.time_s += operation.totals.time_s;
    windows.places.push_back({index, operation.operation});
    if (makes && (windows.made_by == nullptr || windows.made_by->totals.calls < operation.totals.calls))
      windows.made_by = &operation;
  }
  return windows;
}

// on: the parent communicator, in words. options: the command-line options that show the parent.
std::optional<Finding> find_churn(Evidence const& evidence, Children const& children, std::string const& call,
                                  std::string const& on, std::string const& options) {
  double const freed = static_cast<double>(children.releases) / children.short_lived();
  double const uses = static_cast<double>(children.uses) / children.short_lived();
  double const time_s = children.time_s();
  if (freed < thresholds::churn_freed || uses > thresholds::churn_uses) return {};
  if (share_of_wall(evidence, time_s) < thresholds::least_saving) return {};
  return Finding{
      .rule = {},
      .saving = share_of_wall(evidence, time_s),
      .fact = fmt::format("Each rank calls {} on {}{} {} times and frees {} of what it makes, after {:.1f} calls on "
                          "each, the mean of all ranks.",
                          call, on, children.called_at,
                          format_count(static_cast<std::uint64_t>(std::llround(children.short_lived_of_rank()))),
                          format_share(std::min(freed, 1.0)), uses),
      .options = fmt::format("{} {}{}", operations_view(children.called_at), options, option("--op", call)),
      .advice =
          "make the communicator once and keep it; a library that duplicates at each call can cache "
          "its duplicate as an attribute of the user's communicator.",
      .places = children.places};
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
  auto const add = [&](std::optional<Finding> finding) {
    if (finding) found.push_back(std::move(*finding));
  };
  std::map<std::string, Children> scattered;  // by call: over parents that have few each
  for (auto const& [maker, children] : makers) {
    auto const& [parent, call] = maker;
    if (children.calls == 0 || children.ranks == 0) continue;
    if (children.short_lived_of_rank() >= static_cast<double>(thresholds::churn_calls))
      add(find_churn(evidence, children, call, parent, option_of_communicator(parent) + " "));
    else scattered.try_emplace(call, Children{.ranks = summary.ranks.size(), .parents = 0}).first->second.add(children);
  }
  for (auto const& [call, children] : scattered) {
    if (children.parents < 2 || children.short_lived_of_rank() < static_cast<double>(thresholds::churn_calls)) continue;
    add(find_churn(evidence, children, call, format_number_of(children.parents, "communicator"), ""));
  }
  return found;
}

std::vector<Finding> find_window_churn(Evidence const& evidence) {
  if (!evidence.whole_ranks) return {};
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    Windows const windows = windows_on(summary, static_cast<CommunicatorIndex>(i));
    std::uint64_t const ranks = std::max<std::uint64_t>(communicator.ranks, 1);
    double const freed = share_of(windows.freed, windows.made).value_or(0);
    double const saving = share_of_wall(evidence, windows.time_s);
    if (windows.made < thresholds::churn_calls * ranks || freed < thresholds::churn_freed) continue;
    if (saving < thresholds::least_saving) continue;
    std::string const& name = summary.name_of(windows.made_by->operation);
    std::string const where = called_at(summary, *windows.made_by);
    found.push_back(
        {.rule = {},
         .saving = saving,
         .fact = fmt::format("Each rank makes {} windows on {} ({}{}) and frees {} of them.",
                             format_count(windows.made / ranks), communicator.name, name, where,
                             format_share(std::min(freed, 1.0))),
         .options = fmt::format("{} {} {}", operations_view(where), option_of_communicator(communicator),
                                option("--op", "Win_*")),
         .advice = "make a window once, of the largest size, and keep it; memory that comes and goes is attached to a "
                   "window of Win_create_dynamic.",
         .places = windows.places});
  }
  return found;
}

}  // namespace mpisee_through
