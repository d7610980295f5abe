#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The windows that are made on one communicator.
struct Windows {
  Cell const* made_by = nullptr;      // the call that makes most of them
  std::uint64_t made = 0, freed = 0;  // by all ranks
  double time_s = 0;
  std::vector<CommOperation> places{};
};

Windows windows_on(Summary const& summary, CommunicatorIndex index) {
  using namespace commprof::calls;
  Windows windows;
  for (Cell const& operation : summary.operations_on(index)) {
    std::string const& name = summary.name_of(operation.operation);
    bool const makes = is_a(name, one_sided, window_creation);
    if (!makes && !is_a(name, one_sided, release)) continue;
    (makes ? windows.made : windows.freed) += operation.totals.calls;
    windows.time_s += operation.totals.time_s;
    windows.places.push_back({index, operation.operation});
    if (makes && (windows.made_by == nullptr || windows.made_by->totals.calls < operation.totals.calls))
      windows.made_by = &operation;
  }
  return windows;
}

}  // namespace

std::vector<Finding> find_window_churn(Evidence const& evidence) {
  if (!evidence.whole_ranks) return {};
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    Windows const windows = windows_on(summary, static_cast<CommunicatorIndex>(i));
    std::uint64_t const ranks = std::max<std::uint64_t>(communicator.ranks, 1);
    double const freed = share_of(windows.freed, windows.made).value_or(0);
    double const weight = share_of_wall(evidence, windows.time_s);
    if (windows.made < thresholds::churn_calls * ranks || freed < thresholds::churn_freed) continue;
    if (weight < thresholds::churn_of_wall) continue;
    std::string const& name = summary.name_of(windows.made_by->operation);
    std::string const where = called_at(summary, *windows.made_by);
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fmt::format("Each rank makes {} windows on {} ({}{}) and frees {} of them; making and freeing take "
                             "{} of the MPI time.",
                             format_count(windows.made / ranks), communicator.name, name, where,
                             format_share(std::min(freed, 1.0)),
                             format_share(share_of(windows.time_s, summary.operations_s))),
         .options = fmt::format("{} {} {}", operations_view(where), option_of_communicator(communicator),
                                option("--op", "Win_*")),
         .advice = "make a window once, of the largest size, and keep it; memory that comes and goes is attached to a "
                   "window of Win_create_dynamic.",
         .places = windows.places});
  }
  return found;
}

}  // namespace mpisee_through
