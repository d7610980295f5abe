#include <fmt/format.h>

#include "summary/collectives.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::string format_operations(double operations) {
  auto const whole = static_cast<std::uint64_t>(operations);
  return static_cast<double>(whole) == operations ? format_count(whole) : fmt::format("{:.1f}", operations);
}

std::vector<std::string> cells(Summary const& summary, CollectiveSummary const& collective) {
  return {summary.communicator(collective.communicator).name,
          std::string(name_of(collective.direction)),
          format_operations(collective.operations),
          format_count(collective.totals.calls),
          format_bytes(collective.totals.bytes()),
          format_seconds(collective.totals.time_s)};
}

}  // namespace

void print_collectives(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  using enum Columns::Align;
  std::vector<CollectiveSummary> const collectives = sum_up_collectives(summary, arrangement);
  if (collectives.empty()) {
    out << "No collective operations in this selection.\n";
    return;
  }
  Columns columns(0, {{"Communicator", left},
                      {"Direction", left},
                      {"Operations", right},
                      {"Calls", right},
                      {"Volume", right},
                      {"Time", right}});
  for (CollectiveSummary const& collective : collectives) columns.fit(cells(summary, collective));
  columns.print_titles(out);
  for (CollectiveSummary const& collective : collectives) columns.print(out, cells(summary, collective));
}

}  // namespace mpisee_through
