#include "scaling/scaling_page.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "scaling/line_chart.hpp"
#include "scaling/scaling_forms.hpp"
#include "styles.hpp"
#include "text/markup.hpp"
#include "text/svg.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_colours = 7;

std::string series(std::size_t index) { return fmt::format("series-{}", index % most_colours); }

void write_table(std::ostream& out, table::TextCells const& table, std::size_t columns_of_text) {
  out << "<div class=\"scroll\"><table>\n";
  for (std::size_t line = 0; line < table.size(); ++line) {
    out << "<tr>";
    for (std::size_t i = 0; i < table[line].size(); ++i) {
      bool const is_name = i < columns_of_text;
      std::string_view const tag = line == 0 || i == 0 ? "th" : "td";
      fmt::print(out, "<{}{}>{}</{}>", tag, is_name ? " class=\"name\"" : "", escape_markup(table[line][i]), tag);
    }
    out << "</tr>\n";
  }
  out << "</table></div>\n";
}

ChartAxis axis_of_ranks(ScalingShown const& shown) {
  ChartAxis axis{.is_logarithmic = true, .title = "ranks"};
  for (ScalingPoint const& point : shown.scaling.points)
    axis.ticks.push_back({static_cast<double>(point.ranks), format_count(point.ranks)});
  for (ExtrapolatedTime const& one : shown.extrapolation.times)
    axis.ticks.push_back({static_cast<double>(one.ranks), format_count(one.ranks)});
  axis.low = axis.ticks.front().at;
  axis.high = axis.ticks.back().at;
  return axis;
}

// Steps by factors of two, if the range is wide enough.
ChartAxis axis_of_speed_up(double low, double high) {
  ChartAxis axis{.low = low, .high = high, .is_logarithmic = true};
  for (double at = std::exp2(std::floor(std::log2(low))); at <= high * 1.001; at *= 2)
    if (at >= low * 0.999) axis.ticks.push_back({at, fmt::format("{:.3g}", at)});
  return axis;
}

ChartAxis axis_of_shares(double highest) {
  ChartAxis axis{.high = std::max(1.0, std::ceil(highest * 5) / 5)};
  for (double at = 0; at <= axis.high + 0.001; at += 0.2) axis.ticks.push_back({at, fmt::format("{:.0f} %", 100 * at)});
  return axis;
}

class Page {
 public:
  Page(std::ostream& out, ScalingShown const& shown, History const* history)
      : out_(out), shown_(shown), scaling_(shown.scaling), history_(history) {}

  void write() {
    std::string const region = shown_.region.empty() ? "" : ", region " + shown_.region;
    std::string const title = escape_markup(programs_of(shown_.runs) + region);
    fmt::print(out_,
               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
               "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
               "<title>Scaling of {}</title>\n<style>{}{}</style></head><body>\n<h1>Scaling of {}</h1>\n",
               title, palette_css, scaling_css, title);
    if (history_ != nullptr) write_history();
    write_facts();
    if (scaling_.points.size() > 1) {
      write_speed_up();
      write_efficiencies();
    }
    write_values();
    write_shares();
    out_ << "<p class=\"muted\">Written by mpisee-through scaling.</p>\n</body></html>\n";
  }

 private:
  void write_facts() {
    if (history_ != nullptr)
      fmt::print(out_, "<h2>The latest commit: {}</h2>\n", escape_markup(history_->back().commit));
    fmt::print(out_, "<p>{}.</p>\n<p>Scaling: {}.</p>\n", describe_runs(shown_),
               escape_markup(describe_kind(scaling_)));
    if (scaling_.notices.empty()) return;
    out_ << "<ul>\n";
    for (std::string const& notice : scaling_.notices) fmt::print(out_, "<li>{}</li>\n", escape_markup(notice));
    out_ << "</ul>\n";
  }

  void begin_section(std::string_view title) { fmt::print(out_, "<section><h2>{}</h2>\n", title); }

  [[nodiscard]] ScalingKind drawn_kind() const { return scaling_.kind.value_or(ScalingKind::strong); }

  // The speed-up relative to the fewest ranks.
  [[nodiscard]] double speed_up(double wall_s, double ranks) const {
    double const more_work = drawn_kind() == ScalingKind::weak ? ranks / scaling_.first().ranks : 1;
    return more_work * scaling_.first().wall_s.median / wall_s;
  }

