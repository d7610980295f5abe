#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "findings/unevenness.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The range of sizes, without the 5 % of the calls with the smallest sizes and the 5 % with the largest.
std::optional<SizeBin> usual_sizes(OperationSummary const& operation) {
  std::map<SizeBin, std::uint64_t> calls;
  for (SizeTotals const& one : operation.sizes) calls[one.size] += one.totals.calls;
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

std::string advice(std::string_view operation, std::optional<SizeBin> sizes) {
  bool const are_small = sizes && sizes->max_bytes < thresholds::worth_joining_bytes;
  if (waits_for_messages(operation)) {
    return "start receives early and do work before waiting for them; --ranks shows who waits.";
  }
  switch (kind_of(operation)) {
    case OperationKind::collective:
      return operation.starts_with("Barrier")
                 ? "leave out barriers that the algorithm does not need."
                 : std::string(are_small ? "join several calls into one, " : "") +
                       "use the nonblocking form with work before its completion, or a smaller communicator where "
                       "not all ranks need the result.";
    case OperationKind::p2p:
      return are_small ? "join small messages, and send nonblocking (Isend) with work before the completion."
                       : "post receives before the sends (Irecv), send nonblocking (Isend), and do work before the "
                         "completion.";
    case OperationKind::communicator:
      return "make communicators once, outside of loops.";
    case OperationKind::one_sided:
      return "synchronise windows less often, with more operations in between.";
    case OperationKind::file:
      return "write and read collectively (_all) and in larger blocks.";
    case OperationKind::completion:
    case OperationKind::other:
      break;
  }
  return "do other work before calling it, and call it less often.";
}

double time_of_all(Summary const& summary, OperationIndex index) {
  double time_s = 0;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    for (OperationSummary const& operation : communicator.operations) {
      if (operation.operation == index) time_s += operation.totals.time_s;
    }
  }
  return time_s;
}

std::string spread_in_words(std::string_view operation, RankSpread const& spread) {
  if (spread.ranks() < 2 || spread.min_s() <= 0 || !differ_much(spread.min_s(), spread.max_s())) return "";
  return "; " + extremes_in_words(operation, spread.max(), spread.min());
}

// waiting: null if it is unknown.
std::string fact(Summary const& summary, CommunicatorSummary const& communicator, OperationSummary const& operation,
                 std::optional<SizeBin> const& sizes, OperationWaiting const* waiting) {
  std::string const& name = summary.name_of(operation.operation);
  double const of_operation = operation.totals.time_s / time_of_all(summary, operation.operation);
  std::string text = fmt::format("{} on {} ({}){} takes {} of the MPI time", name, communicator.name,
                                 format_number_of(communicator.size, "rank"), called_at(summary, operation),
                                 format_share(operation.totals.time_s / summary.operations_s));
  if (of_operation < 0.9995) text += fmt::format(", {} of that of all {}", format_share(of_operation), name);
  if (sizes && sizes->max_bytes > 0) text += fmt::format("; {} a call", format_size_bin(*sizes));
  bool const is_measured = waiting != nullptr && waiting->share();
  text += is_measured ? fmt::format("; {} of it is waiting for all to come", describe_share(*waiting))
                      : spread_in_words(name, operation.spread);
  return text + ".";
}

// The view that goes on where the fact ends: sizes if it names some, ranks if it compares them, call sites otherwise.
std::string_view view_of(Summary const& summary, OperationSummary const& operation,
                         std::optional<SizeBin> const& sizes) {
  if (sizes && sizes->max_bytes > 0) return "--sizes";
  if (!spread_in_words(summary.name_of(operation.operation), operation.spread).empty()) return "--ranks";
  return operations_view(called_at(summary, operation));
}

}  // namespace

std::vector<Finding> find_dominant_operations(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    for (OperationSummary const& operation : communicator.operations) {
      Place const place{static_cast<CommunicatorIndex>(i), operation.operation};
      double const weight = share_of_wall(evidence, operation.totals.time_s);
      bool const dominates = operation.totals.time_s >= thresholds::dominant_of_mpi * summary.operations_s;
      std::string const& name = summary.name_of(operation.operation);
      if (!dominates || weight < thresholds::dominant_of_wall || found_nothing(name)) continue;
      auto const sizes = usual_sizes(operation);
      found.push_back({.rule = {},
                       .weight = weight,
                       .fact = fact(summary, communicator, operation, sizes,
                                    evidence.waits.find(place.communicator, place.operation)),
                       .options = fmt::format("{} {} {}", view_of(summary, operation, sizes),
                                              option("--comm", communicator.name), option("--op", name)),
                       .advice = advice(name, sizes),
                       .places = {place}});
    }
  }
  return found;
}

}  // namespace mpisee_through
