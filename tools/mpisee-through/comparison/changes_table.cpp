#include "comparison/changes_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;
using ChangeColumns = std::vector<table::Column<ChangeRow>>;

// The interquartile range as a share of the median.
std::optional<double> spread_of(Distribution const& time_s) {
  return share_of(time_s.upper_quartile - time_s.lower_quartile, time_s.median);
}

template <class Text>
std::string format_both(double before, double after, Text text) {
  auto const rounded = [&](double amount) { return text(static_cast<std::uint64_t>(std::llround(amount))); };
  std::string const first = rounded(before), second = rounded(after);
  return first == second ? first : fmt::format("{} → {}", first, second);
}

void add_side(ChangeColumns& columns, std::string const& key, char const* title, ChangeSide ChangeRow::*side,
              bool is_tested) {
  auto const add = [&](char const* name, Kind kind, auto value) {
    columns.push_back({key + "_" + name, "", kind, [=](ChangeRow const& row) { return value(row.*side); }});
  };
  auto const median = [=](ChangeRow const& row) {
    return (row.*side).runs == 0 ? table::Value() : table::Value((row.*side).values.median);
  };
  columns.push_back({key, title, Kind::seconds, median, In::people});
  if (is_tested)
    columns.push_back({key + "_spread", "Spread", Kind::share,
                       [=](ChangeRow const& row) { return spread_of((row.*side).values); }, In::people});
  add("runs", Kind::count, [](ChangeSide const& one) { return one.runs; });
  add("time_s", Kind::seconds, [](ChangeSide const& one) { return one.values.median; });
  add("time_mean_s", Kind::seconds, [](ChangeSide const& one) { return one.values.mean; });
  add("time_q1_s", Kind::seconds, [](ChangeSide const& one) { return one.values.lower_quartile; });
  add("time_q3_s", Kind::seconds, [](ChangeSide const& one) { return one.values.upper_quartile; });
  add("calls", Kind::count, [](ChangeSide const& one) { return one.calls; });
  add("bytes", Kind::bytes, [](ChangeSide const& one) { return one.bytes; });
}

// The runs of a side that have windows of time; no side if none has.
std::optional<ChangeSide> side_in_part(Runs const& runs, RunGroup const& group, std::size_t part) {
  std::vector<double> shares;
  for (std::size_t const run : group)
    if (part < runs.mpi_over_time[run].size()) shares.push_back(runs.mpi_over_time[run][part]);
  if (shares.empty()) return std::nullopt;
  return ChangeSide{shares.size(), describe(shares)};
}

double difference(ChangeRow const& row) { return row.after.values.median - row.before.values.median; }

// The sizes and algorithms of calls whose algorithm has changed.
ChangeColumns columns_of_algorithms() {
  auto const of = [](auto value) {
    return [=](ChangeRow const& row) { return row.algorithm == nullptr ? table::Value() : value(*row.algorithm); };
  };
  using One = AlgorithmChange;
  return {{"size_min", "", Kind::bytes, of([](One const& one) { return table::Value(one.sizes.min_bytes); })},
          {"size_max", "", Kind::bytes, of([](One const& one) { return table::Value(one.sizes.max_bytes); })},
          {"before_algorithm", "", Kind::name, of([](One const& one) { return table::Value(one.before); })},
          {"after_algorithm", "", Kind::name, of([](One const& one) { return table::Value(one.after); })}};
}

}  // namespace

ChangeRow row_of(Change const& change, std::string profile_after, std::string comm, std::string op) {
  auto const side = [](Side const& one) { return ChangeSide{one.runs, one.time_s, one.calls, one.bytes}; };
  return {.profile_after = std::move(profile_after),
          .comm = std::move(comm),
          .op = std::move(op),
          .before = side(change.before),
          .after = side(change.after),
          .relative = change.relative(),
          .p = change.p,
          .p_adjusted = change.p_adjusted,
          .change = &change};
}

