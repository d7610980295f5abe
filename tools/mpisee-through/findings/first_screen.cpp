#include "findings/first_screen.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "files/shell_word.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "findings/unevenness.hpp"
#include "profile/schema.hpp"
#include "summary/arrangement.hpp"
#include "summary/collective_messages.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The operation with the largest difference between the ranks with the least and the most time in it. Considers
// operations that all ranks of a communicator, two or more, have called and left.
std::optional<UnevenOperation> find_most_uneven(Summary const& summary) {
  std::optional<UnevenOperation> most;
  Cell const* of_most = nullptr;
  double most_s = thresholds::uneven_of_wall * summary.efficiency.wall_max_s();
  for (Cell const& operation : summary.operations()) {
    CommunicatorSummary const& communicator = summary.communicator(operation.communicator);
    RankSpread const& spread = *operation.spread;
    if (spread.ranks() < 2 || spread.ranks() < communicator.ranks) continue;
    if (spread.max_s() - spread.min_s() <= most_s || !differ_much(spread.min_s(), spread.max_s())) continue;
    if (kind_of(summary.name_of(operation.operation)) == OperationKind::unfinished) continue;
    of_most = &operation;
    most = {
        {operation.communicator, operation.operation}, "", communicator.mean_s(operation), spread.min(), spread.max()};
    most_s = most->max.seconds - most->min.seconds;
  }
  if (most) most->called_at = called_at(summary, *of_most);
  return most;
}

std::vector<RegionSummary> regions_of(Profile const& profile, Selection const& selection, Overview const& overview,
                                      RegionTimes times) {
  if (!profile.holds(commprof::schema::regions) || !has_rows_of(profile.run(), selection)) return {};
  std::vector<RegionSummary> regions = list_regions(profile, selection, overview);
  std::erase_if(regions, [](RegionSummary const& region) { return !region.selected; });
  std::ranges::stable_sort(regions, std::ranges::greater{},
                           [times](RegionSummary const& region) { return region.totals(times).wall_s; });
  bool const is_named = regions.size() > 1 || !selection.regions.empty();
  return is_named ? std::move(regions) : std::vector<RegionSummary>();
}

// The messages of a selection. They are read when first needed, because they have many rows.
class SelectedMessages {
 public:
  SelectedMessages(Profile const& profile, Selection const& selection, Overview const& overview)
      : profile_(profile), selection_(selection), overview_(overview) {}

  // False if the profile has no messages, or if the selection cannot be applied to them.
  [[nodiscard]] bool are_there() const {
    bool const are_told =
        selection_.operations.empty() && selection_.kinds.empty() && selection_.sites.empty() && !selection_.sizes;
    return are_told && profile_.holds(commprof::schema::peers) && has_rows_of(profile_.run(), selection_);
  }

  MessagesByOrigin const& read() {
    if (!messages_) messages_ = add_up_messages(profile_, selection_, overview_);
    return *messages_;
  }

  [[nodiscard]] std::optional<BusiestPair> busiest_pair() {
    if (auto const& counted = profile_.run().messages;
        counted && counted->is_busiest_known && selection_.selects_all_but_classes() && !is_with_itself(*counted)) {
      auto const amount = [](MessageTotal const& one) { return Amount{one.messages, one.bytes}; };
      if (!counted->busiest) return std::nullopt;
      auto const& [from, to, most, others] = *counted->busiest;
      return BusiestPair{{from, to, amount(most)}, amount(counted->total), others};
    }
    return are_there() ? find_busiest_pair(read().all) : std::nullopt;
  }

 private:
  // Older profiles may name a rank that sends most to itself.
  static bool is_with_itself(Run::Messages const& counted) {
    return counted.busiest && counted.busiest->from == counted.busiest->to;
  }

  Profile const& profile_;
  Selection const& selection_;
  Overview const& overview_;
  std::optional<MessagesByOrigin> messages_;
};

std::string selected_options(Selection const& selection) {
  std::string options;
  if (selection.ranks) options += " " + option("--rank", selection.ranks->to_string());
  for (std::string const& region : selection.regions) options += " " + option("--region", region);
  for (std::string const& site : selection.sites) options += " " + option("--site", site);
  return options;
}

