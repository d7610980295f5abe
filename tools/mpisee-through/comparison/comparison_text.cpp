#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "comparison/comparison_forms.hpp"
#include "comparison/notices.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::string format_change(double seconds) {
  if (seconds == 0) return "0 s";
  return (seconds < 0 ? "-" : "+") + format_seconds(std::abs(seconds));
}

// "+12.3 %", "25x" from ten times on, "new", "gone". Nothing to relate to: "-".
std::string format_relative(Change const& change) {
  if (change.before.runs == 0 && change.after.runs > 0) return "new";
  if (change.after.runs == 0 && change.before.runs > 0) return "gone";
  auto const relative = change.relative();
  if (!relative) return "-";
  if (*relative == 0) return "0 %";
  double const factor = 1 + *relative;
  if (factor >= 10) return format_count(static_cast<std::uint64_t>(std::llround(factor))) + "x";
  return fmt::format("{:+.1f} %", 100 * *relative);
}

// The middle half of the runs, as a part of the median.
std::string format_spread(Distribution const& time_s) {
  if (time_s.median <= 0) return "-";
  return fmt::format("{:.1f} %", 100 * (time_s.upper_quartile - time_s.lower_quartile) / time_s.median);
}

template <class Text>
std::string format_both(double before, double after, Text text) {
  auto const rounded = [&](double amount) { return text(static_cast<std::uint64_t>(std::llround(amount))); };
  if (before == after) return rounded(before);
  return fmt::format("{} → {}", rounded(before), rounded(after));
}

// A table of changes: a line for each communicator and, indented, its operations.
class ChangeTable {
 public:
  ChangeTable(Comparison const& comparison, ComparisonLayout const& layout)
      : layout_(layout),
        shown_(first_ones(comparison.communicators, layout)),
        is_tested_(comparison.wall.p.has_value()),
        columns_(0, titles()) {
    for_each_line([this](std::string const& name, Change const& change) { columns_.fit(cells(name, change)); });
  }

  void print(std::ostream& out) const {
    columns_.print_titles(out);
    for_each_line([&](std::string const& name, Change const& change) {
      bool const is_grey = layout_.grey && !change.is_significant();
      if (is_grey) out << "\x1b[2m";
      columns_.print(out, cells(name, change));
      if (is_grey) out << "\x1b[0m";
    });
  }

 private:
  template <class Use>
  void for_each_line(Use use) const {
    for (CommunicatorChange const& communicator : shown_) {
      use(communicator.name, communicator.change);
      if (layout_.totals_only) continue;
      for (OperationChange const& operation : communicator.operations)
        use("  " + operation.operation, operation.change);
    }
  }

  [[nodiscard]] std::vector<Columns::Column> titles() const {
    using namespace align;
    std::vector<Columns::Column> titles{{layout_.totals_only ? "Communicator" : "Communicator, call", left}};
    for (char const* side : {"Before", "After"}) {
      titles.push_back({side, right});
      if (is_tested_) titles.push_back({"Spread", right});
    }
    for (char const* title : {"Change", "Relative"}) titles.push_back({title, right});
    if (is_tested_) titles.insert(titles.end(), {{"p", right}, {"Significant", left}});
    for (char const* title : {"Calls", "Volume"}) titles.push_back({title, right});
    return titles;
  }

  [[nodiscard]] std::vector<std::string> cells(std::string const& name, Change const& change) const {
    std::vector<std::string> cells{name};
    for (Side const* side : {&change.before, &change.after}) {
      cells.push_back(side->runs == 0 ? "-" : format_seconds(side->time_s.median));
      if (is_tested_) cells.push_back(format_spread(side->time_s));
    }
    cells.push_back(format_change(change.seconds()));
    cells.push_back(format_relative(change));
    if (is_tested_) {
      cells.push_back(format_p(change.p_adjusted));
      cells.emplace_back(change.is_significant() ? "yes" : "no");
    }
    cells.push_back(format_both(change.before.calls, change.after.calls, format_count));
    cells.push_back(format_both(change.before.bytes, change.after.bytes, format_bytes));
    return cells;
  }

  ComparisonLayout const& layout_;
  std::span<CommunicatorChange const> shown_;
  bool is_tested_;
  Columns columns_;
};

