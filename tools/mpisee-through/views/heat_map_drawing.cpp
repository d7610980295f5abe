#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "files/visible_text.hpp"
#include "text/output_file.hpp"
#include "text/svg.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"
#include "views/heat_map.hpp"

namespace mpisee_through {
namespace {

constexpr double left_margin = 90;
constexpr double top_margin = 70;
constexpr double bottom_margin = 72;
constexpr double map_size = 640;
constexpr double legend_gap = 30;
constexpr double legend_width = 20;
constexpr double picture_width = left_margin + map_size + legend_gap + legend_width + 110;
constexpr double picture_height = top_margin + map_size + bottom_margin;
constexpr double text_size = 13;
constexpr double title_size = 16;

// Cuts text that is about wider than the room to the right of the left margin.
std::string fitted(std::string const& text, double font_size) {
  constexpr double room = picture_width - left_margin - 20, width_of_character = 0.55;
  return shorten(text, static_cast<std::size_t>(room / (width_of_character * font_size)));
}

class Drawing {
 public:
  Drawing(std::ostream& out, Traffic const& traffic, Measure measure)
      : out_(out), traffic_(traffic), measure_(measure), cells_(traffic, measure), scale_(cells_) {}

  void draw(std::string const& selection) {
    out_ << fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" "
        "font-size=\"{2}\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
        picture_width, picture_height, text_size);
    draw_titles(selection);
    draw_cells();
    draw_axes();
    if (scale_.largest() > 0) draw_legend();
    out_ << "</svg>\n";
  }

 private:
  void text(double x, double y, std::string const& what, std::string_view attributes = {}) {
    out_ << svg_text(x, y, what, attributes) << '\n';
  }

  void draw_titles(std::string const& selection) {
    std::string const what = measure_ == Measure::bytes ? "Bytes" : "Messages";
    std::string const program = std::filesystem::path(traffic_.run.program).filename().string();
    text(left_margin, 28, fitted(fmt::format("{} from rank to rank: {}", what, program), title_size),
         fmt::format("font-size=\"{}\"", title_size));
    std::string facts = fmt::format("{} in {}", format_bytes(traffic_.total.bytes),
                                    format_number_of(traffic_.total.messages, "message"));
    if (!selection.empty()) facts += "; " + selection;
    text(left_margin, 50, fitted(facts, text_size));
  }

  // Draws one path for each shade. Viewers would take long to open a file with an element for each cell.
  void draw_cells() {
    constexpr std::size_t shades = 64;
    std::array<std::string, shades> paths;
    auto const shade_at = [&](std::uint32_t from, std::uint32_t to) {
      return std::lround(scale_.position(cells_.at(from, to)) * (shades - 1));
    };
    for (std::uint32_t from = 0; from < cells_.side; ++from) {
      for (std::uint32_t to = 0, next = 1; to < cells_.side; to = next++) {
        if (cells_.at(from, to) == 0) continue;
        auto const shade = shade_at(from, to);
        while (next < cells_.side && cells_.at(from, next) != 0 && shade_at(from, next) == shade) ++next;
        paths[static_cast<std::size_t>(shade)] += fmt::format("M{} {}h{}v1h-{}z", to, from, next - to, next - to);
      }
    }
    out_ << fmt::format("<g transform=\"translate({} {}) scale({})\" shape-rendering=\"crispEdges\">\n", left_margin,
                        top_margin, map_size / cells_.side);
    for (std::size_t i = 0; i < shades; ++i)
      if (!paths[i].empty())
        out_ << fmt::format("<path fill=\"{}\" d=\"{}\"/>\n",
                            colour_of_part(static_cast<double>(i) / (shades - 1)).hex(), paths[i]);
    out_ << fmt::format(
        "</g>\n<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{2}\" fill=\"none\" stroke=\"#666666\"/>\n",
        left_margin - 0.5, top_margin - 0.5, map_size + 1);
  }

  // Draws the axes. A rank's tick is in the middle of its cell.
  void draw_axes() {
    double const per_rank = map_size / (static_cast<double>(cells_.side) * cells_.ranks_per_cell);
    std::uint32_t const step = tick_step(traffic_.run.ranks);
    for (std::uint64_t rank = 0; rank < traffic_.run.ranks; rank += step) {
      std::uint64_t const cell = rank / cells_.ranks_per_cell;
      double const at = (static_cast<double>(cell) + 0.5) * cells_.ranks_per_cell * per_rank;
      std::string const label = fmt::format("{}", rank);
      text(left_margin - 8, top_margin + at + text_size / 3, label, "text-anchor=\"end\"");
      text(left_margin + at, top_margin + map_size + text_size + 6, label, "text-anchor=\"middle\"");
    }
    text(left_margin + map_size / 2, top_margin + map_size + 42, "to rank", "text-anchor=\"middle\"");
    constexpr double x = 22, y = top_margin + map_size / 2;
    text(x, y, "from rank", fmt::format("text-anchor=\"middle\" transform=\"rotate(-90 {} {})\"", x, y));
  }

  // The distance of ticks: 1, 2 or 5 times a power of ten, for at most 16 ticks.
  static std::uint32_t tick_step(std::uint32_t ranks) {
    std::uint32_t step = 1;
    for (std::uint32_t power = 1;; power *= 10) {
      for (std::uint32_t const factor : {1U, 2U, 5U}) {
        step = factor * power;
        if (ranks / step <= 16 || power >= 100'000'000) return step;
      }
    }
  }

  void draw_legend() {
    constexpr double x = left_margin + map_size + legend_gap;
    out_ << fmt::format(
        "<defs>{}</defs>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#amounts)\"/>\n",
        gradient_of_parts("amounts", true), x, top_margin, legend_width, map_size);
    constexpr int intervals = 4;
    for (int i = 0; i <= intervals; ++i) {
      double const position = static_cast<double>(i) / intervals;
      std::uint64_t const amount = scale_.amount_at(position);
      text(x + legend_width + 6, top_margin + map_size * (1 - position) + text_size / 3,
           measure_ == Measure::bytes ? format_bytes(amount) : format_count(amount));
    }
    double line = top_margin + map_size + text_size + 10;
    auto const note = [&](std::string const& what) {
      text(x, line, what);
      line += text_size + 4;
    };
    note(scale_.is_logarithmic() ? "logarithmic" : "linear");
    note("white: none");
    if (cells_.ranks_per_cell > 1) note(fmt::format("{0} × {0} ranks a cell", format_count(cells_.ranks_per_cell)));
  }

  std::ostream& out_;
  Traffic const& traffic_;
  Measure measure_;
  HeatMapCells cells_;
  ColourScale scale_;
};

}  // namespace

void draw_heat_map(std::filesystem::path const& path, Traffic const& traffic, Measure measure,
                   std::string const& selection) {
  OutputFile file(path);
  Drawing(file.stream(), traffic, measure).draw(selection);
  file.close();
}

}  // namespace mpisee_through
