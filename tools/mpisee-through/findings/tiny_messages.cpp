#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

struct Sends {
  std::uint64_t messages = 0;
  std::uint64_t tiny = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;        // of point-to-point calls and completions
  double sized_time_s = 0;  // of calls that carry a message
  double tiny_time_s = 0;
  std::vector<OperationIndex> operations{};
  std::map<SizeBin, std::uint64_t> sizes{};

  [[nodiscard]] double tiny_share() const {
    return messages == 0 ? 0 : static_cast<double>(tiny) / static_cast<double>(messages);
  }
  [[nodiscard]] SizeBin most_frequent() const {
    return std::ranges::max_element(sizes, {}, [](auto const& one) { return one.second; })->first;
  }
};

void add_times(Cell const& operation, std::span<Cell const> sizes, Sends& sends) {
  sends.time_s += operation.totals.time_s;
  for (Cell const& one : sizes) {
    if (one.size.max_bytes == 0) continue;
    sends.sized_time_s += one.totals.time_s;
    if (one.size.max_bytes < thresholds::tiny_bytes) sends.tiny_time_s += one.totals.time_s;
  }
}

// Whether calls of Start on a communicator send messages. It does not tell what it starts.
bool starts_sends(Summary const& summary, CommunicatorIndex communicator) {
  auto const any = [&](bool (*prepares)(std::string_view)) {
    return std::ranges::any_of(summary.operations_on(communicator),
                               [&](Cell const& one) { return prepares(summary.name_of(one.operation)); });
  };
  return any(prepares_sends) && !any(prepares_collectives);
}

Sends sends_on(Summary const& summary, CommunicatorIndex communicator) {
  Sends sends;
  bool const start_sends = starts_sends(summary, communicator);
  for (Cell const& operation : summary.operations_on(communicator)) {
    std::string const& name = summary.name_of(operation.operation);
    OperationKind const kind = kind_of(name);
    if ((kind != OperationKind::p2p && kind != OperationKind::completion) || found_nothing(name)) continue;
    sends.operations.push_back(operation.operation);
    auto const sizes = summary.parts_of(operation, by_size);
    add_times(operation, sizes, sends);
    bool const is_start = start_sends && is_a(name, commprof::calls::point_to_point, commprof::calls::start);
    if (!sends_messages(name) && !is_start) continue;
    if (!is_start) sends.messages += operation.totals.calls;
    sends.bytes += operation.totals.bytes_sent;
    for (Cell const& one : sizes) {
      if (is_start && one.totals.bytes_sent == 0) continue;  // receives
      if (is_start) sends.messages += one.totals.calls;
      sends.sizes[one.size] += one.totals.calls;
      if (one.size.max_bytes < thresholds::tiny_bytes) sends.tiny += one.totals.calls;
    }
  }
  return sends;
}

}  // namespace

std::vector<Finding> find_tiny_messages(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    if (share_of_wall(evidence, communicator.totals.time_s) < thresholds::tiny_of_wall) continue;
    Sends const sends = sends_on(summary, static_cast<CommunicatorIndex>(i));
    double const weight = share_of_wall(evidence, sends.time_s);
    if (sends.tiny < thresholds::tiny_messages_of_rank * std::max<std::uint64_t>(communicator.ranks, 1)) continue;
    if (sends.tiny_share() < thresholds::tiny_of_messages || weight < thresholds::tiny_of_wall) continue;
    if (sends.sized_time_s <= 0 || sends.tiny_time_s < thresholds::tiny_of_time * sends.sized_time_s) continue;
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fmt::format(
             "{} messages on {} carry {}: {} of them are below {} B, most of {}, and take {} of the time of "
             "calls that carry messages. Point-to-point calls and "
             "completions there take {} of the MPI time.",
             format_count(sends.messages), communicator.name, format_bytes(sends.bytes),
             format_share(sends.tiny_share()), thresholds::tiny_bytes, format_size_bin(sends.most_frequent()),
             format_share(share_of(sends.tiny_time_s, sends.sized_time_s)),
             format_share(share_of(sends.time_s, summary.operations_s))),
         .options = fmt::format("--operations --by size --kind p2p {}", option_of_communicator(communicator)),
         .advice = "collect what goes to one rank and send it in one message; between fixed neighbours, use a "
                   "neighborhood collective."});
    for (OperationIndex const operation : sends.operations) {
      found.back().places.push_back({static_cast<CommunicatorIndex>(i), operation});
    }
  }
  return found;
}

}  // namespace mpisee_through