void print_efficiencies(std::ostream& out, std::vector<EfficiencyChange> const& efficiencies) {
  using namespace align;
  if (efficiencies.empty()) return;
  bool const is_tested = efficiencies.front().p.has_value();
  std::vector<Columns::Column> titles{{"Efficiency", left}, {"Before", right}, {"After", right}, {"Change", right}};
  if (is_tested) titles.push_back({"p", right});
  Columns columns(0, titles);
  std::vector<std::vector<std::string>> lines;
  for (EfficiencyChange const& one : efficiencies) {
    std::string const name = std::string(2 * static_cast<std::size_t>(one.depth), ' ') + std::string(one.name);
    lines.push_back({name, format_share(one.before.median), format_share(one.after.median),
                     one.difference() == 0 ? "0 points" : fmt::format("{:+.1f} points", 100 * one.difference())});
    if (is_tested) lines.back().push_back(format_p(one.p));
    columns.fit(lines.back());
  }
  columns.print_titles(out);
  for (auto const& cells : lines) columns.print(out, cells);
  out << '\n';
}

void print_notices(std::ostream& out, std::vector<std::string> const& notices) {
  for (std::string const& notice : notices) print_fact(out, "Note", notice);
}

// What a table says that would have no lines.
std::string_view why_no_calls(Runs const& runs) {
  auto const with_calls =
      std::ranges::find_if(runs.heads, [](Overview const& head) { return !head.run.has_no_calls(); });
  return why_no_calls(with_calls == runs.heads.end() ? runs.heads.front().run : with_calls->run);
}

void print_remainder(std::ostream& out, std::size_t shown, std::size_t all) {
  if (shown < all) fmt::print(out, "\nNot shown, beyond --top: {}.\n", format_count(all - shown));
}

std::string format_correlation(std::optional<Correlation> const& correlation) {
  return correlation ? fmt::format("{:.3f}", correlation->coefficient) : "-";
}

}  // namespace

std::string format_times(Change const& change) {
  std::string const p = change.p ? fmt::format(", p {}", format_p(change.p_adjusted)) : "";
  return fmt::format("{} → {}, {} ({}){}", format_seconds(change.before.time_s.median),
                     format_seconds(change.after.time_s.median), format_change(change.seconds()),
                     format_relative(change), p);
}

void print_comparison(std::ostream& out, Runs const& runs, Comparison const& comparison, ComparisonLayout const& layout,
                      bool with_caution) {
  print_fact(out, "Before", name_group(runs, comparison.before));
  print_fact(out, "After", name_group(runs, comparison.after));
  print_notices(out, comparison.notices);
  if (with_caution) print_fact(out, "Note", comparison.caution);
  print_fact(out, "Wall time", format_times(comparison.wall));
  print_fact(out, "MPI time", format_times(comparison.mpi) + ", mean over ranks");
  print_fact(out, "Outside", format_times(comparison.outside) + ", mean over ranks");
  out << '\n';
  print_efficiencies(out, comparison.efficiencies);
  if (comparison.communicators.empty()) {
    out << why_no_calls(runs);
    return;
  }
  ChangeTable(comparison, layout).print(out);
  print_remainder(out, first_ones(comparison.communicators, layout).size(), comparison.communicators.size());
}

void print_correlations(std::ostream& out, Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators,
                        ComparisonLayout const& layout) {
  using namespace align;
  RunGroup all(runs.heads.size());
  std::vector<double> wall_s;
  for (std::size_t run = 0; run < all.size(); ++run) {
    all[run] = run;
    wall_s.push_back(runs.heads[run].run.wall_s);
  }
  Distribution const wall = describe(wall_s);
  print_fact(out, "Runs", name_group(runs, all));
  print_notices(out, notices_of(runs));
  print_fact(out, "Wall time",
             fmt::format("{} to {}, median {}", format_seconds(wall.min), format_seconds(wall.max),
                         format_seconds(wall.median)));
  out << '\n';
  if (communicators.empty()) {
    out << why_no_calls(runs);
    return;
  }
  Columns columns(0, {{"Communicator", left},
                      {"Size", right},
                      {"Runs", right},
                      {"Mean time", right},
                      {"Pearson", right},
                      {"p", right},
                      {"Spearman", right},
                      {"p", right},
                      {"Slope", right}});
  std::vector<std::vector<std::string>> lines;
  for (CorrelatedCommunicator const& one : first_ones(communicators, layout)) {
    lines.push_back({one.name, format_count(one.size), format_count(one.runs), format_seconds(one.time_mean_s),
                     format_correlation(one.pearson), format_p(one.pearson_p_adjusted),
                     format_correlation(one.spearman), format_p(one.spearman_p_adjusted),
                     one.slope ? fmt::format("{:.3g}", *one.slope) : "-"});
    columns.fit(lines.back());
  }
  columns.print_titles(out);
  for (auto const& cells : lines) columns.print(out, cells);
  print_remainder(out, lines.size(), communicators.size());
}

}  // namespace mpisee_through
