#include "findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "files/shell_word.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/families.hpp"
#include "summary/operation_kind.hpp"
#include "summary/row_filter.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view processors_rule = "processors", waiting_rule = "waiting", barriers_rule = "paired-barriers",
                           collectives_rule = "tiny-collectives", dominant_rule = "dominant-operation",
                           change_rule = "change";

std::string percent(double share) { return fmt::format("{:.0f} %", share * 100); }

std::string waiting_condition(std::string_view awaited) {
  using namespace thresholds;
  return fmt::format(
      "ranks wait {} during {} of the time of an operation on a communicator and during {} of the wall time, both by "
      "{} "
      "standard errors, from {} instants",
      awaited, percent(waiting_of_time), percent(waiting_of_wall), waiting_errors, fewest_instants);
}

// The rules, sorted by level.
// NOLINTNEXTLINE(readability-function-size): a table
std::array<Rule, 20> make_rules() {
  using namespace thresholds;
  return {
      {{"mismatch", Level::stuck, false, false, "",
        "when the run ended, members of a communicator were in different collective calls of one number, or in calls "
        "with different roots",
        find_mismatches},
       {"deadlock", Level::stuck, false, false, "",
        "when the run ended, ranks waited for each other in a circle, or for one that had ended", find_deadlocks},
       {"unfinished-calls", Level::stuck, false, false, "",
        fmt::format("there is neither of these, and calls that did not end take {} of the wall time",
                    percent(unfinished_of_wall)),
        find_unfinished_calls},
       {processors_rule, Level::processors, false, false, "waiting for processors",
        fmt::format("the ranks that compute most wait for a processor during {} of the wall time",
                    percent(queued_of_wall)),
        find_busy_processors},
       {"mapping", Level::processors, false, false, "messages between hosts",
        fmt::format("{} MiB of messages or more, {} of the bytes cross hosts, another placement on the same hosts "
                    "leaves {} of that, and messages take {} of the wall time",
                    mapping_bytes >> 20U, percent(crossing_hosts), percent(crossing_left), percent(messages_of_wall)),
        find_bad_mapping},
       {change_rule, Level::change, false, false, "a slower part of the run",
        fmt::format("the share of MPI changes suddenly by {} or more of the time, once, or for a part of the run. The "
                    "same kinds of calls with the same bytes are then at least {} fewer a second on one side, which "
                    "costs {} of the run. Either half of the ranks or fewer compute {} times as long there, or calls "
                    "take {} times as long",
                    percent(change_of_share), percent(1 - slower_calls), percent(lost_to_change), slower_rank,
                    slower_mpi),
        find_slower_part},
       {"slower-rank", Level::change, false, false, "",
        fmt::format("there is no finding `change`. Half of the ranks or fewer compute {} times as long between calls, "
                    "with the same kinds of calls and the same bytes, suddenly from a moment on, or for a part of the "
                    "run, which takes {} of that part and {} of the run. No other rank changes by {} of it",
                    slower_rank, percent(slower_rank_of_part), percent(lost_to_change), percent(others_of_change)),
        find_slower_ranks},
       {"uneven-work", Level::uneven_work, false, false, "uneven work",
        fmt::format("load balance below {}, and the busiest rank computes longer than the mean by {} of the longest "
                    "wall time. The time during which the busiest rank waited for a processor is taken off",
                    percent(load_balance), percent(lost_to_uneven)),
        find_uneven_work},
       {barriers_rule, Level::waiting, true, true, "waiting in {}",
        fmt::format("{} calls of Barrier by each rank and as many of other collectives, or of one of them, on a "
                    "communicator, within {}; Barrier takes {} of the wall time, and it is not known that few ranks "
                    "cause most of the waiting there",
                    paired_barriers_of_rank, percent(1 - paired_barriers), percent(barriers_of_wall)),
        find_paired_barriers},
       {waiting_rule, Level::waiting, true, true, "waiting in {}",
        waiting_condition("for members of a communicator to enter a collective operation"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::collective); }},
       {"late-senders", Level::waiting, true, true, "late senders", waiting_condition("for messages that are not sent"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::late_sender); }},
       {"late-receivers", Level::waiting, true, true, "late receivers",
        waiting_condition("for receives that are not posted"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::late_receiver); }},
       {"no-progress", Level::waiting, true, true, "messages without progress",
        waiting_condition("for processes outside MPI that their messages need for progress"),
        [](Evidence const& evidence) { return find_waiting(evidence, WaitKind::no_progress); }},
       {"communicator-churn", Level::many_calls, false, false, "making communicators",
        fmt::format("{} calls of one kind make communicators from one parent, of which ranks make {} calls on each at "
                    "most, on average; {} of these are freed, and making and freeing take {} of the wall time",
                    churn_calls, churn_uses, percent(churn_freed), percent(churn_of_wall)),
        find_communicator_churn},
       {"window-churn", Level::many_calls, false, true, "making windows",
        fmt::format("each rank makes {} windows on a communicator, {} of these are freed, and making and freeing take "
                    "{} of the wall time",
                    churn_calls, percent(churn_freed), percent(churn_of_wall)),
        find_window_churn},
       {"tiny-messages", Level::many_calls, false, true, "tiny messages",
        fmt::format("{} of the messages on a communicator are below {} B, {} of them for each rank; they take {} of "
                    "the time of calls that carry messages; and point-to-point calls with their completion take {} "
                    "of the wall time there",
                    percent(tiny_of_messages), tiny_bytes, tiny_messages_of_rank, percent(tiny_of_time),
                    percent(tiny_of_wall)),
        find_tiny_messages},
       {collectives_rule, Level::many_calls, true, true, "tiny calls of {}",
        fmt::format("each rank calls a collective operation {} times on a communicator, {} of the calls with data "
                    "carry less than {} B, they take {} of the wall time and {:.0f} ms each at most, and less than {} "
                    "of that is "
                    "waiting; if that was not measured, no rank takes {} times as long as another one",
                    tiny_messages_of_rank, percent(tiny_of_messages), tiny_bytes, percent(tiny_of_wall),
                    tiny_call_s * 1e3, percent(waiting_of_time), slow_to_fast),
        find_tiny_collectives},
       {"polling", Level::many_calls, true, true, "polling",
        fmt::format("{} polls of each rank find nothing, {} for each that does, in {} of the wall time",
                    empty_polls_of_rank, empty_polls_for_each, percent(polling_of_wall)),
        find_polling},
       {"files", Level::long_operation, false, false, "files",
        fmt::format("calls on files take {} of the wall time", percent(files_of_wall)), find_file_times},
       {dominant_rule, Level::long_operation, true, true, "{}",
        fmt::format("an operation on a communicator, not on files, takes {} of the MPI time and {} of the wall time",
                    percent(dominant_of_mpi), percent(dominant_of_wall)),
        find_dominant_operations}}};
}