  void write_speed_up() {
    begin_section(scaling_.kind ? "Speed-up" : "Speed-up, if the scaling is strong");
    LineChart chart{.description = "Speed-up against ranks, and the ideal", .x = axis_of_ranks(shown_), .y = {}};
    double const most_ranks = chart.x.high;
    ChartLine ideal{"ideal", "ideal", {{chart.x.low, 1}, {most_ranks, most_ranks / chart.x.low}}};
    ChartLine measured{"measured", "series-0", {}};
    double low = 1, high = most_ranks / chart.x.low;
    for (ScalingPoint const& point : scaling_.points) {
      auto const& [times, of_ideal] = point.gain(drawn_kind());
      measured.points.push_back(
          {static_cast<double>(point.ranks), times,
           fmt::format("{}: {:.2f} times as fast, {} of the ideal, {}", format_number_of(point.ranks, "rank"), times,
                       format_share(of_ideal), format_seconds(point.wall_s.median))});
      low = std::min(low, times);
      high = std::max(high, times);
    }
    chart.y = axis_of_speed_up(low, high);
    chart.lines = {ideal, measured};
    add_extrapolation(chart);
    draw(out_, chart);
    fmt::print(out_, "<p>Beyond the runs: {}.</p>\n", escape_markup(describe_law(shown_)));
    for (ExtrapolatedTime const& one : shown_.extrapolation.times)
      fmt::print(out_, "<p class=\"muted\">{}.</p>\n", escape_markup(describe(one)));
    out_ << "</section>\n";
  }

  void add_extrapolation(LineChart& chart) const {
    if (shown_.extrapolation.times.empty()) return;
    ScalingPoint const& last = scaling_.last();
    double const times = last.gain(drawn_kind()).speed_up;
    ChartLine beyond{"extrapolated", "beyond", {{static_cast<double>(last.ranks), times}}};
    chart.band.edges.push_back({static_cast<double>(last.ranks), times, times});
    for (ExtrapolatedTime const& one : shown_.extrapolation.times) {
      auto const ranks = static_cast<double>(one.ranks);
      beyond.points.push_back({ranks, speed_up(one.wall_s, ranks), describe(one)});
      // The interval is at most half of the time, so its lower end is positive.
      chart.band.edges.push_back({ranks, speed_up(one.high_s, ranks), speed_up(one.low_s, ranks)});
    }
    chart.lines.push_back(std::move(beyond));
  }

