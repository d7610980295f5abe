#include "findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "files/visible_text.hpp"
#include "findings/change_point.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/communicator_groups.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"
#include "symbols/site_names.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

bool are_among(std::vector<CommOperation> places, std::vector<CommOperation> all) {
  if (places.empty() || places.size() > all.size()) return false;
  std::ranges::sort(places);
  std::ranges::sort(all);
  return std::ranges::includes(all, places);
}

bool have_common_rank(Finding const& one, Finding const& other) {
  return std::ranges::any_of(one.late_ranks,
                             [&](std::uint32_t rank) { return std::ranges::binary_search(other.late_ranks, rank); });
}

struct Found {
  Finding finding;
  Rule const* rule;
};

// Findings in the order of rules, each below the one that explains it.
class Explanations {
 public:
  explicit Explanations(Evidence const& evidence)
      : is_waiting_known_(evidence.summary.is_known(&RankTimes::waiting_s)),
        are_calls_queued_(evidence.processors.of_calls() >= thresholds::mostly_queued) {
    for (std::uint32_t rank = 0; rank < evidence.summary.times_of_rank.size(); ++rank)
      queued_.push_back(evidence.processors.of(rank));
  }

  void add(Finding&& finding, Rule const& rule) {
    finding.rule = rule.name;
    Found one{std::move(finding), &rule};
    if (std::ranges::any_of(found_, [&](Found const& other) { return says_it(other, one); })) return;
    auto const cause = std::ranges::find_if(found_, [&](Found const& other) { return are_one(other, one); });
    if (cause == found_.end()) {
      found_.push_back(std::move(one));
      return;
    }
    bool const may_follow = cause->rule->level == Level::processors;
    // What is larger by far is no consequence of the smaller one.
    if (!may_follow && !may_explain(cause->finding.saving, one.finding)) std::swap(*cause, one);
    one.finding.is_reason = one.rule->level < cause->rule->level;
    std::vector<Finding> below = std::exchange(one.finding.consequences, {});
    one.finding.only_may_follow = may_follow;
    if (cause->finding.note.empty()) cause->finding.note = one.finding.note;
    auto& consequences = cause->finding.consequences;
    consequences.push_back(std::move(one.finding));
    std::ranges::move(below, std::back_inserter(consequences));
  }

  std::vector<Finding> take() {
    std::ranges::stable_sort(found_, [](Found const& left, Found const& right) {
      bool const is_stuck = left.rule->level == Level::stuck;
      if (is_stuck || right.rule->level == Level::stuck) return is_stuck && right.rule->level != Level::stuck;
      return left.finding.saving > right.finding.saving;
    });
    std::vector<Finding> findings;
    for (Found& one : found_) {
      if (findings.size() == most_findings) break;
      auto const& note = one.finding.note;
      if (std::ranges::find(findings, note, &Finding::note) != findings.end()) one.finding.note.clear();
      findings.push_back(std::move(one.finding));
    }
    return findings;
  }

 private:
  static bool may_explain(double saving, Finding const& one) {
    return one.saving <= thresholds::of_one_finding * saving;
  }

  // Whether `one` only says that calls take long of which `other` says why.
  static bool says_it(Found const& other, Found const& one) {
    bool const is_of_calls = other.rule->level >= Level::many_calls || other.rule->name == "paired-barriers";
    bool const says_no_more = one.rule->level == Level::long_operation ||
                              (one.rule->level == Level::waiting && one.finding.late_ranks.empty());
    return is_of_calls && says_no_more && are_among(one.finding.places, other.finding.places);
  }

  // Whether both are about the same late ranks, or `one` about waiting that ranks without a processor may cause.
  [[nodiscard]] bool are_one(Found const& other, Found const& one) const {
    // An operation takes long because ranks wait in it, if nobody knows better.
    if (!is_waiting_known_ && one.rule->level == Level::long_operation && one.rule->name != "files" &&
        other.rule->level <= Level::uneven_work && !other.finding.late_ranks.empty())
      return may_explain(other.finding.saving, one.finding);
    if (other.rule->level != Level::processors) return have_common_rank(other.finding, one.finding);
    if (one.rule->name == "dominant-operation") return are_calls_queued_;
    bool const may_follow = Level::change <= one.rule->level && one.rule->level <= Level::waiting;
    return may_follow && queued_share(one.finding) >= thresholds::mostly_queued;
  }

  // How much of their time late ranks, or all if none is, have no processor.
  [[nodiscard]] double queued_share(Finding const& one) const {
    double sum = 0;
    for (std::uint32_t const rank : one.late_ranks) sum += queued_[rank];
    return one.late_ranks.empty() ? mean_of(queued_) : sum / static_cast<double>(one.late_ranks.size());
  }

