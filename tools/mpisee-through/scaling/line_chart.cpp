#include "scaling/line_chart.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "text/markup.hpp"
#include "text/svg.hpp"

namespace mpisee_through {
namespace {

constexpr double chart_width = 720, chart_height = 340;
constexpr double left_margin = 64, right_margin = 190, top_margin = 14, bottom_margin = 48;
constexpr double between_names = 16;

class ChartDrawing {
 public:
  ChartDrawing(std::ostream& out, LineChart const& chart) : out_(out), chart_(chart) {}

  void draw() {
    fmt::print(out_, "<svg class=\"chart\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", chart_width,
               chart_height, escape_markup(chart_.description));
    draw_axes();
    draw_band();
    for (ChartLine const& line : chart_.lines) draw(line);
    draw_names();
    out_ << "</svg>\n";
  }

 private:
  [[nodiscard]] double x_of(double value) const {
    return left_margin + (chart_width - left_margin - right_margin) * chart_.x.part(value);
  }
  [[nodiscard]] double y_of(double value) const {
    return chart_height - bottom_margin - (chart_height - top_margin - bottom_margin) * chart_.y.part(value);
  }

  void draw_axes() {
    for (ChartAxis::Tick const& tick : chart_.y.ticks) {
      double const y = y_of(tick.at);
      draw_grid_line(left_margin, y, chart_width - right_margin, y);
      out_ << svg_text(left_margin - 8, y + 4, tick.text, "class=\"tick\" text-anchor=\"end\"") << '\n';
    }
    constexpr double bottom = chart_height - bottom_margin;
    constexpr std::string_view centred = "class=\"tick\" text-anchor=\"middle\"";
    for (ChartAxis::Tick const& tick : chart_.x.ticks) {
      double const x = x_of(tick.at);
      draw_grid_line(x, bottom, x, bottom + 4);
      out_ << svg_text(x, bottom + 19, tick.text, centred) << '\n';
    }
    out_ << svg_text((left_margin + chart_width - right_margin) / 2, chart_height - 8, chart_.x.title, centred) << '\n';
  }

  void draw_grid_line(double from_x, double from_y, double to_x, double to_y) {
    fmt::print(out_, "<line class=\"grid\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>", from_x, from_y,
               to_x, to_y);
  }

  void draw_band() {
    if (chart_.band.edges.size() < 2) return;
    std::string path;
    for (auto const& edge : chart_.band.edges)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(edge.x), y_of(edge.high));
    for (auto edge = chart_.band.edges.rbegin(); edge != chart_.band.edges.rend(); ++edge)
      path += fmt::format("L{:.1f} {:.1f}", x_of(edge->x), y_of(edge->low));
    fmt::print(out_, "<path class=\"band\" d=\"{}Z\"/>\n", path);
  }

  void draw(ChartLine const& line) {
    std::string path;
    for (ChartPoint const& point : line.points)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x_of(point.x), y_of(point.y));
    fmt::print(out_, "<g class=\"{}\"><path d=\"{}\"/>", line.style, path);
    for (ChartPoint const& point : line.points) {
      if (!point.text.empty())
        fmt::print(out_, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}</title></circle>", x_of(point.x),
                   y_of(point.y), escape_markup(point.text));
    }
    out_ << "</g>\n";
  }

  // Writes names at the right edge, moved apart so that they do not overlap; the name of a line that ends earlier
  // stands below its end.
  void draw_names() {
    std::vector<std::pair<double, ChartLine const*>> names;
    for (ChartLine const& line : chart_.lines) {
      if (line.points.empty() || line.name.empty()) continue;
      ChartPoint const& end = line.points.back();
      bool const reaches_right = chart_.x.part(end.x) == 1 || line.points.size() == 1;
      if (reaches_right) names.emplace_back(y_of(end.y), &line);
      if (!reaches_right) draw_name(line, x_of(end.x) + 4, y_of(end.y) + between_names, "");
    }
    spread(names);
    for (auto const& [y, line] : names) {
      ChartPoint const& end = line->points.back();
      double const x = chart_width - right_margin;
      draw_name(*line, x + 18, y,
                fmt::format("<path class=\"lead\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", x_of(end.x) + 6, y_of(end.y),
                            x + 14, y));
    }
  }

  static void spread(std::vector<std::pair<double, ChartLine const*>>& names) {
    std::ranges::stable_sort(names, {}, [](auto const& name) { return name.first; });
    for (std::size_t i = 1; i < names.size(); ++i)
      names[i].first = std::max(names[i].first, names[i - 1].first + between_names);
    double lowest = chart_height - bottom_margin;
    for (auto name = names.rbegin(); name != names.rend(); ++name) {
      name->first = std::min(name->first, lowest);
      lowest = name->first - between_names;
    }
  }

  void draw_name(ChartLine const& line, double x, double y, std::string const& lead) {
    fmt::print(out_, "<g class=\"{}\">{}{}</g>\n", line.style, lead, svg_text(x, y + 4, line.name));
  }

  std::ostream& out_;
  LineChart const& chart_;
};

}  // namespace

double ChartAxis::part(double value) const {
  if (high <= low) return 0.5;
  double const part = is_logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return std::clamp(part, 0.0, 1.0);
}

void draw(std::ostream& out, LineChart const& chart) { ChartDrawing(out, chart).draw(); }

std::vector<double> round_steps(double highest) {
  if (!(highest > 0)) return {0, 1};
  double const power = std::pow(10, std::floor(std::log10(highest)));
  double const leading = highest / power;
  double const step = power * (leading <= 1 ? 0.2 : leading <= 2 ? 0.5 : leading <= 5 ? 1 : 2);
  std::vector<double> steps{0};
  while (steps.back() < highest) steps.push_back(step * static_cast<double>(steps.size()));
  return steps;
}

}  // namespace mpisee_through