std::vector<ChangeRow> rows_of_runs(Comparison const& comparison, std::string const& profile_after) {
  std::vector<ChangeRow> rows;
  auto const add = [&](std::string_view quantity, Distribution const& before, Distribution const& after,
                       std::optional<double> relative, std::optional<double> p) {
    rows.push_back({.profile_after = profile_after,
                    .comm = "",
                    .op = "",
                    .before = {comparison.before.size(), before},
                    .after = {comparison.after.size(), after},
                    .relative = relative,
                    .p = p,
                    .p_adjusted = p,
                    .quantity = quantity});
  };
  auto const add_time = [&](std::string_view quantity, Change const& change) {
    add(quantity, change.before.time_s, change.after.time_s, change.relative(), change.p);
  };
  add_time("wall_s", comparison.wall);
  add_time("rank_mpi_mean_s", comparison.mpi);
  add_time("rank_outside_mpi_mean_s", comparison.outside);
  for (EfficiencyChange const& one : comparison.efficiencies)
    add(one.quantity, one.before, one.after, std::nullopt, one.p);
  return rows;
}

std::vector<ChangeRow> rows_over_time(Runs const& runs, Comparison const& comparison,
                                      std::string const& profile_after) {
  std::vector<ChangeRow> rows;
  for (std::size_t part = 0;; ++part) {
    auto const before = side_in_part(runs, comparison.before, part), after = side_in_part(runs, comparison.after, part);
    if (!before || !after) return rows;
    rows.push_back({.profile_after = profile_after,
                    .comm = "",
                    .op = "",
                    .before = *before,
                    .after = *after,
                    .quantity = "mpi_share",
                    .part = part + 1});
  }
}

std::vector<ChangeRow> rows_of_algorithms(Comparison const& comparison, std::string const& profile_after) {
  std::vector<ChangeRow> rows;
  for (AlgorithmChange const& one : comparison.algorithms) {
    ChangeRow row = row_of(one.change, profile_after, one.communicator, one.operation);
    row.quantity = "algorithm_mean_s";
    row.algorithm = &one;
    rows.push_back(std::move(row));
  }
  return rows;
}

table::View<ChangeRow> view_of_changes(bool totals_only, bool is_tested) {
  // Text has calls below their communicator; the lines of a page can be sorted.
  ChangeColumns columns{{"name", totals_only ? "Communicator" : "Communicator, call", Kind::name,
                         [](ChangeRow const& row) { return row.op.empty() ? row.comm : "  " + row.op; }, In::text},
                        {"after", "", Kind::name, &ChangeRow::profile_after},
                        {"comm", "Communicator", Kind::name, &ChangeRow::comm, ~In::text}};
  if (!totals_only) columns.push_back({"op", "Call", Kind::name, &ChangeRow::op, ~In::text});
  add_side(columns, "before", "Before", &ChangeRow::before, is_tested);
  add_side(columns, "after", "After", &ChangeRow::after, is_tested);
  auto const both = [](auto amount, auto text) {
    return [=](ChangeRow const& row) {
      double const before = row.change->before.*amount, after = row.change->after.*amount;
      return table::ordered(format_both(before, after, text), after);
    };
  };
  auto const change = [](ChangeRow const& row) {
    return table::ordered(format_change(difference(row)), difference(row));
  };
  // A new call grows beyond all others.
  auto const relative = [](ChangeRow const& row) {
    bool const is_new = row.change->before.runs == 0 && row.change->after.runs > 0;
    return table::ordered(format_relative(*row.change), is_new ? std::numeric_limits<double>::max() : row.relative);
  };
  columns.insert(columns.end(), {{"change", "Change", Kind::figure, change, In::people},
                                 {"change_s", "", Kind::seconds, difference},
                                 {"relative", "Relative", Kind::figure, relative, In::people},
                                 {"change_relative", "", Kind::share, &ChangeRow::relative},
                                 {"p", "", Kind::probability, &ChangeRow::p},
                                 {"p_adjusted", is_tested ? "p" : "", Kind::probability, &ChangeRow::p_adjusted},
                                 {"quantity", "", Kind::name, &ChangeRow::quantity},
                                 {"part", "", Kind::count, &ChangeRow::part},
                                 {"significant", is_tested ? "Significant" : "", Kind::flag,
                                  [](ChangeRow const& row) { return row.change->is_significant(); }, In::people},
                                 {"calls", "Calls", Kind::figure, both(&Side::calls, format_count), In::people},
                                 {"volume", "Volume", Kind::figure, both(&Side::bytes, format_bytes), In::people}});
  std::ranges::copy(columns_of_algorithms(), std::back_inserter(columns));
  return {.name = "changes", .columns = std::move(columns)};
}

}  // namespace mpisee_through