  std::vector<Found> found_;
  bool is_waiting_known_;
  bool are_calls_queued_;       // for most of the time in MPI in which nobody is missing
  std::vector<double> queued_;  // by rank
};

// The library of a site without callers, "libsolver.so.3"; empty for programs and sites with callers.
std::string_view library_of(std::string_view site) {
  std::string_view const module = site.substr(0, site.rfind("+0x"));
  bool const is_library = module.size() < site.size() && module.find(".so") != module.npos;
  return is_library && site.find(" < ") == site.npos ? module : std::string_view();
}

// Says that a call site has no name, or is in a library that makes most of the calls and has no callers in the profile.
class HiddenCallers {
 public:
  explicit HiddenCallers(Summary const& summary) : summary_(summary) {
    for (Cell const& one : summary.cells(by_op | by_site)) {
      all_ += one.totals.calls;
      if (auto const library = library_of(summary.site(one.site)); !library.empty())
        calls_of_[library] += one.totals.calls;
    }
  }

  // places: in this summary.
  [[nodiscard]] std::string note(Summary const& summary, std::vector<CommOperation> const& places) const {
    if (places.empty()) return {};
    Cell const* const place = summary.operation(places.front().communicator, places.front().operation);
    Cell const* const most = place == nullptr ? nullptr : main_site(summary, *place);
    if (most == nullptr) return {};
    std::string const& site = summary.site(most->site);
    bool const has_callers = site.find(" < ") != site.npos;
    std::string_view const library = library_of(site);
    if (!has_callers && library.empty() && summary_.site_names != nullptr && summary_.site_names->is_stripped(site))
      return fmt::format("{} has no name for this call site: {}.", site.substr(0, site.rfind("+0x")), how_to_name);
    auto const calls = calls_of_.find(library);
    auto const share = calls == calls_of_.end() ? std::nullopt : share_of(calls->second, all_);
    if (share.value_or(0) < thresholds::calls_of_library) return {};
    return fmt::format(
        "{} makes {} of the calls: with commprof --stack=1 (COMMPROF_STACK), call sites have their callers.", library,
        format_share(share));
  }

 private:
  Summary const& summary_;
  std::map<std::string_view, std::uint64_t> calls_of_;
  std::uint64_t all_ = 0;
};

}  // namespace

std::vector<Finding> find_all(Evidence const& evidence) {
  auto const families = join_families(evidence.summary, evidence.waits);
  HiddenCallers const hidden_callers(evidence.summary);
  Explanations found(evidence);
  auto const find = [&](Rule const& rule, Evidence const& from) {
    for (Finding& one : rule.find(from)) {
      if (one.note.empty()) one.note = hidden_callers.note(from.summary, one.places);
      found.add(std::move(one), rule);
    }
  };
  for (Rule const& rule : rules()) {
    // Missing ranks make waiting and load balance unknown.
    if (evidence.summary.run.lacks_ranks() && rule.level != Level::stuck) continue;
    if (!families || !rule.of_families) find(rule, evidence);
    else
      find(rule, {.summary = families->summary,
                  .messages = {},
                  .waits = families->waits,
                  .processors = evidence.processors,
                  .causes = evidence.causes,
                  .waits_for = evidence.waits_for,
                  .whole_ranks = evidence.whole_ranks,
                  .members = &evidence.summary});
  }
  return found.take();
}

std::string short_fact(Finding const& finding) {
  std::string_view fact = finding.fact;
  fact = fact.substr(0, std::min(fact.find("; "), fact.find(". ")));
  return std::string(fact.substr(0, fact.find_last_not_of('.') + 1)) + ".";
}

std::string_view link_in_words(Finding const& consequence) {
  if (consequence.only_may_follow) return "May follow from this";
  return consequence.is_reason ? "Also" : "Thus";
}

std::string saving_in_words(Finding const& finding, double wall_s) {
  if (finding.saving <= 0) return {};
  std::string const share = format_share(finding.saving), seconds = format_seconds(finding.saving * wall_s);
  // Fewer ranks have more work each, which cannot be told.
  std::string_view const what = finding.rule == "processors" ? "A processor for each rank saves" : "Saves";
  if (!finding.saving_most) return fmt::format("{} up to {} of the run, {}.", what, share, seconds);
  return fmt::format("{} at least {} of the run, {}, and up to {}.", what, share, seconds,
                     format_share(*finding.saving_most));
}

double share_of_wall(Evidence const& evidence, double seconds) {
  return share_of(seconds, evidence.summary.threads_wall_s).value_or(0);
}

double time_beside_waiting_s(Evidence const& evidence, Cell const& operation) {
  auto const waiting = sum_of_waiting(evidence.waits.at(operation.communicator, operation.operation));
  return std::max(operation.totals.time_s - (waiting ? waiting->wait_s : 0), 0.0);
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
