// What kept a run from going on when it ended.
#include <fmt/format.h>

#include <algorithm>

#include "findings/first_screen.hpp"
#include "findings/rules.hpp"
#include "findings/situation_words.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr char const* unfinished_view = "--sites --kind unfinished";

Situation const* situation_of(Run const& run) {
  return run.unfinished && run.unfinished->state ? &*run.unfinished->state : nullptr;
}

std::vector<Obstacle> obstacles_of(Evidence const& evidence) {
  CodeLines const none;
  Situation const* const situation = situation_of(evidence.summary.run);
  if (situation == nullptr) return {};
  return SituationWords(*situation, evidence.lines == nullptr ? none : *evidence.lines).obstacles();
}

double unfinished_s(Summary const& summary) {
  double sum = 0;
  for (auto const& [kind, totals] : totals_by_kind(summary))
    if (kind == OperationKind::unfinished) sum += double{totals.time_s};
  return sum;
}

// A finding for each obstacle of these kinds.
std::vector<Finding> findings_of(Evidence const& evidence, bool are_mismatches, std::string const& advice) {
  std::vector<Finding> found;
  std::vector<Obstacle> const all = obstacles_of(evidence);
  for (Obstacle const& one : all) {
    if ((one.kind == Obstacle::Kind::mismatch) != are_mismatches) continue;
    found.push_back({.rule = {},
                     .saving = 0,
                     .fact = fmt::format("{}: {}.", one.label, one.text),
                     .options = unfinished_view,
                     .advice = advice});
  }
  std::string const others = found.empty() ? "" : also_stuck_in_words(*situation_of(evidence.summary.run));
  if (!others.empty()) found.back().fact += " " + others;
  return found;
}

}  // namespace

std::vector<Finding> find_mismatches(Evidence const& evidence) {
  return findings_of(evidence, true,
                     "let all ranks of the communicator make the same collective calls in the same order, with the "
                     "same roots.");
}

std::vector<Finding> find_deadlocks(Evidence const& evidence) {
  return findings_of(evidence, false,
                     "let one of them send what another one waits for before it waits itself, and let all ranks make "
                     "collective calls in the same order; Sendrecv, or Irecv before Send, exchange without a circle.");
}

std::vector<Finding> find_unfinished_calls(Evidence const& evidence) {
  Situation const* const situation = situation_of(evidence.summary.run);
  double const share = share_of_wall(evidence, unfinished_s(evidence.summary));
  if (situation == nullptr || share < thresholds::unfinished_of_wall || evidence.summary.run.unfinished->is_stuck())
    return {};
  auto const time_of = [](RankGroup const& group) {
    return group.state == RankGroup::State::in_mpi ? group.longest_s * static_cast<double>(group.ranks.size()) : 0;
  };
  auto const longest = std::ranges::max_element(situation->groups, {}, time_of);
  if (longest == situation->groups.end()) return {};
  CodeLines const none;
  SituationWords const words(*situation, evidence.lines == nullptr ? none : *evidence.lines);
  std::string const waits = words.waits(*longest);
  return {{.rule = {},
           .saving = 0,
           .fact = fmt::format("Calls that did not end take {} of the wall time: {}{}{}.", format_share(share),
                               words.head(*longest), waits.empty() ? "" : ", ", waits),
           .options = unfinished_view,
           .advice = "see what keeps the ranks that are waited for: the stack of their processes (gdb -p) or "
                     "mpisee-through now, while the program runs."}};
}

std::string describe_end(Run const& run, std::vector<Finding> const& findings, CodeLines const& lines) {
  if (Situation const* const situation = situation_of(run))
    if (auto const all = SituationWords(*situation, lines).obstacles(); !all.empty()) return all.front().verdict + ".";
  auto const held_up = std::ranges::find(findings, "unfinished-calls", &Finding::rule);
  if (held_up != findings.end()) return "held up. " + held_up->fact;
  if (run.is_longer())
    return run.unfinished->how() + "; when, and how long ranks were in their last calls, is not known.";
  return fmt::format("{} after {}.", run.unfinished->how(), format_seconds(run.wall_s));
}

}  // namespace mpisee_through
