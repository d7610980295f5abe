#include "scaling/scaling_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "scaling/scaling_forms.hpp"
#include "text/units.hpp"

namespace mpisee_through {

void show(std::ostream& out, ScalingShown const& shown, Format format) {
  if (format == Format::csv) return write_scaling_csv(out, shown);
  if (format == Format::json) return write_scaling_json(out, shown);
  print_scaling(out, shown);
}

void show(std::ostream& out, History const& history, Format format) {
  if (format == Format::csv) return write_history_csv(out, history);
  if (format == Format::json) return write_history_json(out, history);
  print_history(out, history);
}

std::string describe_law(ScalingShown const& shown) {
  Extrapolation const& extrapolation = shown.extrapolation;
  if (!extrapolation.reason.empty()) return "not extrapolated: " + extrapolation.reason;
  bool const is_one_host =
      std::ranges::all_of(shown.scaling.points, [](ScalingPoint const& point) { return point.hosts <= 1; });
  return fmt::format("{}, fitted to {} of ranks{}", extrapolation.law,
                     format_number_of(shown.scaling.points.size(), "number"),
                     is_one_host ? "; all runs were on one host, so this knows no network" : "");
}

std::string short_commit(std::string const& commit) {
  constexpr std::size_t most_digits = 12, digits_of_hash = 40;
  bool const is_hash =
      commit.size() >= digits_of_hash && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hash ? commit.substr(0, most_digits) : commit;
}

}  // namespace mpisee_through