// The operations with most of the MPI time, over all communicators: "Barrier 27.2 %, Get 9.0 %". Empty if MPI takes
// little time, or if only a part of its calls is selected.
std::string operations_of_time(FirstScreen const& screen) {
  constexpr std::size_t most_named = 3;
  Summary const& summary = screen.summary;
  bool const is_worth_telling = summary.mpi_share().value_or(0) >= thresholds::worth_telling_of_wall;
  if (!screen.has_efficiencies || !is_worth_telling) return "";
  std::vector<Totals> totals(summary.operation_names.size());
  for (Cell const& one : summary.operations()) totals[static_cast<std::size_t>(one.operation)] += one.totals;
  std::vector<std::size_t> order(totals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_by_amount(order, SortKey::time, [&](std::size_t place) { return totals[place]; });
  std::vector<std::string> named;
  for (std::size_t i = 0; i < std::min(order.size(), most_named); ++i)
    named.push_back(
        fmt::format("{} {}", summary.operation_names[order[i]], format_share(summary.share_of_mpi(totals[order[i]]))));
  return fmt::format("{}", fmt::join(named, ", "));
}

bool has_waiting_to_name(Overview const& overview) {
  auto const share = overview.account ? share_of(overview.account->waiting_s, overview.threads_wall_s) : std::nullopt;
  return share.value_or(0) >= thresholds::worth_naming_of_wall;
}

}  // namespace

std::vector<CellList> cells_of_findings(CellList::With sizes) {
  using enum CellList::With;
  return {{by_comm | by_op},
          {by_comm | by_op | by_size, sizes},
          {by_comm | by_op | by_site, totals},
          {by_op | by_site, totals},
          {by_size, totals}};
}

FirstScreen read_first_page(Profile const& profile, Selection const& selection, RegionTimes region_times,
                            std::vector<CellList> const& lists) {
  bool const has_ranks = std::ranges::find(lists, by_rank, &CellList::keys) != lists.end();
  FirstScreen screen{.summary = summarise(profile, selection, lists),
                     .waits = {},
                     .has_efficiencies = selection.communicators.empty() && selection.operations.empty() &&
                                         selection.kinds.empty() && selection.sites.empty() && !selection.sizes &&
                                         profile.run().has_efficiencies(),
                     .regions = {},
                     .region_times = region_times,
                     .most_uneven = {},
                     .busiest_pair = {},
                     .main_sizes = {},
                     .windows = {},
                     .findings = {},
                     .selected = selected_options(selection),
                     .lines = {}};
  screen.waits =
      read_known_waits(profile, screen.summary, selection, has_ranks ? WaitDetail::ranks : WaitDetail::operations);
  if (selection.has_whole_ranks())
    screen.summary.efficiency.set_time_without_transfer(time_without_transfer(screen.summary, screen.waits));
  if (screen.has_efficiencies) screen.regions = regions_of(profile, selection, screen.summary, region_times);
  screen.most_uneven = find_most_uneven(screen.summary);
  screen.main_sizes = find_main_sizes(screen.summary);
  SelectedMessages messages(profile, selection, screen.summary);
  screen.busiest_pair = messages.busiest_pair();
  // Messages to the selected ranks would be compared with what these ranks send.
  if (screen.busiest_pair && !selection.ranks) screen.busiest_pair->bytes_sent = bytes_sent(screen.summary);
  std::function<MessageSums const&()> of_program;
  if (messages.are_there() && selection.has_whole_ranks())
    of_program = [&]() -> MessageSums const& { return messages.read().of_program(); };
  if (selection.has_whole_ranks() && has_windows(profile))
    screen.windows = read_windows(profile, selection, screen.summary);
  std::optional<std::vector<Cause>> causes;
  std::function<std::vector<Cause> const&()> read_once;
  if (profile.holds(commprof::schema::causes))
    read_once = [&]() -> std::vector<Cause> const& {
      if (!causes) causes = read_causes(profile, screen.summary, selection);
      return *causes;
    };
  if (read_once && has_waiting_to_name(screen.summary))
    screen.caused_by = caused_by(screen.summary, screen.waits, read_once());
  screen.findings = find_all({.summary = screen.summary,
                              .messages = of_program,
                              .waits = screen.waits,
                              .causes = read_once,
                              .whole_ranks = selection.has_whole_ranks(),
                              .windows = screen.windows && !selection.ranks ? &*screen.windows : nullptr,
                              .lines = &screen.lines});
  say_hidden_callers(screen.summary, screen.findings);
  return screen;
}

