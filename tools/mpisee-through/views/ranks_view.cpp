#include <fmt/format.h>

#include <algorithm>

#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// For bars, which take whole numbers.
std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

std::vector<std::string> cells(Summary const& summary, RankSummary const& one, double longest_s) {
  RankTimes const& times = summary.times_of_rank[static_cast<std::size_t>(one.rank)];
  return {fmt::format("{}", static_cast<std::uint32_t>(one.rank)),
          summary.host_of(one.rank),
          format_seconds(times.wall_s),
          format_seconds(times.mpi_s),
          format_share(times.mpi_share()),
          format_seconds(one.totals.time_s),
          format_bytes(one.totals.bytes()),
          format_count(one.totals.calls),
          format_bar(nanoseconds(one.totals.time_s), nanoseconds(longest_s))};
}

}  // namespace

void print_ranks(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  using enum Columns::Align;
  std::vector<RankSummary> const shown = arrange_ranks(summary, arrangement);
  double longest_s = 0;
  for (RankSummary const& one : summary.ranks) longest_s = std::max(longest_s, one.totals.time_s);

  Columns columns(0, {{"Rank", right},
                      {"Host", left},
                      {"Wall time", right},
                      {"MPI time", right},
                      {"In MPI", right},
                      {"Time", right},
                      {"Volume", right},
                      {"Calls", right},
                      {"Of the longest", left}});
  for (RankSummary const& one : shown) columns.fit(cells(summary, one, longest_s));
  columns.print_titles(out);
  for (RankSummary const& one : shown) columns.print(out, cells(summary, one, longest_s));
  if (shown.size() < summary.ranks.size()) {
    out << "\nNot shown, beyond --top: " << format_number_of(summary.ranks.size() - shown.size(), "rank") << ".\n";
  }
}

}  // namespace mpisee_through
