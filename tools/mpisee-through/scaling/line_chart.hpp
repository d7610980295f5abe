// Draws a chart of lines as SVG, for a page with the style of page.css.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace mpisee_through {

struct ChartAxis {
  struct Tick {
    double at;
    std::string text;
  };
  double low = 0, high = 1;
  bool is_logarithmic = false;
  std::vector<Tick> ticks{};
  std::string title{};

  // The position of a value on the axis, 0 to 1.
  [[nodiscard]] double part(double value) const;
};

struct ChartPoint {
  double x, y;
  std::string text{};  // tooltip; empty for points without a mark
};

struct ChartLine {
  std::string name;   // written at the line's end
  std::string style;  // CSS class: series-0 …, ideal, beyond
  std::vector<ChartPoint> points;
};

// A filled area between two lines.
struct ChartBand {
  struct Edge {
    double x, low, high;
  };
  std::vector<Edge> edges{};
};

struct LineChart {
  std::string description;  // for people who cannot see the chart
  ChartAxis x, y;
  std::vector<ChartLine> lines{};
  ChartBand band{};
};

void draw(std::ostream& out, LineChart const& chart);

// 0 and multiples of 1, 2 or 5 times a power of ten, up to the first that is not below the value.
[[nodiscard]] std::vector<double> round_steps(double highest);

}  // namespace mpisee_through
