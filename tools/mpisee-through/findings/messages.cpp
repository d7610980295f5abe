// Rules about messages: too small, waited for, polled for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "views/units.hpp"

namespace mpisee_through {
namespace {

struct Sends {
  std::uint64_t messages = 0;
  std::uint64_t tiny = 0;
  std::uint64_t bytes = 0;
  double time_s = 0;        // of all point-to-point calls and completions
  double sized_time_s = 0;  // of those that carry a message
  double tiny_time_s = 0;
  std::vector<OperationIndex> operations{};
  std::map<SizeBin, std::uint64_t> sizes{};

  [[nodiscard]] SizeBin most_frequent() const {
    return std::ranges::max_element(sizes, {}, [](auto const& one) { return one.second; })->first;
  }
};

void add_times(OperationSummary const& operation, Sends& sends) {
  sends.time_s += operation.totals.time_s;
  for (SizeTotals const& one : operation.sizes) {
    if (one.size.max_bytes == 0) continue;
    sends.sized_time_s += one.totals.time_s;
    if (one.size.max_bytes < thresholds::tiny_bytes) sends.tiny_time_s += one.totals.time_s;
  }
}

Sends sends_on(Summary const& summary, CommunicatorSummary const& communicator) {
  Sends sends;
  for (OperationSummary const& operation : communicator.operations) {
    std::string const& name = summary.name_of(operation.operation);
    OperationKind const kind = kind_of(name);
    if ((kind != OperationKind::p2p && kind != OperationKind::completion) || found_nothing(name)) continue;
    sends.operations.push_back(operation.operation);
    add_times(operation, sends);
    if (!sends_messages(name)) continue;
    sends.messages += operation.totals.calls;
    sends.bytes += operation.totals.bytes_sent;
    for (SizeTotals const& one : operation.sizes) {
      sends.sizes[one.size] += one.totals.calls;
      if (one.size.max_bytes < thresholds::tiny_bytes) sends.tiny += one.totals.calls;
    }
  }
  return sends;
}

double part(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(some) / static_cast<double>(all);
}

}  // namespace

std::vector<Finding> find_tiny_messages(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    Sends const sends = sends_on(summary, communicator);
    double const weight = share_of_wall(evidence, sends.time_s);
    if (sends.tiny < thresholds::tiny_messages_of_rank * std::max<std::uint64_t>(communicator.ranks, 1)) continue;
    if (part(sends.tiny, sends.messages) < thresholds::tiny_of_messages || weight < thresholds::tiny_of_wall) continue;
    if (sends.sized_time_s <= 0 || sends.tiny_time_s < thresholds::tiny_of_time * sends.sized_time_s) continue;
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fmt::format(
             "{} messages on {} carry {}: {} of them are below {} B, most of {}, and take {} of the time of "
             "calls that carry messages. Point-to-point calls and "
             "completions there take {} of the MPI time.",
             format_count(sends.messages), communicator.name, format_bytes(sends.bytes),
             format_share(part(sends.tiny, sends.messages)), thresholds::tiny_bytes,
             format_size_bin(sends.most_frequent()), format_share(sends.tiny_time_s / sends.sized_time_s),
             format_share(sends.time_s / summary.operations_s)),
         .options = fmt::format("--sizes --kind p2p {}", option("--comm", communicator.name)),
         .advice = "collect what goes to one rank and send it in one message; between fixed neighbours, use a "
                   "neighborhood collective."});
    for (OperationIndex const operation : sends.operations) {
      found.back().places.push_back({static_cast<CommunicatorIndex>(i), operation});
    }
  }
  return found;
}

