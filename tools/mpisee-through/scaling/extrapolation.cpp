#include "scaling/extrapolation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>

#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr double largest_miss = 0.1, widest_half = 0.5;

struct Measured {
  double ranks, wall_s;
};

using Term = double (*)(double ranks);
double constant(double) { return 1; }
double inverse(double ranks) { return 1 / ranks; }
double logarithm(double ranks) { return std::log2(ranks); }
double linear(double ranks) { return ranks; }

struct Law {
  Term first, second;
  std::string_view first_text, second_text;  // texts after the two coefficients
};

constexpr std::string_view per_rank = " / ranks", times_log = " × log2(ranks)", times_ranks = " × ranks";

std::vector<Law> laws_of(ScalingKind kind) {
  if (kind == ScalingKind::weak) return {{constant, logarithm, "", times_log}, {constant, linear, "", times_ranks}};
  return {{inverse, constant, per_rank, ""},
          {inverse, logarithm, per_rank, times_log},
          {inverse, linear, per_rank, times_ranks}};
}

// A law and its coefficients a and b, fitted by least squares of errors relative to the measured times.
class Fit {
 public:
  // Needs two points or more. A negative b is replaced by 0; a negative a gives nothing.
  static std::optional<Fit> of(Law const& law, std::span<Measured const> points) {
    Fit fit(law);
    double first_sum = 0, second_sum = 0;
    for (auto const& [ranks, wall_s] : points) {
      double const first = law.first(ranks) / wall_s, second = law.second(ranks) / wall_s;
      fit.first_first_ += first * first;
      fit.first_second_ += first * second;
      fit.second_second_ += second * second;
      first_sum += first;
      second_sum += second;
    }
    double const determinant = fit.determinant();
    if (determinant <= 1e-12 * fit.first_first_ * fit.second_second_) return std::nullopt;
    fit.a_ = (fit.second_second_ * first_sum - fit.first_second_ * second_sum) / determinant;
    fit.b_ = (fit.first_first_ * second_sum - fit.first_second_ * first_sum) / determinant;
    if (fit.a_ <= 0) return std::nullopt;
    // A tiny b is a rounding error of a law without b.
    if (fit.b_ < 1e-9 * fit.a_) fit.leave_out_second(first_sum);
    return fit;
  }

  // Measures the standard deviation of relative errors at these runs, which need not be the points of the fit.
  void measure_scatter(std::span<Measured const> runs) {
    double squares = 0;
    for (Measured const& run : runs) squares += std::pow(miss(run), 2);
    freedom_ = static_cast<double>(runs.size()) - (has_second_ ? 2 : 1);
    deviation_ = std::sqrt(squares / freedom_);
  }

  [[nodiscard]] double at(double ranks) const { return a_ * law_.first(ranks) + b_ * law_.second(ranks); }
  // The error relative to the measured time.
  [[nodiscard]] double miss(Measured const& point) const { return at(point.ranks) / point.wall_s - 1; }

  // Half the width, in seconds, of the prediction interval for one more run. Needs measure_scatter() of three runs or
  // more.
  [[nodiscard]] double half_interval(double ranks, double confidence) const {
    double const quantile = boost::math::quantile(boost::math::students_t(freedom_), (1 + confidence) / 2);
    return quantile * deviation_ * std::sqrt(variance_at(ranks) + std::pow(at(ranks), 2));
  }

  [[nodiscard]] std::string text() const {
    std::string const first = format_seconds(a_) + std::string(law_.first_text);
    return has_second_ ? first + " + " + format_seconds(b_) + std::string(law_.second_text) : first;
  }

 private:
  explicit Fit(Law const& law) : law_(law) {}

  [[nodiscard]] double determinant() const { return first_first_ * second_second_ - first_second_ * first_second_; }

  void leave_out_second(double first_sum) {
    has_second_ = false;
    a_ = first_sum / first_first_;
    b_ = 0;
  }

  // The variance of at() due to the coefficients, for errors with a deviation of 1.
  [[nodiscard]] double variance_at(double ranks) const {
    double const first = law_.first(ranks), second = law_.second(ranks);
    if (!has_second_) return first * first / first_first_;
    return (second_second_ * first * first - 2 * first_second_ * first * second + first_first_ * second * second) /
           determinant();
  }

  Law law_;
  double a_ = 0, b_ = 0;
  bool has_second_ = true;
  double first_first_ = 0, first_second_ = 0, second_second_ = 0;  // sums of products of the terms
  double freedom_ = 0, deviation_ = 0;                             // of the relative errors
};

// The root mean square error of the law at each point when it is fitted to the others; nothing if a fit fails.
std::optional<double> miss_without_each(Law const& law, std::vector<Measured> const& points) {
  double squares = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Measured> others = points;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    auto const fit = Fit::of(law, others);
    if (!fit) return std::nullopt;
    squares += std::pow(fit->miss(points[i]), 2);
  }
  return std::sqrt(squares / static_cast<double>(points.size()));
}

struct BestLaw {
  Fit fit;
  double miss;
};

std::optional<BestLaw> find_best(ScalingKind kind, std::vector<Measured> const& points) {
  std::optional<BestLaw> best;
  for (Law const& law : laws_of(kind)) {
    auto const fit = Fit::of(law, points);
    auto const miss = miss_without_each(law, points);
    if (fit && miss && (!best || *miss < best->miss)) best = BestLaw{*fit, *miss};
  }
  return best;
}

std::string reason_against(Scaling const& scaling) {
  if (!scaling.kind) return "strong or weak is not clear";
  if (scaling.points.size() < fewest_counts_to_fit)
    return fmt::format("{} of ranks {} too few, it takes {}", format_number_of(scaling.points.size(), "number"),
                       scaling.points.size() == 1 ? "is" : "are", fewest_counts_to_fit);
  for (ScalingPoint const& point : scaling.points) {
    if (point.queued_share >= crowded_share)
      return fmt::format("{} shared processors", format_number_of(point.ranks, "rank"));
  }
  return {};
}

}  // namespace

Extrapolation extrapolate(Scaling const& scaling) {
  Extrapolation result;
  result.reason = reason_against(scaling);
  if (!result.reason.empty()) return result;
  // Fits the law to medians; the interval also includes the scatter of repeated runs.
  std::vector<Measured> points, runs;
  for (ScalingPoint const& point : scaling.points) {
    points.push_back({static_cast<double>(point.ranks), point.wall_s.median});
    for (double const wall_s : point.walls_s) runs.push_back({static_cast<double>(point.ranks), wall_s});
  }
  auto best = find_best(*scaling.kind, points);
  if (!best || best->miss > largest_miss) {
    result.reason = "no simple law fits the times";
    return result;
  }
  result.law = best->fit.text();
  best->fit.measure_scatter(runs);
  for (std::uint32_t factor = 2; factor <= farthest_factor; factor *= 2) {
    std::uint32_t const ranks = factor * scaling.last().ranks;
    double const wall_s = best->fit.at(ranks), half_s = best->fit.half_interval(ranks, 0.95);
    if (half_s > widest_half * wall_s) break;
    result.times.push_back({ranks, wall_s, wall_s - half_s, wall_s + half_s});
  }
  if (result.times.empty()) result.reason = "the times scatter too much";
  return result;
}

}  // namespace mpisee_through
