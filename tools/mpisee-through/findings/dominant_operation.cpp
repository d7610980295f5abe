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

// The bytes of messages that a rank receives in a second of its calls for messages on the communicator.
double message_rate(Summary const& summary, CommunicatorIndex communicator) {
  double time_s = 0, bytes = 0;
  for (Cell const& operation : summary.operations_on(communicator)) {
    OperationKind const kind = kind_of(summary.name_of(operation.operation));
    if (kind != OperationKind::p2p && kind != OperationKind::completion) continue;
    time_s += operation.totals.time_s;
    if (kind == OperationKind::p2p) bytes += static_cast<double>(operation.totals.bytes_received);
  }
  return time_s > 0 ? bytes / time_s : 0;
}

// What is known of the waiting in an operation.
struct KnownWaiting {
  std::optional<OperationWaiting> sum;       // nothing if unknown
  std::vector<OperationWaiting> of_kinds{};  // over call sites
  double rate = 0;                           // message_rate(); 0 for operations without messages

  KnownWaiting(std::span<OperationWaiting const> waits, double message_rate)
      : sum(sum_of_waiting(waits)), rate(message_rate) {
    for (WaitKind const kind :
         {WaitKind::collective, WaitKind::late_sender, WaitKind::late_receiver, WaitKind::no_progress})
      if (auto const of_kind = over_call_sites(waits, kind)) of_kinds.push_back(*of_kind);
  }
  // Whether most of the operation's time is waiting for other ranks.
  [[nodiscard]] bool is_mostly_waiting() const { return sum && is_waiting(*sum, thresholds::mostly_waiting); }
  // Whether the operation takes long because data are moved.
  [[nodiscard]] bool is_transfer() const {
    if (sum && sum->has_enough_instants()) return rate > 0 && sum->wait_s < thresholds::waiting_of_time * sum->time_s;
    return rate >= static_cast<double>(thresholds::transfer_bytes_per_s);
  }
};

std::string waiting_in_words(KnownWaiting const& known) {
  std::string text;
  for (OperationWaiting const& one : known.of_kinds) {
    if (!one.has_enough_instants() || !one.share()) continue;
    text += fmt::format("{} {}{} for {}", text.empty() ? ";" : ",", describe_share(one),
                        text.empty() ? " of it is waiting" : "", awaited_in_words(one.kind));
  }
  return text;
}

std::string advice(std::string_view operation, std::optional<SizeBin> sizes, KnownWaiting const& waiting) {
  bool const are_small = sizes && sizes->max_bytes < thresholds::worth_joining_bytes;
  if (waiting.is_mostly_waiting())
    return kind_of(operation) == OperationKind::collective
               ? "spread the work before the call more evenly over the ranks."
               : "spread the work before it more evenly over the ranks, and do work between the begin of messages and "
                 "their completion.";
  if (waiting.is_transfer()) {
    if (are_small && sizes->max_bytes > 0) return "join small messages: nobody waits for them, but each has its price.";
    return "send less data, or spread it over more of the run; work before the completion helps only if the MPI moves "
           "messages meanwhile.";
  }
  if (only_begins(operation)) {
    return fmt::format("{} only begins its work, but the MPI does part of it, such as copying, within the call: {}.",
                       operation, are_small ? "join several calls into one" : "call it less often, or with less data");
  }
  if (waits_for_messages(operation)) {
    return fmt::format("start receives early and do work before waiting for them; {} shows who waits.",
                       waiting.sum ? "--waits" : "--ranks");
  }
  switch (kind_of(operation)) {
    case OperationKind::collective:
      return is_barrier(operation)
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
    case OperationKind::completion:
    case OperationKind::other:
    case OperationKind::unfinished:
      break;
  }
  return "do other work before calling it, and call it less often.";
}

double time_of_all(Summary const& summary, OperationIndex index) {
  double time_s = 0;
  for (Cell const& operation : summary.operations())
    if (operation.operation == index) time_s += operation.totals.time_s;
  return time_s;
}

std::string spread_in_words(std::string_view operation, RankSpread const& spread) {
  if (spread.ranks() < 2 || spread.min_s() <= 0 || !differ_much(spread.min_s(), spread.max_s())) return "";
  return "; " + extremes_in_words(operation, spread.max(), spread.min());
}

std::string fact(Summary const& summary, CommunicatorSummary const& communicator, Cell const& operation,
                 std::optional<SizeBin> const& sizes, KnownWaiting const& waiting) {
  std::string const& name = summary.name_of(operation.operation);
  double const of_operation = operation.totals.time_s / time_of_all(summary, operation.operation);
  std::string text = fmt::format("{} on {} ({}){} takes {} of the MPI time", name, communicator.name,
                                 format_number_of(communicator.size, "rank"), called_at(summary, operation),
                                 format_share(share_of(operation.totals.time_s, summary.operations_s)));
  if (of_operation < 0.9995) text += fmt::format(", {} of that of all {}", format_share(of_operation), name);
  if (sizes && sizes->max_bytes > 0) text += fmt::format("; {} a call", format_size_bin(*sizes));
  std::string const measured = waiting_in_words(waiting);
  text += measured.empty() ? spread_in_words(name, *operation.spread) : measured;
  if (waiting.is_transfer())
    text += fmt::format("; messages come at {}/s meanwhile", format_bytes(static_cast<std::uint64_t>(waiting.rate)));
  return text + ".";
}

// The view that continues the fact: waiting if that is most of the time or the fact says how much it is, sizes if it
// names some, ranks if it compares them, otherwise call sites.
std::string_view view_of(Summary const& summary, Cell const& operation, std::optional<SizeBin> const& sizes,
                         KnownWaiting const& waiting) {
  if (waiting.is_mostly_waiting() || !waiting_in_words(waiting).empty()) return "--waits";
  if (sizes && sizes->max_bytes > 0) return "--operations --by size";
  if (!spread_in_words(summary.name_of(operation.operation), *operation.spread).empty()) return "--ranks";
  return operations_view(called_at(summary, operation));
}

}  // namespace

std::vector<Finding> find_dominant_operations(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    if (communicator.totals.time_s < thresholds::dominant_of_mpi * summary.operations_s) continue;
    for (Cell const& operation : summary.operations_on(static_cast<CommunicatorIndex>(i))) {
      CommOperation const place{static_cast<CommunicatorIndex>(i), operation.operation};
      double const weight = share_of_wall(evidence, operation.totals.time_s);
      bool const dominates = operation.totals.time_s >= thresholds::dominant_of_mpi * summary.operations_s;
      std::string const& name = summary.name_of(operation.operation);
      OperationKind const kind = kind_of(name);
      if (kind == OperationKind::file || kind == OperationKind::unfinished) continue;  // rules of their own
      if (!dominates || weight < thresholds::dominant_of_wall || found_nothing(name)) continue;
      auto const sizes = usual_sizes(summary, operation);
      bool const has_messages = kind == OperationKind::p2p || kind == OperationKind::completion;
      KnownWaiting const waiting(evidence.waits.at(place.communicator, place.operation),
                                 has_messages ? message_rate(summary, place.communicator) : 0);
      found.push_back({.rule = {},
                       .weight = weight,
                       .fact = fact(summary, communicator, operation, sizes, waiting),
                       .options = fmt::format("{} {} {}", view_of(summary, operation, sizes, waiting),
                                              option_of_communicator(communicator), option("--op", name)),
                       .advice = advice(name, sizes, waiting),
                       .places = {place}});
    }
  }
  return found;
}

}  // namespace mpisee_through
