// A chart of lines, as SVG for a page that has the style of page_style.hpp.
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

  // 0 to 1 within the axis.
  [[nodiscard]] double part(double value) const;
};

struct ChartPoint {
  double x, y;
  std::string text{};  // shown under the mouse; none for points without a mark
};

struct ChartLine {
  std::string name;   // stands at its end
  std::string style;  // a class: series-0 …, ideal, beyond
  std::vector<ChartPoint> points;
};

// Between low and high.
struct ChartBand {
  struct Edge {
    double x, low, high;
  };
  std::vector<Edge> edges{};
};

struct LineChart {
  std::string description;  // for who cannot see it
  ChartAxis x, y;
  std::vector<ChartLine> lines{};
  ChartBand band{};
};

void draw(std::ostream& out, LineChart const& chart);

// 0, and steps of 1, 2 or 5 times a power of ten, up to the value at least.
[[nodiscard]] std::vector<double> round_steps(double highest);

}  // namespace mpisee_through
