#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

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
          format_seconds(collective.totals.time_s),
          format_share(summary.share_of_mpi(collective.totals)),
          format_share(summary.share_of_wall(collective.totals)),
          format_seconds(collective.totals.call_s())};
}

}  // namespace

void print_collectives(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  using namespace align;
  std::vector<CollectiveSummary> const collectives = sum_up_collectives(summary, {arrangement.key, {}});
  std::size_t const shown = std::min(arrangement.top.value_or(collectives.size()), collectives.size());
  if (collectives.empty()) {
    out << "No collective operations in this selection.\n";
    return;
  }
  Columns columns(0, {{"Communicator", left},
                      {"Direction", left},
                      {"Operations", right},
                      {"Calls", right},
                      {"Volume", right},
                      {"Time", right},
                      {"MPI time", right},
                      {"Of wall", right},
                      {"A call", right}});
  for (std::size_t i = 0; i < shown; ++i) columns.fit(cells(summary, collectives[i]));
  columns.print_titles(out);
  for (std::size_t i = 0; i < shown; ++i) columns.print(out, cells(summary, collectives[i]));
  if (shown < collectives.size())
    fmt::print(out, "\nNot shown, beyond --top: {}.\n", format_number_of(collectives.size() - shown, "line"));
}

}  // namespace mpisee_through