std::vector<Finding> find_late_senders(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  if (evidence.messages == nullptr || !evidence.whole_ranks || summary.ranks.size() < 2) return {};
  std::vector<double> receiving_s(summary.run.ranks, 0);
  for (RankSummary const& one : summary.ranks) receiving_s[static_cast<std::size_t>(one.rank)] = one.receiving_s;
  double const limit_s = *std::ranges::max_element(receiving_s) / 2;
  auto const waits = [&](WorldRank rank) {
    return rank != other_world && receiving_s[static_cast<std::size_t>(rank)] >= limit_s;
  };

  std::vector<std::uint64_t> sent(summary.run.ranks, 0);  // to those who wait
  std::uint64_t to_waiting = 0;
  std::uint64_t from_others = 0;
  for (PairTraffic const& pair : evidence.messages->pairs) {
    if (!waits(pair.to)) continue;
    to_waiting += pair.amount.messages;
    if (pair.from == other_world || waits(pair.from)) continue;
    from_others += pair.amount.messages;
    sent[static_cast<std::size_t>(pair.from)] += pair.amount.messages;
  }
  std::vector<std::uint32_t> receivers;
  std::vector<std::uint32_t> senders;
  double waiting_s = 0;
  double senders_waiting_s = 0;
  double receivers_wall_s = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    if (waits(one.rank)) {
      receivers.push_back(rank);
      waiting_s += one.receiving_s;
      receivers_wall_s += summary.times_of_rank[rank].wall_s;
    } else if (sent[rank] > 0) {
      senders.push_back(rank);
      senders_waiting_s += one.receiving_s;
    }
  }
  double const weight = share_of_wall(evidence, waiting_s);
  if (senders.empty() || receivers.empty() || weight < thresholds::receiving_of_wall) return {};
  if (part(from_others, to_waiting) < thresholds::from_late_senders) return {};
  double const mean_s = waiting_s / static_cast<double>(receivers.size());
  double const senders_mean_s = senders_waiting_s / static_cast<double>(senders.size());
  if (senders_mean_s > thresholds::late_senders_wait * mean_s) return {};

  std::string const who = ranks_in_words(senders);
  std::vector<Place> places;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    for (OperationSummary const& operation : summary.communicators[i].operations) {
      if (waits_for_messages(summary.name_of(operation.operation))) {
        places.push_back({static_cast<CommunicatorIndex>(i), operation.operation});
      }
    }
  }
  std::string receiving = ranks_in_words(receivers);
  receiving.front() = 'R';
  bool const is_one = senders.size() == 1;
  return {{.rule = {},
           .weight = weight,
           .fact = fmt::format("{} {} {} of {} wall time in receives, probes and waits, {} on average. {} of the "
                               "messages to {} come from {}, which {} {}{} there.",
                               receiving, receivers.size() == 1 ? "spends" : "spend",
                               format_share(waiting_s / receivers_wall_s), receivers.size() == 1 ? "its" : "their",
                               format_seconds(mean_s), format_share(part(from_others, to_waiting)),
                               receivers.size() == 1 ? "it" : "them", who, is_one ? "spends" : "spend",
                               format_seconds(senders_mean_s), is_one ? "" : " each"),
           .options = fmt::format("--matrix --by messages --top 10 {}", option("--to", rank_list(receivers))),
           .advice = fmt::format("let {} send before other work or do less of it, and let the receivers work between "
                                 "Irecv and Wait.",
                                 who),
           .places = places}};
}

std::vector<Finding> find_polling(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    for (OperationSummary const& operation : communicator.operations) {
      std::string const& name = summary.name_of(operation.operation);
      if (!found_nothing(name)) continue;
      std::string const call = name.substr(0, name.rfind('-'));
      std::uint64_t successes = 0;
      for (OperationSummary const& other : communicator.operations) {
        if (summary.name_of(other.operation) == call) successes = other.totals.calls;
      }
      std::uint64_t const empty = operation.totals.calls;
      double const for_each = static_cast<double>(empty) / static_cast<double>(std::max<std::uint64_t>(successes, 1));
      double const weight = share_of_wall(evidence, operation.totals.time_s);
      if (empty < thresholds::empty_polls_of_rank * std::max<std::uint64_t>(operation.spread.ranks(), 1)) continue;
      if (for_each < thresholds::empty_polls_for_each || weight < thresholds::polling_of_wall) continue;
      found.push_back(
          {.rule = {},
           .weight = weight,
           .fact = fmt::format(
               "{} calls of {} on {} find nothing, {} for each that does; they take {} of the MPI time.",
               format_count(empty), call, communicator.name, format_count(static_cast<std::uint64_t>(for_each)),
               format_share(operation.totals.time_s / summary.operations_s)),
           .options =
               fmt::format("--operations {} {}", option("--comm", communicator.name), option("--op", call + "*")),
           .advice = "wait (Wait, Probe) where there is no other work to do, and poll less often where there is."});
    }
  }
  return found;
}

}  // namespace mpisee_through