bool are_among(std::vector<CommOperation> places, std::vector<CommOperation> all) {
  if (places.empty() || places.size() > all.size()) return false;
  std::ranges::sort(places);
  std::ranges::sort(all);
  return std::ranges::includes(all, places);
}

// Puts findings about a family in place of those about its members, unless one member has most of what the family has.
void join(std::vector<Finding>& found, std::vector<Finding>&& of_families, JoinedFamilies const& families) {
  for (Finding& finding : of_families) {
    if (finding.places.empty() || !families.is_family(finding.places.front().communicator)) continue;
    finding.family = families.summary.communicator(finding.places.front().communicator).name;
    std::vector<CommOperation> places;
    for (auto const& [family, operation] : finding.places) {
      for (CommunicatorIndex const member : families.members_of(family)) {
        if (families.original->operation(member, operation) != nullptr) places.push_back({member, operation});
      }
    }
    finding.places = std::move(places);
    auto const is_of_member = [&](Finding const& one) { return are_among(one.places, finding.places); };
    if (std::ranges::any_of(found, [&](Finding const& one) {
          return is_of_member(one) && one.weight >= thresholds::of_one_sibling * finding.weight;
        }))
      continue;
    std::erase_if(found, is_of_member);
    found.push_back(std::move(finding));
  }
}

bool have_common_rank(Finding const& one, Finding const& other) {
  return std::ranges::any_of(one.late_ranks,
                             [&](std::uint32_t rank) { return std::ranges::binary_search(other.late_ranks, rank); });
}

struct Found {
  Finding finding;
  Rule const* rule;
};

class Explanations {
 public:
  explicit Explanations(Summary const& summary) : summary_(summary) {}

  void add(Finding&& finding, Rule const& rule) {
    finding.rule = rule.name;
    auto const says_it = [&](Finding const& one) { return is_about_same(one, finding); };
    auto const makes_needless = [&](Found const& cause) {
      return says_it(cause.finding) || std::ranges::any_of(cause.finding.consequences, says_it);
    };
    if (std::ranges::any_of(found_, makes_needless)) return;
    auto cause = std::ranges::find_if(
        found_, [&](Found const& one) { return one.rule->level < rule.level && explains(one, finding, rule.level); });
    if (cause == found_.end() && rule.tells_from_times) {
      cause =
          std::ranges::find_if(found_, [&](Found const& one) { return may_come_from_queuing(one.finding, finding); });
      finding.only_may_follow = cause != found_.end();
    }
    if (cause == found_.end()) found_.push_back({std::move(finding), &rule});
    else cause->finding.consequences.push_back(std::move(finding));
  }

  // Sorts descending by the time that a finding concerns or may explain.
  std::vector<Finding> take() {
    std::ranges::stable_sort(found_, std::ranges::greater{}, importance);
    std::vector<Finding> findings;
    for (Found& one : found_) findings.push_back(std::move(one.finding));
    if (findings.size() > most_findings) findings.resize(most_findings);
    return findings;
  }

 private:
  // Whether `one` only says that an operation takes long, while `cause` says why. Then `one` is superfluous.
  static bool is_about_same(Finding const& cause, Finding const& one) {
    if (one.rule != waiting_rule && one.rule != dominant_rule && one.rule != barriers_rule) return false;
    return are_among(one.places, cause.places);
  }

