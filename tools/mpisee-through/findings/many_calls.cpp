// Calls that are many and do little: tiny messages, tiny collectives, barriers beside collectives, polls for nothing.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

std::uint64_t ranks_of(CommunicatorSummary const& communicator) {
  return std::max<std::uint64_t>(communicator.ranks, 1);
}

struct Sends {
  std::uint64_t messages = 0, tiny = 0, bytes = 0;
  double time_s = 0;        // of point-to-point calls and completions
  double savable_s = 0;     // the part of it that is not waiting
  double sized_time_s = 0;  // of calls that carry a message
  double tiny_time_s = 0;
  std::vector<CommOperation> places{};
  std::map<SizeBin, std::uint64_t> sizes{};

  [[nodiscard]] double tiny_share() const { return share_of(tiny, messages).value_or(0); }
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

Sends sends_on(Evidence const& evidence, CommunicatorIndex communicator) {
  Summary const& summary = evidence.summary;
  Sends sends;
  bool const start_sends = starts_sends(summary, communicator);
  for (Cell const& operation : summary.operations_on(communicator)) {
    std::string const& name = summary.name_of(operation.operation);
    OperationKind const kind = kind_of(name);
    if ((kind != OperationKind::p2p && kind != OperationKind::completion) || found_nothing(name)) continue;
    sends.places.push_back({communicator, operation.operation});
    sends.savable_s += time_beside_waiting_s(evidence, operation);
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

// The calls of a collective by their data. The root of a Bcast counts no bytes.
struct CallsByData {
  std::uint64_t without = 0, tiny = 0, all = 0;

  CallsByData(Summary const& summary, Cell const& operation) : all(operation.totals.calls) {
    for (Cell const& one : summary.parts_of(operation, by_size)) {
      if (one.size.max_bytes == 0) without += one.totals.calls;
      else if (one.size.max_bytes < thresholds::tiny_bytes) tiny += one.totals.calls;
    }
  }
  // The share of tiny calls among those that carry data; 0 if none does.
  [[nodiscard]] double tiny_share() const { return share_of(tiny, all - without).value_or(0); }
};

// The other blocking collectives on a communicator.
struct Others {
  Cell const* most = nullptr;  // with most calls
  std::uint64_t calls = 0;
};

Others others_on(Summary const& summary, CommunicatorIndex index) {
  Others others;
  for (Cell const& operation : summary.operations_on(index)) {
    std::string const& name = summary.name_of(operation.operation);
    if (kind_of(name) != OperationKind::collective || only_begins(name) || is_barrier(name)) continue;
    others.calls += operation.totals.calls;
    if (others.most == nullptr || others.most->totals.calls < operation.totals.calls) others.most = &operation;
  }
  return others;
}

// The profile has no order of calls: as many barriers as other collective calls are taken for pairs.
bool are_pairs(std::uint64_t barriers, std::uint64_t others) {
  return static_cast<double>(std::min(barriers, others)) >=
         thresholds::paired_barriers * static_cast<double>(std::max(barriers, others));
}

}  // namespace

std::vector<Finding> find_tiny_messages(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    if (share_of_wall(evidence, communicator.totals.time_s) < thresholds::worth_trying) continue;
    Sends const sends = sends_on(evidence, static_cast<CommunicatorIndex>(i));
    double const saving = share_of_wall(evidence, sends.savable_s);
    if (sends.tiny < thresholds::tiny_messages_of_rank * ranks_of(communicator)) continue;
    if (sends.tiny_share() < thresholds::tiny_of_messages || saving < thresholds::worth_trying) continue;
    if (sends.sized_time_s <= 0 || sends.tiny_time_s < thresholds::tiny_of_time * sends.sized_time_s) continue;
    found.push_back(
        {.rule = {},
         .saving = saving,
         .fact = fmt::format(
             "{} messages on {} carry {}, {} on average: {} of them are in calls that carry less than {} B, "
             "most of {}, and take {} of the time of calls with messages.",
             format_count(sends.messages), communicator.name, format_bytes(sends.bytes),
             format_bytes(sends.bytes / std::max<std::uint64_t>(sends.messages, 1)), format_share(sends.tiny_share()),
             thresholds::tiny_bytes, format_size_bin(sends.most_frequent()),
             format_share(share_of(sends.tiny_time_s, sends.sized_time_s))),
         .options = fmt::format("--operations --by size --kind p2p {}", option_of_communicator(communicator)),
         .advice = "collect what goes to one rank and send it in one message; between fixed neighbours, use "
                   "a neighborhood collective.",
         .places = sends.places});
  }
  return found;
}

std::vector<Finding> find_tiny_collectives(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for_each_operation(evidence, thresholds::worth_trying, [&](auto const& communicator, Cell const& operation) {
    std::string const& name = summary.name_of(operation.operation);
    double const saving = share_of_wall(evidence, time_beside_waiting_s(evidence, operation));
    if (kind_of(name) != OperationKind::collective || saving < thresholds::worth_trying) return;
    CallsByData const calls(summary, operation);
    if (operation.totals.call_s().value_or(0) > thresholds::tiny_call_s) return;
    if (calls.all < thresholds::tiny_messages_of_rank * ranks_of(communicator)) return;
    if (calls.tiny_share() < thresholds::tiny_of_messages) return;
    found.push_back(
        {.rule = {},
         .saving = saving,
         .fact = fmt::format("Each rank calls {} on {}{} {} times, with less than {} B in {} of the calls, {} a call.",
                             name, communicator.name, called_at(summary, operation),
                             format_count(calls.all / ranks_of(communicator)), thresholds::tiny_bytes,
                             format_share(share_of(calls.tiny + calls.without, calls.all)),
                             format_seconds(operation.totals.call_s().value_or(0))),
         .options =
             fmt::format("--operations --by size {} {}", option_of_communicator(communicator), option("--op", name)),
         .advice = "put what several calls carry into one, or call less often: test for convergence every tenth step, "
                   "reduce several sums as one array.",
         .places = {{operation.communicator, operation.operation}}});
  });
  return found;
}

std::vector<Finding> find_polling(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for_each_operation(evidence, thresholds::worth_trying, [&](auto const& communicator, Cell const& operation) {
    std::string const& name = summary.name_of(operation.operation);
    double const saving = share_of_wall(evidence, time_beside_waiting_s(evidence, operation));
    if (!found_nothing(name) || saving < thresholds::worth_trying) return;
    std::string const call = name.substr(0, name.rfind('-'));
    std::uint64_t successes = 1, empty = operation.totals.calls;
    for (Cell const& other : summary.operations_on(operation.communicator))
      if (summary.name_of(other.operation) == call) successes = std::max<std::uint64_t>(other.totals.calls, 1);
    double const for_each = static_cast<double>(empty) / static_cast<double>(successes);
    if (empty < thresholds::empty_polls_of_rank * ranks_of(communicator)) return;
    if (for_each < thresholds::empty_polls_for_each) return;
    std::string const where = called_at(summary, operation);
    found.push_back(
        {.rule = {},
         .saving = saving,
         .fact = fmt::format("{} calls of {} on {}{} find nothing, {} for each that does.", format_count(empty), call,
                             communicator.name, where, format_count(static_cast<std::uint64_t>(for_each))),
         .options = fmt::format("{} {} {}", operations_view(where), option_of_communicator(communicator),
                                option("--op", call + "*")),
         .advice = "wait (Wait, Probe) where there is no other work to do, and poll less often where there is.",
         .places = {{operation.communicator, operation.operation}}});
  });
  return found;
}

std::vector<Finding> find_paired_barriers(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for_each_operation(evidence, thresholds::worth_trying, [&](auto const& communicator, Cell const& barriers) {
    std::string const& name = summary.name_of(barriers.operation);
    if (!is_barrier(name) || only_begins(name)) return;
    std::uint64_t const ranks = ranks_of(communicator), calls = barriers.totals.calls;
    if (calls < thresholds::paired_barriers_of_rank * ranks) return;
    Others const others = others_on(summary, barriers.communicator);
    bool const are_with_all = are_pairs(calls, others.calls);
    if (others.most == nullptr || (!are_with_all && !are_pairs(calls, others.most->totals.calls))) return;
    std::string const& most = summary.name_of(others.most->operation);
    std::string const in_words =
        are_with_all
            ? fmt::format("other collectives there {} times, mostly {}", format_count(others.calls / ranks), most)
            : fmt::format("{} there {} times", most, format_count(others.most->totals.calls / ranks));
    // Without the barrier, the others would wait for the ranks that are late in the next call.
    auto const waits = evidence.waits.at(barriers.communicator, barriers.operation);
    auto const waiting = over_call_sites(waits, WaitKind::collective);
    bool const would_wait = waiting && few_culprits(summary, *waiting);
    double const saving = share_of_wall(
        evidence, would_wait ? time_beside_waiting_s(evidence, barriers) : double{barriers.totals.time_s});
    if (saving < thresholds::worth_trying) return;
    std::string const where = called_at(summary, barriers);
    found.push_back(
        {.rule = {},
         .saving = saving,
         .fact = fmt::format("Each rank calls Barrier on {}{} {} times, and {}: there is a barrier for each.",
                             communicator.name, where, format_count(calls / ranks), in_words),
         .options =
             fmt::format("{} {} --kind collective", operations_view(where), option_of_communicator(communicator)),
         .advice =
             "leave out barriers beside collectives: a collective needs none to be correct, and most wait for all "
             "ranks by themselves.",
         .places = {{barriers.communicator, barriers.operation}}});
  });
  return found;
}

}  // namespace mpisee_through
