#include "findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "files/shell_word.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view waiting_rule = "waiting", dominant_rule = "dominant-operation";

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::array<Rule, 8> make_rules() {
  using namespace thresholds;
  return {
      {{"uneven-work",
        fmt::format("load balance below {}, and the busiest rank computes longer than the mean by {} of the longest "
                    "wall time",
                    percent(load_balance), percent(lost_to_uneven)),
        find_uneven_work},
       {waiting_rule,
        fmt::format("ranks wait for the last one to come during {} of the time of a collective operation on a "
                    "communicator and during {} of the wall time, both by {} standard errors",
                    percent(waiting_of_time), percent(waiting_of_wall), waiting_errors),
        find_waiting},
       {"communicator-churn",
        fmt::format("{} calls of one kind make communicators from one parent, {} of these are freed, and no rank "
                    "makes more than {} calls on each",
                    churn_calls, percent(churn_freed), churn_uses),
        find_communicator_churn},
       {"tiny-messages",
        fmt::format("{} of the messages on a communicator are below {} B, {} of them for each rank; they take {} of "
                    "the time of calls that carry messages; and point-to-point calls with their completion take {} "
                    "of the wall time there",
                    percent(tiny_of_messages), tiny_bytes, tiny_messages_of_rank, percent(tiny_of_time),
                    percent(tiny_of_wall)),
        find_tiny_messages},
       {"late-senders",
        fmt::format("ranks that wait for messages do so for {} of the wall time of all, {} of the messages to them "
                    "come from other ranks, and these wait {} as long at most",
                    percent(receiving_of_wall), percent(from_late_senders), percent(late_senders_wait)),
        find_late_senders},
       {"mapping",
        fmt::format("{} MiB of messages or more, {} of the bytes cross hosts, another placement on the same hosts "
                    "leaves {} of that, and messages take {} of the wall time",
                    mapping_bytes >> 20U, percent(crossing_hosts), percent(crossing_left), percent(messages_of_wall)),
        find_bad_mapping},
       {"polling",
        fmt::format("{} polls of each rank find nothing, {} for each that does, in {} of the wall time",
                    empty_polls_of_rank, empty_polls_for_each, percent(polling_of_wall)),
        find_polling},
       {dominant_rule,
        fmt::format("an operation on a communicator takes {} of the MPI time and {} of the wall time",
                    percent(dominant_of_mpi), percent(dominant_of_wall)),
        find_dominant_operations}}};
}

// If a rule has found why an operation takes long, a finding that it takes long is superfluous.
bool is_explained(Finding const& one, std::vector<Finding> const& found) {
  auto const explains = [&](Finding const& other) {
    return std::ranges::find(other.places, one.places.front()) != other.places.end();
  };
  return (one.rule == waiting_rule || one.rule == dominant_rule) && std::ranges::any_of(found, explains);
}

}  // namespace

std::span<Rule const> rules() {
  static auto const all = make_rules();
  return all;
}

std::vector<Finding> find_all(Evidence const& evidence) {
  std::vector<Finding> found;
  // With missing ranks, neither waiting nor load balance is known.
  if (evidence.summary.run.lacks_ranks()) return found;
  for (Rule const& rule : rules()) {
    for (Finding& one : rule.find(evidence)) {
      one.rule = rule.name;
      if (!is_explained(one, found)) found.push_back(std::move(one));
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Finding::weight);
  if (found.size() > most_findings) found.resize(most_findings);
  return found;
}

double share_of_wall(Evidence const& evidence, double seconds) {
  return evidence.summary.wall_s > 0 ? seconds / evidence.summary.wall_s : 0;
}

std::string rank_list(std::vector<std::uint32_t> const& ranks) {
  std::string list;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!list.empty()) list += ',';
    list += first == last ? fmt::format("{}", ranks[first]) : fmt::format("{}-{}", ranks[first], ranks[last]);
    first = last + 1;
  }
  return list;
}

std::string ranks_in_words(std::vector<std::uint32_t> const& ranks) {
  constexpr std::size_t room = 32;
  std::string list = rank_list(ranks);
  if (list.size() > room) list = list.substr(0, list.rfind(',', room)) + ",...";
  return (ranks.size() == 1 ? "rank " : "ranks ") + list;
}

std::string option(std::string_view name, std::string_view value) {
  return fmt::format("{} {}", name, shell_word(value));
}

}  // namespace mpisee_through
