#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "text/output_file.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"
#include "views/heat_map.hpp"

namespace mpisee_through {
namespace {

// Sizes in units of the picture: pixels in PNG, points in SVG.
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

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct ContextDeleter {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
struct PatternDeleter {
  void operator()(cairo_pattern_t* pattern) const { cairo_pattern_destroy(pattern); }
};
using Pattern = std::unique_ptr<cairo_pattern_t, PatternDeleter>;
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;
using Context = std::unique_ptr<cairo_t, ContextDeleter>;

cairo_status_t append(void* stream, unsigned char const* bytes, unsigned length) {
  auto& out = *static_cast<std::ostream*>(stream);
  out.write(reinterpret_cast<char const*>(bytes), static_cast<std::streamsize>(length));
  return out ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

// Paints each cell as a square of several pixels. Half a million paths would make a file that no viewer opens; cells of
// a single pixel would be blurred.
Surface paint_cells(HeatMapCells const& cells, ColourScale const& scale) {
  auto const pixels = static_cast<int>(std::max(1U, 2 * HeatMapCells::most_per_side / cells.side));
  int const side = pixels * static_cast<int>(cells.side);
  Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, side, side));
  Context const context(cairo_create(surface.get()));
  cairo_set_antialias(context.get(), CAIRO_ANTIALIAS_NONE);
  cairo_set_source_rgb(context.get(), 1, 1, 1);
  cairo_paint(context.get());
  for (std::uint32_t from = 0; from < cells.side; ++from) {
    for (std::uint32_t to = 0; to < cells.side; ++to) {
      if (cells.at(from, to) == 0) continue;
      ColourScale::Colour const colour = scale.colour_of(cells.at(from, to));
      cairo_set_source_rgb(context.get(), colour.red, colour.green, colour.blue);
      cairo_rectangle(context.get(), pixels * static_cast<double>(to), pixels * static_cast<double>(from), pixels,
                      pixels);
      cairo_fill(context.get());
    }
  }
  return surface;
}

class Drawing {
 public:
  Drawing(cairo_t* context, Traffic const& traffic, Measure measure, std::string const& selection)
      : context_(context),
        traffic_(traffic),
        measure_(measure),
        selection_(selection),
        cells_(traffic, measure),
        scale_(cells_) {}

