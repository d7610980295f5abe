// The order of waits, and their words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

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
  for (OperationWaiting const* one : arrange_waits(summary, waits.operations, {arrangement.key, {}})) {
    if (room == 0) break;
    std::vector<RankWaiting> ranks = one->by_rank;
    std::ranges::stable_sort(ranks, std::ranges::greater{}, &RankWaiting::wait_s);
    if (room < ranks.size()) ranks.erase(ranks.begin() + static_cast<std::ptrdiff_t>(room), ranks.end());
    room -= ranks.size();
    blocks.push_back({one, std::move(ranks)});
  }
  return blocks;
}

std::string describe_share(OperationWaiting const& waiting) {
  if (!waiting.has_enough_instants() || !waiting.share()) return "-";
  if (waiting.wait_s > 0 || !waiting.instants) return format_share(*waiting.share(), waiting.share_error());
  // If none of n instants is in the waiting, its share is at most 3 / n with a probability of 95 %.
  return fmt::format("at most {:.1f} %", std::max(300 / static_cast<double>(*waiting.instants), 0.1));
}

std::string_view awaited_in_words(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{
      "all to come", "late senders", "late receivers", "others outside MPI", "requests"};
  return words[static_cast<std::size_t>(kind)];
}

namespace {

// Words to follow the operation, or of several call sites what is waited for. Of several call sites, names the one with
// most of the waiting.
std::string at_site(Summary const& summary, OperationWaiting const& waiting) {
  if (!waiting.site) return "";
  std::string const line = summary.site_names->line(summary.site(*waiting.site));
  return waiting.site_share ? fmt::format(", {} of it at {}", format_share(*waiting.site_share), line) : " at " + line;
}

std::string because_of(OperationWaiting const& waiting) {
  if (auto const culprits = waiting.culprits(); !culprits.ranks.empty())
    return fmt::format("; {} {} {} of it", ranks_in_words(culprits.ranks),
                       culprits.ranks.size() == 1 ? "causes" : "cause", format_share(culprits.share));
  if (!waiting.last) return "";
  return fmt::format("; {} of it is for rank {}, which may wait itself", format_share(waiting.last->share),
                     static_cast<std::uint32_t>(waiting.last->rank));
}

}  // namespace

std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting) {
  CommunicatorSummary const& communicator = summary.communicator(waiting.communicator);
  std::string const share = waiting.has_enough_instants() ? describe_share(waiting)
                                                          : fmt::format("{} of {}", format_seconds(waiting.wait_s),
                                                                        format_seconds(waiting.time_s));
  std::string const at = at_site(summary, waiting);
  std::string text =
      fmt::format("{} of {} on {} ({}){} is waiting for {}{}{}", share, summary.name_of(waiting.operation),
                  communicator.name, format_number_of(communicator.size, "rank"), waiting.site_share ? "" : at,
                  awaited_in_words(waiting.kind), waiting.site_share ? at : "", because_of(waiting));
  if (text.front() == 'a') text.front() = 'A';
  return text;
}

}  // namespace mpisee_through
