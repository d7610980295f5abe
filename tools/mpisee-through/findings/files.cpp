#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// Whether the call sets a file's view.
bool sets_view(commprof::calls::Row const& row) {
  return row.family == commprof::calls::Family::file && has_parameter(row, "filetype");
}

// All calls on files.
struct FileCalls {
  Totals totals{};
  std::uint64_t accesses = 0;          // calls with data
  double access_s = 0;                 // their time
  std::uint64_t collective_bytes = 0;  // of calls that join the accesses of ranks
  Cell const* longest = nullptr;
  std::vector<CommOperation> places{};
};

FileCalls file_calls(Summary const& summary) {
  FileCalls calls;
  for (Cell const& operation : summary.operations()) {
    std::string const& name = summary.name_of(operation.operation);
    if (kind_of(name) != OperationKind::file) continue;
    calls.totals += operation.totals;
    if (holds(name, commprof::calls::joins_accesses)) calls.collective_bytes += operation.totals.bytes();
    if (operation.totals.bytes() > 0) {
      calls.accesses += operation.totals.calls;
      calls.access_s += operation.totals.time_s;
    }
    calls.places.push_back({operation.communicator, operation.operation});
    if (calls.longest == nullptr || calls.longest->totals.time_s < operation.totals.time_s) calls.longest = &operation;
  }
  return calls;
}

// "write 2.000 GiB", "write 2.000 GiB and read 1.000 KiB"; empty without data.
std::string data_in_words(Totals const& totals) {
  std::string text;
  if (totals.bytes_sent > 0) text = "write " + format_bytes(totals.bytes_sent);
  if (totals.bytes_received > 0)
    text += fmt::format("{}read {}", text.empty() ? "" : " and ", format_bytes(totals.bytes_received));
  return text;
}

std::string advice(std::string_view operation, FileCalls const& calls) {
  using namespace commprof::calls;
  if (is_a(operation, file, file_opening) || is_a(operation, file, release))
    return "open files once and keep them open; one file for many ranks, not one for each.";
  if (holds(operation, sets_view))
    return "keep one view for many accesses: each call that sets a view waits for all ranks.";
  bool const are_small = calls.accesses > 0 && calls.totals.bytes() / calls.accesses < thresholds::large_access_bytes;
  bool const is_collective = holds(operation, joins_accesses) || 2 * calls.collective_bytes > calls.totals.bytes();
  if (are_small)
    return fmt::format("{}access larger blocks: collect data in memory first.",
                       is_collective ? "" : "use the collective forms (_all), which join accesses of ranks, and ");
  return is_collective ? "access files less often; hints of the info (cb_nodes, striping_factor) decide how many ranks "
                         "and disks work at once."
                       : "use the collective forms (_all), which join accesses of ranks, and stripe the file over more "
                         "disks.";
}

}  // namespace

std::vector<Finding> find_file_times(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  FileCalls const calls = file_calls(summary);
  double const saving = share_of_wall(evidence, calls.totals.time_s);
  if (calls.longest == nullptr || saving < thresholds::worth_trying) return {};
  std::string const& name = summary.name_of(calls.longest->operation);
  std::string const data = data_in_words(calls.totals);
  std::string fact =
      fmt::format("Calls on files take {} of the ranks' time, {} of that in {} on {}{}.", format_share(saving),
                  format_share(share_of(calls.longest->totals.time_s, calls.totals.time_s)), name,
                  summary.communicator(calls.longest->communicator).name, called_at(summary, *calls.longest));
  if (!data.empty())
    fact += fmt::format(" {} calls {}, {} a call, {}/s for each rank in them.", format_count(calls.accesses), data,
                        format_bytes(calls.totals.bytes() / calls.accesses),
                        format_bytes(static_cast<std::uint64_t>(static_cast<double>(calls.totals.bytes()) /
                                                                std::max(calls.access_s, 1e-9))));
  return {{.rule = {},
           .saving = saving,
           .fact = fact,
           .options = "--sites --kind file",
           .advice = advice(name, calls),
           .places = calls.places}};
}

}  // namespace mpisee_through