std::vector<FlatFinding> flattened(FirstScreen const& screen) {
  std::vector<FlatFinding> told;
  for (Finding const& finding : screen.findings) {
    told.push_back({&finding, {}});
    for (Finding const& consequence : finding.consequences) told.push_back({&consequence, finding.rule});
  }
  return told;
}

std::string arguments_of(Finding const& finding, FirstScreen const& screen) {
  return fmt::format("{}{} {}", finding.options, screen.selected, shell_word(screen.summary.profile));
}

std::string reason_for_no_findings(FirstScreen const& screen) {
  if (screen.summary.run.lacks_ranks()) return "ranks are missing, and the rules need all of them.";
  std::string reason = "nothing is above the thresholds that man mpisee-through lists";
  auto const call = find_costliest_call(screen.summary);
  auto const share = call ? screen.summary.share_of_wall(call->operation->totals) : std::nullopt;
  reason += share.value_or(1) < thresholds::dominant_of_wall
                ? fmt::format("; {} on {}, the longest, takes {} of the wall time, less than {}.",
                              screen.summary.name_of(call->operation->operation),
                              screen.summary.communicator(call->communicator).name, format_share(share),
                              format_share(thresholds::dominant_of_wall))
                : ".";
  if (std::string const operations = operations_of_time(screen); !operations.empty())
    reason += fmt::format(" But MPI takes {} of the wall time, spread over calls and communicators: {} of it.",
                          format_share(screen.summary.mpi_share()), operations);
  return reason;
}

std::string describe_unexplained(FirstScreen const& screen) {
  double explained = 0;
  for (Finding const& finding : screen.findings) explained += finding.weight_with_consequences();
  if (explained >= thresholds::explained_of_mpi * screen.summary.mpi_share().value_or(0)) return "";
  std::string const operations = operations_of_time(screen);
  if (screen.findings.empty() || operations.empty()) return "";
  return fmt::format("The findings concern {} of the wall time, MPI takes {}: {} of it.", format_share(explained),
                     format_share(screen.summary.mpi_share()), operations);
}

std::string describe_most_uneven(FirstScreen const& screen) {
  if (!screen.most_uneven) return "";
  UnevenOperation const& one = *screen.most_uneven;
  // A finding already says who waits, and for whom.
  bool const is_explained = std::ranges::any_of(flattened(screen), [&](FlatFinding const& told) {
    return told.finding->has_measured_waiting &&
           std::ranges::find(told.finding->places, one.place) != told.finding->places.end();
  });
  if (is_explained) return "";
  std::string const& operation = screen.summary.name_of(one.place.operation);
  // Where waiting is measured, the rank with the least time need not be the one that comes last.
  bool const is_measured = !screen.waits.at(one.place.communicator, one.place.operation).empty();
  TimeWords const words = is_measured ? TimeWords{"spends most time", ""} : time_words(operation);
  return fmt::format("{} on {}{}: {}; {} on average.", operation,
                     screen.summary.communicator(one.place.communicator).name, one.called_at,
                     extremes_in_words(words, one.max, one.min), format_seconds(one.mean_s));
}

