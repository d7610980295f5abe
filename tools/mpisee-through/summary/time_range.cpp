#include "summary/time_range.hpp"

#include <array>
#include <cmath>
#include <system_error>
#include <utility>

#include "files/from_chars.hpp"

namespace mpisee_through {
namespace {

std::optional<double> parse_seconds(std::string_view text) {
  double number = 0;
  auto const [end, error] = from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
  constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  std::string_view const unit = text.substr(static_cast<std::size_t>(end - text.data()));
  for (auto const& [name, seconds] : units) {
    if (unit == name) return number * seconds;
  }
  return std::nullopt;
}

}  // namespace

std::optional<TimeRange> TimeRange::parse(std::string_view text) {
  std::size_t const dash = text.find('-');
  if (dash == text.npos) return std::nullopt;
  auto const min = parse_seconds(text.substr(0, dash));
  if (!min) return std::nullopt;
  std::string_view const upper = text.substr(dash + 1);
  if (upper.empty()) return TimeRange{.min_s = *min};
  auto const max = parse_seconds(upper);
  if (!max || *max < *min) return std::nullopt;
  return TimeRange{*min, *max};
}

void keep_operations(Summary& summary, TimeRange const& range) {
  for (CommunicatorSummary& communicator : summary.communicators) {
    std::erase_if(communicator.operations,
                  [&](OperationSummary const& operation) { return !range.holds(communicator.max_s(operation)); });
  }
}

}  // namespace mpisee_through
