// The verdict, and who causes the waiting that it may be about.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "findings/first_screen.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {

std::vector<CausedBy> caused_by(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes) {
  std::map<WorldRank, std::pair<CausedBy, Cause const*>> ranks;  // with the calls of which each causes most
  for (Cause const& one : causes) {
    if (one.is_finalize) continue;  // waiting there is after the wall time
    auto& [sum, most] = ranks[one.rank];
    sum.caused_s += one.caused_s;
    sum.direct_s += one.direct_s;
    if (one.call && (most == nullptr || one.caused_s > most->caused_s)) most = &one;
  }
  std::vector<CausedBy> all;
  for (auto& [rank, of_rank] : ranks) {
    auto& [sum, most] = of_rank;
    sum.who = fmt::format("rank {}", static_cast<std::uint32_t>(rank));
    if (most != nullptr) {
      auto const& [communicator, operation, site] = *most->call;
      sum.call = fmt::format("{} on {}", summary.name_of(operation), summary.communicator(communicator).name);
      if (site && !summary.site(*site).empty())
        sum.call += fmt::format(" at {}", summary.site_names->label(summary.site(*site)));
    }
    all.push_back(std::move(sum));
  }
  double pattern_s = 0;
  for (OperationWaiting const& one : waits.operations) pattern_s += one.pattern_share.value_or(0) * one.wait_s;
  all.push_back({.who = "the pattern", .is_pattern = true, .caused_s = pattern_s});
  std::ranges::stable_sort(all, std::ranges::greater{}, &CausedBy::caused_s);
  return all;
}

namespace {

std::string_view bound_by(Finding const& finding) {
  return std::ranges::find(rules(), finding.rule, &Rule::name)->bound_by;
}

// The first finding that says what the run is bound by, if it is large enough.
Finding const* large_finding(FirstScreen const& screen) {
  double const of_mpi = thresholds::bound_by_of_mpi * screen.summary.mpi_share().value_or(0);
  double const least = std::max(thresholds::worth_telling_of_wall, of_mpi);
  // A finding that has no words, or is small itself, may have a consequence that is large.
  auto const large = [&](Finding const& one) { return !bound_by(one).empty() && one.weight >= least; };
  for (Finding const& one : screen.findings) {
    if (large(one)) return &one;
    for (Finding const& consequence : one.consequences)
      if (!consequence.only_may_follow && large(consequence)) return &consequence;
    if (!bound_by(one).empty()) break;
  }
  return nullptr;
}

// "bound by late senders: 42.6 % of the wall time"
std::string bound_by(Summary const& summary, Finding const& finding) {
  std::string place;
  if (!finding.places.empty())
    place = fmt::format(
        "{} on {}", summary.name_of(finding.places.front().operation),
        finding.family.empty() ? summary.communicator(finding.places.front().communicator).name : finding.family);
  return fmt::format("bound by {}: {} of the wall time", fmt::vformat(bound_by(finding), fmt::make_format_args(place)),
                     format_share(finding.weight));
}

// For a profile without an account.
std::string verdict_of_mpi(FirstScreen const& screen) {
  auto const mpi_share = screen.summary.mpi_share();
  if (!mpi_share) return "";
  bool const is_mostly_work = *mpi_share < thresholds::mostly_work_below;
  if (Finding const* const finding = large_finding(screen))
    return fmt::format("{}{}; all of MPI takes {}.", is_mostly_work ? "mostly work outside MPI; MPI is " : "",
                       bound_by(screen.summary, *finding), format_share(mpi_share));
  std::string_view const text = *mpi_share < thresholds::worth_telling_of_wall ? "bound by the work outside MPI"
                                : is_mostly_work                               ? "mostly work outside MPI"
                                                                               : "no single cause";
  return fmt::format("{}: MPI takes {} of the wall time.", text, format_share(mpi_share));
}

// Who causes most of the waiting, to follow a clause about it.
std::string cause_in_words(FirstScreen const& screen) {
  if (screen.caused_by.empty()) return ".";
  CausedBy const& first = screen.caused_by.front();
  std::string const share = format_share(share_of(first.caused_s, screen.summary.threads_wall_s));
  if (first.is_pattern) return fmt::format("; no rank causes {} of that, but the pattern of the calls.", share);
  return fmt::format("; {} causes {}{}.", first.who, share,
                     first.call.empty() ? "" : fmt::format(": it does more before {}", first.call));
}

}  // namespace

std::string describe_verdict(FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  if (!summary.run.has_efficiencies()) return describe_end(summary.run, screen.findings, screen.lines);
  if (!screen.has_efficiencies || summary.run.lacks_ranks()) return "";
  if (!summary.account) return verdict_of_mpi(screen);
  static constexpr std::array<std::pair<double Account::*, std::string_view>, 5> classes{{
      {&Account::waiting_s, "ranks wait for others {} of the time"},
      {&Account::without_processor_s, "ranks have no processor {} of the time"},
      {&Account::moving_s, "ranks move data {} of the time"},
      {&Account::other_s, "ranks are in MPI calls that move no data {} of the time"},
      {&Account::unknown_s, "of {} of the time it is not known what ranks do in MPI"},
  }};
  auto const share = [&](auto const& one) {
    return share_of(*summary.account.*one.first, summary.threads_wall_s).value_or(0);
  };
  auto const* const largest = std::ranges::max_element(classes, {}, share);
  if (share(*largest) < thresholds::worth_naming_of_wall)
    return fmt::format("ranks work {} of the time, and nothing else takes {} of it.",
                       format_share(share_of(summary.account->work_s, summary.threads_wall_s)),
                       format_share(thresholds::worth_naming_of_wall));
  std::string const part = format_share(share(*largest));
  std::string const text = fmt::vformat(largest->second, fmt::make_format_args(part));
  if (largest->first == &Account::waiting_s) return text + cause_in_words(screen);
  Finding const* const finding = large_finding(screen);
  return finding == nullptr ? text + "." : fmt::format("{}; {}.", text, bound_by(summary, *finding));
}

}  // namespace mpisee_through
