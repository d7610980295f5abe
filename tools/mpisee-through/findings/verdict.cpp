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
    auto& [sum, most] = ranks[one.rank];
    sum.caused_s += one.caused_s;
    sum.direct_s += one.direct_s;
    if (one.call && (most == nullptr || one.caused_s > most->caused_s)) most = &one;
  }
  std::vector<CausedBy> all;
  for (auto& [rank, of_rank] : ranks) {
    auto& [sum, most] = of_rank;
    sum.rank = static_cast<std::uint32_t>(rank);
    sum.who = fmt::format("rank {}", sum.rank);
    if (most != nullptr) {
      auto const& [communicator, operation, site] = *most->call;
      sum.call = fmt::format("{} on {}", summary.name_of(operation), summary.communicator(communicator).name);
      if (site && !summary.site(*site).empty()) sum.site = summary.site_names->label(summary.site(*site));
    }
    all.push_back(std::move(sum));
  }
  double pattern_s = 0;
  for (OperationWaiting const& one : waits.operations) pattern_s += one.pattern_share.value_or(0) * one.wait_s;
  all.push_back({.who = "no rank by itself", .is_pattern = true, .caused_s = pattern_s});
  std::ranges::stable_sort(all, std::ranges::greater{}, &CausedBy::caused_s);
  return all;
}

namespace {

// A class of the account in a verdict, and the first level of the rules that are about it.
struct Lost {
  double Account::*time_s;
  std::string_view words;
  Level first, last;
};
constexpr std::array<Lost, 5> lost{
    {{&Account::waiting_s, "ranks wait for others {} of their time", Level::change, Level::waiting},
     {&Account::without_processor_s, "ranks have no processor {} of their time", Level::processors, Level::processors},
     {&Account::moving_s, "ranks move data {} of their time", Level::many_calls, Level::long_operation},
     {&Account::other_s, "ranks are in MPI calls that move no data {} of their time", Level::many_calls,
      Level::long_operation},
     {&Account::unknown_s, "of {} of the ranks' time it is not known what they do in MPI", Level::many_calls,
      Level::long_operation}}};

// Who causes most of the waiting, to follow a clause about it: as few ranks as cause most of it, and those that cause
// about as much as these.
std::string cause_in_words(FirstScreen const& screen) {
  if (screen.caused_by.empty()) return ".";
  Summary const& summary = screen.summary;
  auto const share = [&](double time_s) { return format_share(share_of(time_s, summary.threads_wall_s)); };
  double all_s = 0, ranks_s = 0;
  for (CausedBy const& one : screen.caused_by) all_s += one.caused_s;
  CausedBy const& first = screen.caused_by.front();
  if (first.is_pattern)
    return fmt::format(
        "; {} is due to no rank by itself: each is late at times, or the order of calls makes them wait.",
        share(first.caused_s));
  std::vector<std::uint32_t> ranks;
  for (CausedBy const& one : screen.caused_by) {
    if (one.is_pattern) continue;
    if (ranks_s >= caused_by_few * all_s && one.caused_s < first.caused_s / 2) break;
    ranks.push_back(one.rank);
    ranks_s += one.caused_s;
  }
  std::size_t const all = summary.times_of_rank.size();
  if (2 * ranks.size() > all)
    return fmt::format("; {}, {} the most, {}.",
                       ranks.size() == all ? "each causes a part" : fmt::format("{} of {} cause it", ranks.size(), all),
                       first.who, share(first.caused_s));
  std::ranges::sort(ranks);
  bool const is_one = ranks.size() == 1;
  std::string text = fmt::format("; {} {} {}", ranks_in_words(ranks), is_one ? "causes" : "cause", share(ranks_s));
  if (!first.call.empty()) text += ", mostly before " + first.call;
  if (!first.site.empty()) text += " at " + first.site;
  std::string const longer = longer_in_words(summary, ranks);
  if (!longer.empty()) text += fmt::format(": {} {}", is_one ? "it" : "they", longer);
  return text + ".";
}

// The first finding of these levels to follow a clause.
std::string finding_in_words(FirstScreen const& screen, Level first, Level last) {
  for (Finding const& one : screen.findings) {
    Level const level = std::ranges::find(rules(), one.rule, &Rule::name)->level;
    if (level < first || last < level) continue;
    std::string const fact = short_fact(one);
    // Of the processors, why they were not there: how much of the time has been said.
    std::size_t const reason = last == Level::processors ? fact.find(": ") : fact.npos;
    return reason == fact.npos ? ". " + fact : fact.substr(reason);
  }
  return ".";
}

}  // namespace

std::string describe_verdict(FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  if (!summary.run.has_efficiencies()) return describe_end(summary.run, screen.findings, screen.lines);
  if (!screen.has_efficiencies || summary.run.lacks_ranks() || !summary.mpi_share()) return "";
  if (!summary.account)
    return fmt::format("MPI takes {} of the ranks' time{}", format_share(summary.mpi_share()),
                       finding_in_words(screen, Level::processors, Level::long_operation));
  auto const share = [&](Lost const& one) {
    return share_of(*summary.account.*one.time_s, summary.threads_wall_s).value_or(0);
  };
  Lost const& largest = *std::ranges::max_element(lost, {}, share);
  // Ranks that have no processor come late, too.
  constexpr double enough = 0.5;
  if (!screen.findings.empty() && screen.findings.front().rule == "processors" &&
      screen.findings.front().saving > enough * share(largest)) {
    std::string text = short_fact(screen.findings.front());
    text.front() = static_cast<char>(text.front() | 0x20);
    return text;
  }
  if (share(largest) < thresholds::worth_trying)
    return fmt::format("ranks work {} of their time, and nothing else takes {:.0f} % of it.",
                       format_share(share_of(summary.account->work_s, summary.threads_wall_s)),
                       100 * thresholds::worth_trying);
  constexpr double little_work = 0.1;
  std::string const part = format_share(share(largest));
  double const work = share_of(summary.account->work_s, summary.threads_wall_s).value_or(0);
  std::string text = fmt::vformat(largest.words, fmt::make_format_args(part));
  text += largest.time_s == &Account::waiting_s ? cause_in_words(screen)
                                                : finding_in_words(screen, largest.first, largest.last);
  bool const are_files = !screen.findings.empty() && screen.findings.front().rule == "files";
  if (work >= little_work || are_files) return text;
  return text + fmt::format(" Ranks work {}: the problem may be too small for so many.", format_share(work));
}

}  // namespace mpisee_through
