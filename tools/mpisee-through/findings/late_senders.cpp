#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// A group of ranks, and its time in receives, probes and waits, summed over threads.
struct Group {
  std::vector<std::uint32_t> ranks;
  double receiving_s = 0;
  double outside_s = 0;  // outside MPI
  double wall_s = 0;

  void add(Summary const& summary, RankSummary const& one) {
    ranks.push_back(static_cast<std::uint32_t>(one.rank));
    receiving_s += one.receiving_s;
    double const wall_of_one_s = summary.times_of_rank[ranks.back()].threads_wall_s();
    wall_s += wall_of_one_s;
    outside_s += wall_of_one_s - one.totals.time_s;
  }
  [[nodiscard]] double mean_s() const { return receiving_s / static_cast<double>(ranks.size()); }
  [[nodiscard]] double mean_outside_s() const { return outside_s / static_cast<double>(ranks.size()); }
  [[nodiscard]] bool is_one() const { return ranks.size() == 1; }
};

struct LateWaiting {
  Group receivers;          // ranks with at least half of the maximum time in receiving
  Group senders;            // other ranks that send to the receivers
  double from_senders = 0;  // share of the messages to receivers that the senders sent, 0 to 1
};

class WaitingFinder {
 public:
  explicit WaitingFinder(Summary const& summary)
      : summary_(summary), receiving_s_(summary.run.ranks), sent_(summary.run.ranks, 0) {
    for (RankSummary const& one : summary.ranks) receiving_s_[static_cast<std::size_t>(one.rank)] = one.receiving_s;
    limit_s_ = std::ranges::max_element(receiving_s_)->value_or(0) / 2;
  }

  [[nodiscard]] Group receivers() const {
    Group group;
    for (RankSummary const& one : summary_.ranks)
      if (waits(one.rank)) group.add(summary_, one);
    return group;
  }

  LateWaiting find(MessageSums const& messages) {
    LateWaiting waiting{receivers(), {}, count(messages)};
    for (RankSummary const& one : summary_.ranks)
      if (!waits(one.rank) && sent_[static_cast<std::size_t>(one.rank)] > 0) waiting.senders.add(summary_, one);
    return waiting;
  }

 private:
  [[nodiscard]] bool waits(WorldRank rank) const {
    return is_selected(rank) && receiving_s_[static_cast<std::size_t>(rank)] >= limit_s_;
  }
  [[nodiscard]] bool is_selected(WorldRank rank) const {
    return rank != other_world && receiving_s_[static_cast<std::size_t>(rank)].has_value();
  }

  // Returns which share of all messages to waiting ranks other selected ranks have sent. Fills sent_.
  double count(MessageSums const& messages) {
    std::uint64_t all = 0;
    std::uint64_t from_others = 0;
    for (PairTraffic const& pair : messages.pairs) {
      if (!waits(pair.to)) continue;
      all += pair.amount.messages;
      if (!is_selected(pair.from) || waits(pair.from)) continue;
      from_others += pair.amount.messages;
      sent_[static_cast<std::size_t>(pair.from)] += pair.amount.messages;
    }
    return all == 0 ? 0 : static_cast<double>(from_others) / static_cast<double>(all);
  }

  Summary const& summary_;
  std::vector<std::optional<double>> receiving_s_;  // by rank; nothing for ranks that are not selected
  std::vector<std::uint64_t> sent_;                 // by rank: messages to waiting ranks
  double limit_s_;
};

// The operations that may wait for a message.
std::vector<CommOperation> waiting_places(Summary const& summary) {
  std::vector<CommOperation> places;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    for (OperationSummary const& operation : summary.communicators[i].operations) {
      if (!waits_for_messages(summary.name_of(operation.operation))) continue;
      places.push_back({static_cast<CommunicatorIndex>(i), operation.operation});
    }
  }
  return places;
}

// Whether it is not known, for most of the time in these operations, what they wait for.
bool is_mostly_unknown(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  double time_s = 0, known_s = 0;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    auto const communicator = static_cast<CommunicatorIndex>(i);
    for (OperationSummary const& operation : summary.communicators[i].operations) {
      if (!waits_for_messages(summary.name_of(operation.operation))) continue;
      time_s += operation.totals.time_s;
      for (OperationWaiting const& one : evidence.waits.messages_of(communicator, operation.operation))
        if (one.kind == WaitKind::late_sender) known_s += one.time_s - one.unknown_s;
    }
  }
  return known_s < time_s * (1 - thresholds::unknown_waiting);
}

std::string guessed_fact(LateWaiting const& waiting) {
  auto const& [receivers, senders, from_senders] = waiting;
  std::string who = ranks_in_words(receivers.ranks);
  who.front() = 'R';
  return fmt::format(
      "{} {} {} of {} wall time in receives, probes and waits, {} on average. {} of the messages to {} "
      "come from {}, which {} {}{} there.",
      who, receivers.is_one() ? "spends" : "spend", format_share(share_of(receivers.receiving_s, receivers.wall_s)),
      receivers.is_one() ? "its" : "their", format_seconds(receivers.mean_s()), format_share(from_senders),
      receivers.is_one() ? "it" : "them", ranks_in_words(senders.ranks), senders.is_one() ? "spends" : "spend",
      format_seconds(senders.mean_s()), senders.is_one() ? "" : " each");
}

// How many times as long as the others a rank is outside MPI, on average.
double longer_than_others(Summary const& summary, WorldRank rank) {
  double others_s = 0;
  for (RankTimes const& one : summary.times_of_rank) others_s += one.useful_s();
  double const its_s = summary.times_of_rank[static_cast<std::size_t>(rank)].useful_s();
  others_s -= its_s;
  return others_s > 0 ? its_s * static_cast<double>(summary.times_of_rank.size() - 1) / others_s : 0;
}