std::string describe_busiest_pair(FirstScreen const& screen) {
  if (!screen.busiest_pair) return "";
  auto const& [pair, total, alike, sent] = *screen.busiest_pair;
  auto const name = [](WorldRank rank) {
    return rank == other_world ? "another world" : fmt::format("rank {}", static_cast<std::uint32_t>(rank));
  };
  bool const are_all = screen.summary.selected_ranks == screen.summary.run.ranks;
  std::string text = fmt::format("{} to {}: {} of the {} of all messages{}", name(pair.from), name(pair.to),
                                 format_share(screen.busiest_pair->share()), format_bytes(total.bytes),
                                 are_all ? "" : " from or to the selected ranks");
  if (alike > 0)
    text += fmt::format("; {} much",
                        alike == 1 ? "1 more pair has as" : fmt::format("{} more pairs have as", format_count(alike)));
  text += ".";
  std::string const part = part_of_bytes_sent(total.bytes, sent);
  if (part.empty()) return text;
  text += " " + part;
  if (2 * bytes_of_collectives(screen.summary) > sent) text += " --matrix --class estimate has collectives.";
  return text;
}

std::string describe_costliest_call(FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  auto const call = find_costliest_call(summary);
  if (!call) return "";
  Cell const& operation = *call->operation;
  return fmt::format("{} on {}{}: {} of the MPI time, {} of the wall time.", summary.name_of(operation.operation),
                     summary.communicator(call->communicator).name, called_at(summary, operation),
                     format_share(summary.share_of_mpi(operation.totals)),
                     format_share(summary.share_of_wall(operation.totals)));
}

std::string describe_main_sizes(FirstScreen const& screen) {
  if (!screen.main_sizes) return "";
  auto const& [by_time, by_bytes, time_s] = *screen.main_sizes;
  std::string const time = format_size_bin(by_time.size), bytes = format_size_bin(by_bytes.size);
  std::optional<double> completions;  // they have no size of their own
  for (auto const& [kind, totals] : totals_by_kind(screen.summary))
    if (kind == OperationKind::completion) completions = screen.summary.share_of_mpi(totals);
  std::string const rest = completions.value_or(0) >= thresholds::worth_telling_of_wall
                               ? fmt::format(" (completions: {})", format_share(completions))
                               : "";
  std::string const of_calls = fmt::format("of calls with data, which take {} of the MPI time{}.",
                                           format_share(share_of(time_s, screen.summary.operations_s)), rest);
  if (time == bytes)
    return fmt::format("{}: {} of the time, {} of the bytes {}", time, format_share(by_time.share),
                       format_share(by_bytes.share), of_calls);
  return fmt::format("time: {} ({}), bytes: {} ({}) {}", time, format_share(by_time.share), bytes,
                     format_share(by_bytes.share), of_calls);
}

std::string describe_kinds(FirstScreen const& screen) {
  constexpr double least_told = 0.005;
  std::string text;
  for (auto const& [kind, totals] : totals_by_kind(screen.summary)) {
    auto const share = screen.summary.share_of_mpi(totals);
    if (share.value_or(0) < least_told) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name_of(kind), format_share(share));
    if (kind == OperationKind::file && totals.bytes() > 0)
      text +=
          fmt::format(" ({} at {}/s a rank)", format_bytes(totals.bytes()),
                      format_bytes(static_cast<std::uint64_t>(static_cast<double>(totals.bytes()) / totals.time_s)));
  }
  return text.empty() ? text : text + " of the MPI time.";
}

std::vector<Highlight> highlights(FirstScreen const& screen) {
  std::vector<Highlight> all{{"Verdict", screen.has_account() ? "" : describe_verdict(screen)},
                             {"By kind", describe_kinds(screen)},
                             {"Top call", describe_costliest_call(screen)},
                             {"Most uneven", describe_most_uneven(screen)},
                             {"Top pair", describe_busiest_pair(screen)},
                             {"Top sizes", describe_main_sizes(screen)}};
  std::erase_if(all, [](Highlight const& one) { return one.text.empty(); });
  return all;
}

std::vector<EfficiencyLine> efficiency_lines(FirstScreen const& screen) {
  if (!screen.has_efficiencies) return {};
  Summary const& summary = screen.summary;
  std::vector<EfficiencyLine> lines{{"Whole run", summary.efficiency, summary.mpi_share()}};
  for (RegionSummary const& region : screen.regions) {
    RegionTotals const& totals = region.totals(screen.region_times);
    lines.push_back({region.path, totals.efficiency, totals.mpi_share()});
  }
  return lines;
}

}  // namespace mpisee_through