  void write_efficiencies() {
    begin_section("Efficiencies");
    LineChart chart{.description = "Efficiencies against ranks", .x = axis_of_ranks(shown_), .y = {}};
    double highest = 1;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      ChartLine line{std::string(factors[i].name), series(i), {}};
      for (ScalingPoint const& point : scaling_.points) {
        if (!point.values[i]) continue;
        highest = std::max(highest, *point.values[i]);
        line.points.push_back({static_cast<double>(point.ranks), *point.values[i],
                               fmt::format("{} on {}: {}", factors[i].name, format_number_of(point.ranks, "rank"),
                                           format_share(point.values[i]))});
      }
      if (!line.points.empty()) chart.lines.push_back(std::move(line));
    }
    chart.x.high = scaling_.last().ranks;
    std::erase_if(chart.x.ticks, [&](ChartAxis::Tick const& tick) { return tick.at > chart.x.high; });
    chart.y = axis_of_shares(highest);
    draw(out_, chart);
    out_ << "</section>\n";
  }

  void write_values() {
    begin_section("Times and factors");
    out_ << "<p class=\"muted\">Each efficiency is the product of the two that are indented below it.</p>\n";
    write_table(out_, table_of_values(shown_), 1);
    out_ << "</section>\n";
  }

  void write_shares() {
    begin_section("Where the time goes");
    std::vector<std::string> families = families_by_time(scaling_, most_colours);
    bool const has_others = draw_bars(families);
    out_ << "<ul class=\"legend\"><li class=\"outside\"><i></i>outside MPI</li>";
    for (std::size_t i = 0; i < families.size(); ++i)
      fmt::print(out_, "<li class=\"{}\"><i></i>{}</li>", series(i), escape_markup(families[i]));
    if (has_others) out_ << "<li class=\"other\"><i></i>other communicators</li>";
    out_ << "</ul>\n";
    write_table(out_, table_of_shares(shown_), 1);
    out_ << "</section>\n";
  }

  // Draws a bar for each number of ranks; its whole length is the wall time. Returns whether some time belongs to none
  // of these families.
  bool draw_bars(std::vector<std::string> const& families) {
    constexpr double left = 64, width = 640, bar = 22, step = 30, rounding = 1e-6;
    fmt::print(out_,
               "<svg class=\"chart bars\" viewBox=\"0 0 720 {}\" role=\"img\" aria-label=\"Parts of the ranks' wall "
               "time\">\n",
               step * static_cast<double>(scaling_.points.size()) + 6);
    bool has_others = false;
    double y = 4;
    for (ScalingPoint const& point : scaling_.points) {
      out_ << svg_text(left - 8, y + 16, format_count(point.ranks), "class=\"tick\" text-anchor=\"end\"") << '\n';
      double x = left, in_families = 0;
      auto const add = [&](std::string const& style, std::string const& name, double share) {
        if (share <= 0) return;
        fmt::print(out_,
                   "<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"><title>{} on {}: "
                   "{}</title></rect>\n",
                   style, x, y, width * share, bar, escape_markup(name), format_number_of(point.ranks, "rank"),
                   format_share(share));
        x += width * share;
      };
      add("outside", "outside MPI", 1 - point.mpi_share);
      for (std::size_t i = 0; i < families.size(); ++i) {
        auto const found = point.communicator_shares.find(families[i]);
        if (found == point.communicator_shares.end()) continue;
        add(series(i), families[i], found->second);
        in_families += found->second;
      }
      double const in_others = point.mpi_share - in_families;
      if (in_others > rounding) add("other", "other communicators", in_others);
      has_others |= in_others > rounding;
      y += step;
    }
    out_ << "</svg>\n";
    return has_others;
  }

  void write_history() {
    begin_section("History");
    draw_history(
        "Wall time of each commit", [](ScalingPoint const& point) { return std::optional(point.wall_s.median); },
        false);
    draw_history(
        "Parallel efficiency of each commit",
        [](ScalingPoint const& point) { return point.value(FactorIndex::parallel); }, true);
    write_table(out_, table_of_history(*history_), 2);
    out_ << "</section>\n";
  }

  // Draws a line for each number of ranks.
  template <class Value>
  void draw_history(std::string const& title, Value value, bool is_share) {
    LineChart chart{.description = title, .x = axis_of_commits(), .y = {}};
    std::set<std::uint32_t> counts;
    for (CommitRuns const& commit : *history_)
      for (ScalingPoint const& point : commit.scaling.points) counts.insert(point.ranks);
    double highest = 0;
    for (std::uint32_t const ranks : counts) {
      ChartLine line{format_number_of(ranks, "rank"), series(chart.lines.size()), {}};
      for (std::size_t i = 0; i < history_->size(); ++i) {
        CommitRuns const& commit = (*history_)[i];
        auto const& points = commit.scaling.points;
        auto const point = std::ranges::find(points, ranks, &ScalingPoint::ranks);
        if (point == points.end() || !value(*point)) continue;
        double const amount = *value(*point);
        highest = std::max(highest, amount);
        line.points.push_back({static_cast<double>(i), amount,
                               fmt::format("{} on {}: {}", short_commit(commit.commit), format_number_of(ranks, "rank"),
                                           is_share ? format_share(amount) : format_seconds(amount))});
      }
      if (!line.points.empty()) chart.lines.push_back(std::move(line));
    }
    chart.y = is_share ? axis_of_shares(highest) : axis_of_seconds(highest);
    fmt::print(out_, "<p class=\"muted\">{}</p>\n", title);
    draw(out_, chart);
  }

  static ChartAxis axis_of_seconds(double highest) {
    ChartAxis axis;
    for (double const at : round_steps(highest)) axis.ticks.push_back({at, fmt::format("{:g} s", at)});
    axis.high = axis.ticks.back().at;
    return axis;
  }

  // Labels as many commits as there is room for.
  [[nodiscard]] ChartAxis axis_of_commits() const {
    constexpr std::size_t most_named = 6;
    ChartAxis axis{.high = static_cast<double>(history_->size() - 1), .title = "commits"};
    std::size_t const step = (history_->size() + most_named - 1) / most_named;
    for (std::size_t i = 0; i < history_->size(); i += step)
      axis.ticks.push_back({static_cast<double>(i), short_commit((*history_)[i].commit).substr(0, 12)});
    return axis;
  }

  std::ostream& out_;
  ScalingShown const& shown_;
  Scaling const& scaling_;
  History const* history_;
};

}  // namespace

void write_page(std::ostream& out, ScalingShown const& shown, History const* history) {
  Page(out, shown, history).write();
}

}  // namespace mpisee_through