  // What keeps a run from going on comes first.
  static double importance(Found const& found) {
    Finding const& one = found.finding;
    if (found.rule->level == Level::stuck) return std::numeric_limits<double>::max();
    if (is_queuing(one)) return one.weight * thresholds::explained_by_queuing;
    if (one.rule == dominant_rule) return one.weight * thresholds::without_cause;
    return one.weight_with_consequences();
  }

  static bool is_queuing(Finding const& one) { return one.rule == processors_rule; }
  static bool may_come_from_queuing(Finding const& cause, Finding const& one) {
    return is_queuing(cause) && one.weight <= thresholds::explained_by_queuing * cause.weight;
  }

  // Whether the late ranks of `cause` explain `one`: a finding about waiting for these ranks, or about operations that
  // take no longer than the waiting that their work causes.
  [[nodiscard]] bool explains(Found const& cause, Finding const& one, Level level) const {
    if (cause.rule->level == Level::processors) return false;
    bool const is_of_time = one.rule == dominant_rule || one.rule == barriers_rule || one.rule == collectives_rule;
    if (level == Level::uneven_work || (level == Level::waiting && !is_of_time)) {
      double const explained = std::max(cause.finding.weight, cause.finding.delay);
      bool const is_as_large = one.weight <= thresholds::explained_by_uneven * explained;
      if (cause.rule->level != Level::change) return have_common_rank(cause.finding, one);
      // Over the whole run, a rank that is slow for a part of it may come last as often as others, but not by as much.
      return is_as_large && (have_common_rank(cause.finding, one) || !one.are_mostly_late);
    }
    if (!is_of_time || cause.finding.late_ranks.empty()) return false;
    return may_wait(one) && one.weight <= thresholds::explained_by_uneven * cause.finding.weight;
  }

  [[nodiscard]] bool may_wait(Finding const& one) const {
    switch (kind_of(summary_.name_of(one.places.front().operation))) {
      case OperationKind::p2p:
      case OperationKind::collective:
      case OperationKind::completion:
      case OperationKind::communicator:
      case OperationKind::one_sided:
        return true;
      case OperationKind::file:
      case OperationKind::other:
      case OperationKind::unfinished:
        return false;
    }
    return false;
  }

  Summary const& summary_;
  std::vector<Found> found_;
};

}  // namespace

std::span<Rule const> rules() {
  static auto const all = make_rules();
  return all;
}

std::vector<Finding> find_all(Evidence const& evidence) {
  auto const families = join_families(evidence.summary, evidence.waits);
  Explanations found(evidence.summary);
  for (Rule const& rule : rules()) {
    // Missing ranks make waiting and load balance unknown.
    if (evidence.summary.run.lacks_ranks() && rule.level != Level::stuck) continue;
    std::vector<Finding> of_rule = rule.find(evidence);
    if (families && rule.joins_families) {
      join(of_rule,
           rule.find({.summary = families->summary,
                      .messages = {},
                      .waits = families->waits,
                      .whole_ranks = evidence.whole_ranks}),
           *families);
    }
    for (Finding& one : of_rule) found.add(std::move(one), rule);
  }
  return found.take();
}

double Finding::weight_with_consequences() const {
  double most = weight;
  for (Finding const& one : consequences)
    if (!one.only_may_follow) most = std::max(most, one.weight);
  return most;
}

std::string short_fact(Finding const& finding) {
  std::string_view fact = finding.fact;
  fact = fact.substr(0, std::min(fact.find("; "), fact.find(". ")));
  return std::string(fact.substr(0, fact.find_last_not_of('.') + 1)) + ".";
}

double share_of_wall(Evidence const& evidence, double seconds) {
  return share_of(seconds, evidence.summary.threads_wall_s).value_or(0);
}

std::string extremes_in_words(std::string_view operation, RankSpread::Extreme const& most,
                              RankSpread::Extreme const& least) {
  return extremes_in_words(time_words(operation), most, least);
}

std::string extremes_in_words(TimeWords const& words, RankSpread::Extreme const& most,
                              RankSpread::Extreme const& least) {
  return fmt::format("rank {} {} ({}), rank {} {} ({})", static_cast<std::uint32_t>(most.rank), words.most,
                     format_seconds(most.seconds), static_cast<std::uint32_t>(least.rank),
                     words.least.empty() ? "least" : words.least, format_seconds(least.seconds));
}

std::string_view operations_view(std::string_view called_at) {
  return called_at.empty() ? "--operations" : "--operations --by site";
}

std::string option(std::string_view name, std::string_view value) {
  return fmt::format("{} {}", name, shell_word(value));
}

std::string option_of_communicator(std::string_view name) { return option("--comm", literally(name)); }

std::string option_of_communicator(CommunicatorSummary const& communicator) {
  if (communicator.patterns.empty()) return option_of_communicator(communicator.name);
  std::string options;
  for (std::string const& pattern : communicator.patterns)
    options += (options.empty() ? "" : " ") + option("--comm", pattern);
  return options;
}

}  // namespace mpisee_through
