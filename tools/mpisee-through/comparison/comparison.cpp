#include "comparison/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "comparison/algorithm_changes.hpp"
#include "comparison/notices.hpp"
#include "summary/arrangement.hpp"

namespace mpisee_through {
namespace {

std::vector<Effort> efforts_of(EffortOfRuns const& all, RunGroup const& group) {
  std::vector<Effort> efforts;
  for (std::size_t const run : group) efforts.push_back(all[run].value_or(Effort{}));
  return efforts;
}

std::vector<double> amounts(std::vector<Effort> const& efforts, double Effort::*which) {
  std::vector<double> values;
  for (Effort const& effort : efforts) values.push_back(effort.*which);
  return values;
}

Side side_of(EffortOfRuns const& all, RunGroup const& group) {
  std::vector<Effort> const efforts = efforts_of(all, group);
  auto const present = std::ranges::count_if(group, [&](std::size_t run) { return all[run].has_value(); });
  return {static_cast<std::size_t>(present), describe(amounts(efforts, &Effort::time_s)),
          describe(amounts(efforts, &Effort::calls)).median, describe(amounts(efforts, &Effort::bytes)).median};
}

class Comparer {
 public:
  Comparer(Runs const& runs, RunGroup const& before, RunGroup const& after)
      : runs_(runs),
        result_{.before = before,
                .after = after,
                .wall = {},
                .mpi = {},
                .outside = {},
                .efficiencies = compare_efficiencies(runs, before, after),
                .communicators{},
                .algorithms{},
                .notices = notices_of(runs, before, after),
                .caution = caution_of(runs, before, after)} {}

  Comparison run(ChangeKey key) {
    result_.wall = change_of(head_times([](Overview const& head) { return head.run.wall_s; }));
    result_.mpi = change_of(head_times([](Overview const& head) {
      return head.selected_ranks == 0 ? 0 : head.mpi_s / static_cast<double>(head.selected_ranks);
    }));
    result_.outside = change_of(head_times([](Overview const& head) { return head.efficiency.useful_mean_s(); }));
    for (auto const& [name, communicator] : runs_.communicators) add(name, communicator);
    adjust();
    for (auto& one : changed_algorithms(runs_, result_.before, result_.after)) {
      Change const change{side_of(one.efforts, with_algorithms(result_.before)),
                          side_of(one.efforts, with_algorithms(result_.after))};
      result_.algorithms.push_back({std::move(one.communicator), std::move(one.operation), one.sizes,
                                    std::move(one.before), std::move(one.after), change});
    }
    sort(key);
    return std::move(result_);
  }

 private:
  // The runs that tell algorithms.
  [[nodiscard]] RunGroup with_algorithms(RunGroup group) const {
    std::erase_if(group, [&](std::size_t run) { return runs_.algorithms[run].empty(); });
    return group;
  }

  template <class Time>
  [[nodiscard]] EffortOfRuns head_times(Time time) const {
    EffortOfRuns times;
    for (Overview const& head : runs_.heads) times.push_back(Effort{time(head), 0, 0});
    return times;
  }

  [[nodiscard]] bool is_tested() const { return result_.before.size() > 1 && result_.after.size() > 1; }

  [[nodiscard]] Change change_of(EffortOfRuns const& all) const {
    Change change{side_of(all, result_.before), side_of(all, result_.after)};
    if (is_tested()) {
      change.p = mann_whitney_p(amounts(efforts_of(all, result_.before), &Effort::time_s),
                                amounts(efforts_of(all, result_.after), &Effort::time_s));
      change.p_adjusted = change.p;
    }
    return change;
  }

  void add(std::string const& name, CommunicatorInRuns const& communicator) {
    CommunicatorChange added{name, change_of(communicator.all), {}};
    if (added.change.before.runs + added.change.after.runs == 0)
      return;  // the calls occur only in runs of other groups
    for (auto const& [operation, efforts] : communicator.operations) {
      Change const change = change_of(efforts);
      if (change.before.runs + change.after.runs > 0) added.operations.push_back({operation, change});
    }
    result_.communicators.push_back(std::move(added));
  }

  // Changes whose p values are adjusted together, and the times in all runs.
  struct Family {
    std::vector<Change*> changes;
    Lines times;  // the runs of the group before come first
  };

  void add_to(Family& family, Change& change, EffortOfRuns const& all) const {
    family.changes.push_back(&change);
    std::vector<double>& times = family.times.emplace_back();
    for (RunGroup const* group : {&result_.before, &result_.after})
      for (Effort const& effort : efforts_of(all, *group)) times.push_back(effort.time_s);
  }

  void adjust(Family const& family) const {
    std::vector<double> const p = permutation_p(family.times, result_.before.size());
    for (std::size_t i = 0; i < p.size(); ++i) family.changes[i]->p_adjusted = std::max(p[i], *family.changes[i]->p);
  }

  void adjust() {
    if (!is_tested()) return;
    Family communicators, operations;
    for (CommunicatorChange& communicator : result_.communicators) {
      CommunicatorInRuns const& in_runs = runs_.communicators.at(communicator.name);
      add_to(communicators, communicator.change, in_runs.all);
      for (OperationChange& operation : communicator.operations)
        add_to(operations, operation.change, in_runs.operations.at(operation.operation));
    }
    adjust(communicators);
    adjust(operations);
  }

  // The weight to sort by, descending; ties are sorted by name.
  static double weight(Change const& change, ChangeKey key) {
    switch (key) {
      case ChangeKey::change:
        return std::abs(change.seconds());
      case ChangeKey::relative:
        return change.relative() ? std::abs(*change.relative()) : change.seconds() > 0 ? INFINITY : 0;
      case ChangeKey::time:
        return std::max(change.before.time_s.median, change.after.time_s.median);
      case ChangeKey::calls:
        return std::abs(change.after.calls - change.before.calls);
      case ChangeKey::volume:
        return std::abs(change.after.bytes - change.before.bytes);
      case ChangeKey::p:
        return -change.p_adjusted.value_or(1);
      case ChangeKey::name:
        break;
    }
    return 0;
  }

  template <class Items, class Name>
  static void sort(Items& items, ChangeKey key, Name name) {
    std::ranges::stable_sort(items, [&](auto const& left, auto const& right) {
      double const left_weight = weight(left.change, key);
      double const right_weight = weight(right.change, key);
      return left_weight != right_weight ? left_weight > right_weight : name_less(left.*name, right.*name);
    });
  }

  void sort(ChangeKey key) {
    sort(result_.algorithms, key, &AlgorithmChange::communicator);
    sort(result_.communicators, key, &CommunicatorChange::name);
    for (CommunicatorChange& communicator : result_.communicators) {
      sort(communicator.operations, key, &OperationChange::operation);
    }
  }

  Runs const& runs_;
  Comparison result_;
};

}  // namespace

std::optional<double> Change::relative() const { return share_of(seconds(), before.time_s.median); }

bool Change::is_significant() const { return !p_adjusted || *p_adjusted <= significance_level; }

Comparison compare(Runs const& runs, RunGroup const& before, RunGroup const& after, ChangeKey key) {
  return Comparer(runs, before, after).run(key);
}

}  // namespace mpisee_through