  void draw() {
    set_grey(1);
    cairo_paint(context_);
    cairo_select_font_face(context_, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    draw_titles();
    draw_map();
    draw_axes();
    draw_legend();
  }

 private:
  void set_grey(double lightness) { cairo_set_source_rgb(context_, lightness, lightness, lightness); }

  // anchor: the part of the text at x: 0 its beginning, 0.5 its middle, 1 its end.
  void text(double x, double y, double anchor, std::string const& what) {
    cairo_text_extents_t extents;
    cairo_text_extents(context_, what.c_str(), &extents);
    cairo_move_to(context_, x - anchor * extents.x_advance, y);
    cairo_show_text(context_, what.c_str());
  }

  // Cuts text that is wider than the width and ends it in dots, between code points.
  [[nodiscard]] std::string shorten(std::string what, double width) const {
    auto const fits = [&](std::string const& candidate) {
      cairo_text_extents_t extents;
      cairo_text_extents(context_, candidate.c_str(), &extents);
      return extents.x_advance <= width;
    };
    if (fits(what)) return what;
    while (!what.empty() && !fits(what + "…")) {
      while (!what.empty() && (static_cast<unsigned char>(what.back()) & 0xc0U) == 0x80U) what.pop_back();
      if (!what.empty()) what.pop_back();
    }
    return what + "…";
  }

  void draw_titles() {
    constexpr double room = picture_width - left_margin - 20;
    std::string const what = measure_ == Measure::bytes ? "Bytes" : "Messages";
    set_grey(0);
    cairo_set_font_size(context_, title_size);
    text(left_margin, 28, 0,
         shorten(fmt::format("{} from rank to rank: {}", what,
                             std::filesystem::path(traffic_.run.program).filename().string()),
                 room));
    cairo_set_font_size(context_, text_size);
    std::string facts = fmt::format("{} in {}", format_bytes(traffic_.total.bytes),
                                    format_number_of(traffic_.total.messages, "message"));
    if (!selection_.empty()) facts += "; " + selection_;
    text(left_margin, 50, 0, shorten(facts, room));
  }

  void draw_map() {
    Surface const image = paint_cells(cells_, scale_);
    double const pixels = cairo_image_surface_get_width(image.get());
    cairo_save(context_);
    cairo_translate(context_, left_margin, top_margin);
    cairo_scale(context_, map_size / pixels, map_size / pixels);
    cairo_set_source_surface(context_, image.get(), 0, 0);
    cairo_pattern_set_filter(cairo_get_source(context_), CAIRO_FILTER_NEAREST);
    cairo_paint(context_);
    cairo_restore(context_);
    set_grey(0.4);
    cairo_set_line_width(context_, 1);
    cairo_rectangle(context_, left_margin - 0.5, top_margin - 0.5, map_size + 1, map_size + 1);
    cairo_stroke(context_);
  }

  // Draws the axes. A rank's tick is in the middle of its cell.
  void draw_axes() {
    double const per_rank = map_size / (static_cast<double>(cells_.side) * cells_.ranks_per_cell);
    std::uint32_t const step = tick_step(traffic_.run.ranks);
    set_grey(0);
    for (std::uint64_t rank = 0; rank < traffic_.run.ranks; rank += step) {
      std::uint64_t const cell = rank / cells_.ranks_per_cell;
      double const at = (static_cast<double>(cell) + 0.5) * cells_.ranks_per_cell * per_rank;
      std::string const label = fmt::format("{}", rank);
      text(left_margin - 8, top_margin + at + text_size / 3, 1, label);
      text(left_margin + at, top_margin + map_size + text_size + 6, 0.5, label);
    }
    text(left_margin + map_size / 2, top_margin + map_size + 42, 0.5, "to rank");
    cairo_save(context_);
    cairo_translate(context_, 22, top_margin + map_size / 2);
    cairo_rotate(context_, -std::acos(0.0));
    text(0, 0, 0.5, "from rank");
    cairo_restore(context_);
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

  [[nodiscard]] std::string format(std::uint64_t amount) const {
    return measure_ == Measure::bytes ? format_bytes(amount) : format_count(amount);
  }

  void draw_legend() {
    constexpr double x = left_margin + map_size + legend_gap;
    if (scale_.largest() == 0) return;
    constexpr int steps = 32;
    Pattern const gradient(cairo_pattern_create_linear(0, top_margin + map_size, 0, top_margin));
    for (int i = 0; i <= steps; ++i) {
      double const position = static_cast<double>(i) / steps;
      ColourScale::Colour const colour = ColourScale::colour_at(position);
      cairo_pattern_add_color_stop_rgb(gradient.get(), position, colour.red, colour.green, colour.blue);
    }
    cairo_set_source(context_, gradient.get());
    cairo_rectangle(context_, x, top_margin, legend_width, map_size);
    cairo_fill(context_);
    set_grey(0);
    constexpr int intervals = 4;
    for (int i = 0; i <= intervals; ++i) {
      double const position = static_cast<double>(i) / intervals;
      text(x + legend_width + 6, top_margin + map_size * (1 - position) + text_size / 3, 0,
           format(scale_.amount_at(position)));
    }
    double line = top_margin + map_size + text_size + 10;
    for (std::string const& note : {std::string(scale_.is_logarithmic() ? "logarithmic" : "linear"),
                                    std::string("white: none"), shared_cells()}) {
      text(x, line, 0, note);
      line += text_size + 4;
    }
  }

  [[nodiscard]] std::string shared_cells() const {
    if (cells_.ranks_per_cell == 1) return {};
    return fmt::format("{0} × {0} ranks a cell", format_count(cells_.ranks_per_cell));
  }

  cairo_t* context_;
  Traffic const& traffic_;
  Measure measure_;
  std::string const& selection_;
  HeatMapCells cells_;
  ColourScale scale_;
};

}  // namespace

void draw_heat_map(std::filesystem::path const& path, Traffic const& traffic, Measure measure,
                   std::string const& selection) {
  OutputFile file(path);
  bool const is_svg = path.extension() == ".svg";
  // PNG has twice the size, for high-resolution screens and print.
  double const zoom = is_svg ? 1 : 2;
  Surface const surface(is_svg
                            ? cairo_svg_surface_create_for_stream(append, &file.stream(), picture_width, picture_height)
                            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(zoom * picture_width),
                                                         static_cast<int>(zoom * picture_height)));
  {
    Context const context(cairo_create(surface.get()));
    cairo_scale(context.get(), zoom, zoom);
    Drawing(context.get(), traffic, measure, selection).draw();
  }
  cairo_status_t status = cairo_surface_status(surface.get());
  if (!is_svg && status == CAIRO_STATUS_SUCCESS) {
    status = cairo_surface_write_to_png_stream(surface.get(), append, &file.stream());
  }
  cairo_surface_finish(surface.get());
  if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface.get());
  file.close();
  if (status != CAIRO_STATUS_SUCCESS) {
    throw OutputError(fmt::format("{}: {}", path.string(), cairo_status_to_string(status)));
  }
}

}  // namespace mpisee_through
