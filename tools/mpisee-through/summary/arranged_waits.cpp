// The order of waits, and their words.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <tuple>

#include "summary/sites.hpp"
#include "summary/waits.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

Weight weight(Summary const& summary, OperationWaiting const& one, SortKey key) {
  CommunicatorSummary const& communicator = summary.communicator(one.communicator);
  return weight_of({.time_s = one.wait_s,
                    .calls = static_cast<double>(one.calls),
                    .bytes = static_cast<double>(totals_of(summary, one).bytes()),
                    .size = static_cast<double>(communicator.size),
                    .imbalance = communicator.imbalance(summary_of(summary, one))},
                   key);
}

}  // namespace

std::vector<OperationWaiting const*> arrange_waits(Summary const& summary, std::span<OperationWaiting const> operations,
                                                   Arrangement const& arrangement) {
  std::vector<OperationWaiting const*> order;
  for (OperationWaiting const& one : operations) order.push_back(&one);
  std::ranges::sort(order, [&](OperationWaiting const* left, OperationWaiting const* right) {
    Weight const left_weight = weight(summary, *left, arrangement.key);
    Weight const right_weight = weight(summary, *right, arrangement.key);
    if (left_weight != right_weight) return left_weight > right_weight;
    if (left->communicator != right->communicator)
      return name_less(summary.communicator(left->communicator).name, summary.communicator(right->communicator).name);
    if (left->operation != right->operation)
      return name_less(summary.name_of(left->operation), summary.name_of(right->operation));
    return left->order() < right->order();
  });
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

std::vector<RankWaits> arrange_rank_waits(Summary const& summary, Waits const& waits, Arrangement const& arrangement) {
  std::vector<RankWaits> blocks;
  std::size_t room = arrangement.top.value_or(SIZE_MAX);
  for (auto const* const list : {&waits.operations, &waits.messages}) {
    for (OperationWaiting const* one : arrange_waits(summary, *list, {arrangement.key, {}})) {
      if (room == 0) break;
      blocks.push_back({one, arrange_ranks(*one, room)});
      room -= blocks.back().ranks.size();
    }
  }
  return blocks;
}

std::vector<RankWaiting> arrange_ranks(OperationWaiting const& waiting, std::optional<std::size_t> top) {
  std::vector<RankWaiting> order = waiting.by_rank;
  double const sign = waiting.is_of_messages() ? -1 : 1;
  std::ranges::sort(order, [sign](RankWaiting const& left, RankWaiting const& right) {
    return std::tuple(right.last, sign * left.wait_s, left.rank) <
           std::tuple(left.last, sign * right.wait_s, right.rank);
  });
  if (top && *top < order.size()) order.erase(order.begin() + static_cast<std::ptrdiff_t>(*top), order.end());
  return order;
}

std::string describe_share(Waiting const& waiting) {
  if (!waiting.share()) return "-";
  return (waiting.is_upper_bound ? "at most " : "") + format_share(*waiting.share(), waiting.share_error());
}

std::string describe_share(OperationWaiting const& waiting) {
  if (!waiting.has_enough_samples()) return "-";
  if (!waiting.is_of_messages() || waiting.wait_s > 0) return describe_share(static_cast<Waiting const&>(waiting));
  // If none of n instants is in the waiting, its share is at most 3 / n with a probability of 95 %.
  return fmt::format("at most {:.1f} %", std::max(300 / static_cast<double>(waiting.samples), 0.1));
}

std::string_view awaited_in_words(WaitKind kind) {
  return kind == WaitKind::collective      ? "all to come"
         : kind == WaitKind::late_sender   ? "late senders"
         : kind == WaitKind::late_receiver ? "late receivers"
                                           : "requests";
}

namespace {

// Words to follow the name of the operation.
std::string at_site(Summary const& summary, OperationWaiting const& waiting) {
  if (!waiting.is_of_messages()) return called_at(summary, summary_of(summary, waiting));
  return waiting.site && !waiting.site_share ? " at " + summary.site_names->line(summary.site(*waiting.site)) : "";
}

// For a sum over several call sites: names the one with most of the waiting.
std::string most_at_site(Summary const& summary, OperationWaiting const& waiting) {
  if (!waiting.site || !waiting.site_share) return "";
  return fmt::format(", {} of it at {}", format_share(*waiting.site_share),
                     summary.site_names->line(summary.site(*waiting.site)));
}

}  // namespace

std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting) {
  CommunicatorSummary const& communicator = summary.communicator(waiting.communicator);
  std::string const share = waiting.has_enough_samples() ? describe_share(waiting)
                                                         : fmt::format("{} of {}", format_seconds(waiting.wait_s),
                                                                       format_seconds(waiting.time_s));
  std::string text =
      fmt::format("{} of {} on {} ({}){} is waiting for {}{}", share, summary.name_of(waiting.operation),
                  communicator.name, format_number_of(communicator.size, "rank"), at_site(summary, waiting),
                  awaited_in_words(waiting.kind), most_at_site(summary, waiting));
  if (text.front() == 'a') text.front() = 'A';
  auto const number_of = [](Latecomer const& one) { return static_cast<std::uint32_t>(one.rank); };
  if (waiting.is_of_messages()) {
    if (auto const cause = waiting.culprit())
      text += fmt::format("; rank {} causes {} of it", number_of(*cause), format_share(cause->share));
    else if (waiting.last)
      text += fmt::format("; {} of it is for rank {}, which may wait itself", format_share(waiting.last->share),
                          number_of(*waiting.last));
    return text;
  }
  if (!waiting.last) return text;
  text += fmt::format("; rank {} comes last in {} of the calls", number_of(*waiting.last),
                      format_share(waiting.last->share));
  if (waiting.last->late_s)
    text += fmt::format(", {} after the mean of the others", format_seconds(*waiting.last->late_s));
  return text;
}

}  // namespace mpisee_through
