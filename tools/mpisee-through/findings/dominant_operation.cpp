// Operations that take much of the time without waiting for others.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The range of sizes without the 5 % of calls with the smallest sizes and the 5 % with the largest.
std::optional<SizeBin> usual_sizes(Summary const& summary, Cell const& operation) {
  std::map<SizeBin, std::uint64_t> calls;
  for (Cell const& one : summary.parts_of(operation, by_size)) calls[one.size] += one.totals.calls;
  std::uint64_t const all = operation.totals.calls;
  std::optional<SizeBin> usual;
  std::uint64_t before = 0;
  for (auto const& [size, count] : calls) {
    bool const reaches_in = before + count > all / 20;
    bool const begins_in = before < all - all / 20;
    if (reaches_in && begins_in) usual = SizeBin{usual ? usual->min_bytes : size.min_bytes, size.max_bytes};
    before += count;
  }
  return usual;
}

std::string advice(std::string const& operation, std::optional<SizeBin> const& sizes) {
  bool const are_small = sizes && sizes->max_bytes < thresholds::worth_joining_bytes;
  if (only_begins(operation))
    return fmt::format("{} only begins its work, but the MPI does part of it, such as copying, within the call: {}.",
                       operation, are_small ? "join several calls into one" : "call it less often, or with less data");
  switch (kind_of(operation)) {
    case OperationKind::collective:
      if (is_barrier(operation)) return "leave out barriers that the algorithm does not need.";
      return std::string(are_small ? "join several calls into one, " : "") +
             "use the nonblocking form with work before its completion, or a smaller communicator where not all ranks "
             "need the result.";
    case OperationKind::p2p:
      return are_small
                 ? "join small messages: each has its price, though nobody waits."
                 : "send less data, or begin early (Irecv, Isend) and work before the completion, if the MPI moves "
                   "messages meanwhile.";
    case OperationKind::completion:
      return "start messages earlier and work before their completion, if the MPI moves messages meanwhile; else send "
             "less data.";
    case OperationKind::communicator:
      return "make communicators once, outside of loops.";
    case OperationKind::one_sided:
      return "synchronise windows less often, with more operations in between.";
    case OperationKind::file:
    case OperationKind::other:
    case OperationKind::unfinished:
      break;
  }
  return "do other work before calling it, and call it less often.";
}

}  // namespace

std::vector<Finding> find_dominant_operations(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for_each_operation(evidence, thresholds::worth_trying, [&](auto const& communicator, Cell const& operation) {
    std::string const& name = summary.name_of(operation.operation);
    OperationKind const kind = kind_of(name);
    double const beside_s = time_beside_waiting_s(evidence, operation), saving = share_of_wall(evidence, beside_s);
    if (saving < thresholds::worth_trying || found_nothing(name)) return;
    if (kind == OperationKind::file || kind == OperationKind::unfinished) return;  // rules of their own
    auto const sizes = usual_sizes(summary, operation);
    bool const have_data = sizes && sizes->max_bytes > 0;
    bool const waits = beside_s < operation.totals.time_s;
    std::string const where = called_at(summary, operation);
    std::string fact = fmt::format("{} on {} ({}){} takes {} of the ranks' time{}", name, communicator.name,
                                   format_number_of(communicator.size, "rank"), where,
                                   format_share(share_of_wall(evidence, operation.totals.time_s)),
                                   waits ? fmt::format(", {} without waiting for others", format_share(saving)) : "");
    if (have_data) fact += fmt::format("; {} a call", format_size_bin(*sizes));
    found.push_back({.rule = {},
                     .saving = saving,
                     .fact = fact + ".",
                     .options = fmt::format("{} {} {}", have_data ? "--operations --by size" : operations_view(where),
                                            option_of_communicator(communicator), option("--op", name)),
                     .advice = advice(name, sizes),
                     .places = {{operation.communicator, operation.operation}}});
  });
  std::ranges::stable_sort(found, std::ranges::greater{}, &Finding::saving);
  return found;
}

}  // namespace mpisee_through