// What receivers, or senders, wait for.
struct MessageWaiting {
  OperationWaiting sum;  // over call sites
  double longer = 0;     // longer_than_others() of the rank that causes it

  [[nodiscard]] std::optional<std::uint32_t> culprit() const {
    auto const cause = sum.culprit();
    bool const is_one = cause && cause->share >= thresholds::caused_by_one;
    return is_one ? std::optional(static_cast<std::uint32_t>(cause->rank)) : std::nullopt;
  }
  [[nodiscard]] bool computes_longer() const { return longer >= thresholds::computes_longer; }
};

std::string measured_fact(Summary const& summary, MessageWaiting const& waiting, double weight) {
  std::string const more =
      waiting.computes_longer() ? fmt::format(": it computes {:.1f} times as long as the others", waiting.longer) : "";
  return fmt::format("{}{}. The waiting takes {} of the wall time.", waiting_in_words(summary, waiting.sum), more,
                     format_share(weight));
}

std::string advice_for_passed_on(MessageWaiting const& waiting) {
  return fmt::format("look first for what rank {} waits meanwhile: --waits has collective calls, too.",
                     static_cast<std::uint32_t>(waiting.sum.last->rank));
}

std::string advice_for_senders(MessageWaiting const& waiting) {
  if (waiting.sum.is_passed_on()) return advice_for_passed_on(waiting);
  constexpr std::string_view meanwhile = "let the receivers work between Irecv and Wait.";
  auto const culprit = waiting.culprit();
  if (!culprit) return fmt::format("send before other work, and {}", meanwhile);
  return waiting.computes_longer()
             ? fmt::format("move work from rank {} to the others, let it send before other work, and {}", *culprit,
                           meanwhile)
             : fmt::format("let rank {} send before other work or do less of it, and {}", *culprit, meanwhile);
}

std::string advice_for_receivers(MessageWaiting const& waiting) {
  if (waiting.sum.is_passed_on()) return advice_for_passed_on(waiting);
  auto const culprit = waiting.culprit();
  std::string const who =
      culprit ? fmt::format("let rank {} post its receives (Irecv)", *culprit) : "post receives (Irecv)";
  return who + " earlier, before other work; the senders can work between Isend and Wait.";
}

std::vector<std::uint32_t> ranks_that_cause(OperationWaiting const& waiting) {
  auto const late = waiting.culprit();
  return late ? std::vector{static_cast<std::uint32_t>(late->rank)} : std::vector<std::uint32_t>();
}

std::vector<Finding> find_measured(Evidence const& evidence, WaitKind kind,
                                   std::string (*advice)(MessageWaiting const&)) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  std::optional<CommOperation> before;
  for (OperationWaiting const& one : evidence.waits.messages) {
    CommOperation const place{one.communicator, one.operation};
    if (before == place) continue;
    before = place;
    auto const sum = over_call_sites(evidence.waits.messages_of(place.communicator, place.operation), kind);
    if (!sum || !is_worth_telling(evidence, *sum)) continue;
    MessageWaiting waiting{*sum};
    if (auto const culprit = waiting.culprit()) waiting.longer = longer_than_others(summary, WorldRank{*culprit});
    double const weight = share_of_wall(evidence, sum->wait_s);
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = measured_fact(summary, waiting, weight),
         .options = fmt::format("--waits {} {}", option_of_communicator(summary.communicator(place.communicator)),
                                option("--op", summary.name_of(place.operation))),
         .advice = advice(waiting),
         .places = {place},
         .has_measured_waiting = true,
         .late_ranks = ranks_that_cause(*sum)});
  }
  return found;
}

// From the times of ranks and their messages: late senders wait little, and compute longer.
std::vector<Finding> guess(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  // evidence.messages is empty where families are joined: this looks at ranks, not at communicators.
  if (!evidence.messages || !evidence.whole_ranks || summary.ranks.size() < 2) return {};
  WaitingFinder finder(summary);
  double const weight = share_of_wall(evidence, finder.receivers().receiving_s);
  if (weight < thresholds::receiving_of_wall) return {};
  LateWaiting const waiting = finder.find(evidence.messages());
  auto const& [receivers, senders, from_senders] = waiting;
  if (receivers.ranks.empty() || senders.ranks.empty()) return {};
  if (from_senders < thresholds::from_late_senders) return {};
  if (senders.mean_s() > thresholds::late_senders_wait * receivers.mean_s()) return {};
  // If the senders do not compute longer, other work does not delay them: sending takes long, or they wait, too.
  double const longer_s = senders.mean_outside_s() - receivers.mean_outside_s();
  if (longer_s < thresholds::late_senders_work * receivers.mean_s()) return {};
  return {{.rule = {},
           .weight = weight,
           .fact = guessed_fact(waiting),
           .options = fmt::format("--matrix --by messages --top 10 {}", option("--to", rank_list(receivers.ranks))),
           .advice = fmt::format("let {} send before other work or do less of it, and let the receivers work between "
                                 "Irecv and Wait.",
                                 ranks_in_words(senders.ranks)),
           .places = waiting_places(summary),
           .late_ranks = senders.ranks}};
}

}  // namespace

std::vector<Finding> find_late_senders(Evidence const& evidence) {
  std::vector<Finding> const found = find_measured(evidence, WaitKind::late_sender, advice_for_senders);
  return found.empty() && is_mostly_unknown(evidence) ? guess(evidence) : found;
}

std::vector<Finding> find_late_receivers(Evidence const& evidence) {
  return find_measured(evidence, WaitKind::late_receiver, advice_for_receivers);
}

}  // namespace mpisee_through
