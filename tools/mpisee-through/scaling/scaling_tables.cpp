// What is the same in text and on the page.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "scaling/scaling_forms.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

TextTable titles_of(Scaling const& scaling, std::string_view title) {
  TextTable table{{std::string(title)}};
  for (ScalingPoint const& point : scaling.points) table.front().push_back(format_count(point.ranks));
  return table;
}

template <class Text>
void add_line(TextTable& table, std::string const& name, Scaling const& scaling, Text text) {
  std::vector<std::string>& line = table.emplace_back();
  line.push_back(name);
  for (ScalingPoint const& point : scaling.points) line.push_back(text(point));
}

// "-" if nothing of the family was called on so many ranks.
std::string share_of_family(ScalingPoint const& point, std::string const& family) {
  auto const found = point.communicator_shares.find(family);
  return found == point.communicator_shares.end() ? "-" : format_share(found->second);
}

// Against the commit before.
std::string change_since(ScalingPoint const* before, ScalingPoint const& after) {
  if (before == nullptr || before->wall_s.median <= 0) return "-";
  return fmt::format("{:+.1f} %", 100 * (after.wall_s.median / before->wall_s.median - 1));
}

}  // namespace

TextTable table_of_values(Scaling const& scaling) {
  TextTable table = titles_of(scaling, "Ranks");
  auto const add = [&](std::string const& name, auto text) { add_line(table, name, scaling, text); };
  bool const has_repetitions =
      std::ranges::any_of(scaling.points, [](ScalingPoint const& point) { return point.runs.size() > 1; });
  if (has_repetitions) {
    add("Runs", [](ScalingPoint const& point) { return format_count(point.runs.size()); });
    add("Fastest", [](ScalingPoint const& point) { return format_seconds(point.wall_s.min); });
    add("Slowest", [](ScalingPoint const& point) { return format_seconds(point.wall_s.max); });
  }
  add("Wall time", [](ScalingPoint const& point) { return format_seconds(point.wall_s.median); });
  add("Speed-up", [](ScalingPoint const& point) { return fmt::format("{:.2f}", point.speed_up); });
  add("  of the ideal", [](ScalingPoint const& point) { return format_share(point.of_ideal); });
  for (std::size_t i = 0; i < factors.size(); ++i) {
    bool const is_known =
        std::ranges::any_of(scaling.points, [i](ScalingPoint const& point) { return point.values[i].has_value(); });
    if (!is_known) continue;
    add(std::string(2 * factors[i].depth, ' ') + std::string(factors[i].name),
        [i](ScalingPoint const& point) { return format_share(point.values[i]); });
  }
  return table;
}

TextTable table_of_shares(ScalingShown const& shown) {
  TextTable table = titles_of(shown.scaling, "Of the ranks' time");
  add_line(table, "In MPI", shown.scaling, [](ScalingPoint const& point) { return format_share(point.mpi_share); });
  for (std::string const& family : families_by_time(shown.scaling, shown.top))
    add_line(table, "  " + family, shown.scaling,
             [&](ScalingPoint const& point) { return share_of_family(point, family); });
  return table;
}

TextTable table_of_history(History const& history) {
  TextTable table{{"Start", "Commit", "Ranks", "Runs", "Wall time", "Change", "Parallel", "Balance", "Comm."}};
  for (std::size_t i = 0; i < history.size(); ++i) {
    for (ScalingPoint const& point : history[i].scaling.points) {
      bool const is_first = &point == &history[i].scaling.first();
      table.push_back({is_first ? history[i].start : "", is_first ? short_commit(history[i].commit) : "",
                       format_count(point.ranks), format_count(point.runs.size()), format_seconds(point.wall_s.median),
                       change_since(point_before(history, i, point.ranks), point),
                       format_share(point.value(FactorIndex::parallel)),
                       format_share(point.value(FactorIndex::load_balance)),
                       format_share(point.value(FactorIndex::communication))});
    }
  }
  return table;
}

std::string programs_of(Runs const& runs) {
  std::set<std::string> names;
  for (Overview const& head : runs.heads) names.insert(head.run.program);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string describe_runs(ScalingShown const& shown) {
  std::uint32_t const fewest = shown.scaling.first().ranks, most = shown.scaling.last().ranks;
  return fmt::format("{} on {}{}", format_number_of(shown.runs.heads.size(), "run"),
                     fewest == most ? "" : format_count(fewest) + " to ", format_number_of(most, "rank"));
}

std::string describe(ExtrapolatedTime const& one) {
  return fmt::format("{}: {}, with 95 % probability {} to {} if the law holds", format_number_of(one.ranks, "rank"),
                     format_seconds(one.wall_s), format_seconds(std::max(one.low_s, 0.0)), format_seconds(one.high_s));
}

}  // namespace mpisee_through
