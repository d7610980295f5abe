#include "findings/first_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "files/visible_text.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "profile/schema.hpp"
#include "summary/arrangement.hpp"
#include "summary/operation_kind.hpp"
#include "summary/summary.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// Nothing if no message between two ranks has data.
std::optional<BusiestPair> find_busiest_pair(MessageSums const& messages) {
  PairTraffic const* busiest = nullptr;
  for (PairTraffic const& one : messages.pairs)
    if (one.from != one.to && one.amount.bytes > (busiest == nullptr ? 0 : busiest->amount.bytes)) busiest = &one;
  if (busiest == nullptr) return std::nullopt;
  auto const is_alike = [&](PairTraffic const& one) {
    return one.from != one.to && 100 * (busiest->amount.bytes - one.amount.bytes) <= busiest->amount.bytes;
  };
  auto const alike = static_cast<std::uint64_t>(std::ranges::count_if(messages.pairs, is_alike)) - 1;
  std::uint64_t to_self = 0;
  for (PairTraffic const& one : messages.pairs)
    if (one.from == one.to) to_self += one.amount.bytes;
  return BusiestPair{*busiest, messages.total, alike, to_self};
}

// Nothing if no call carries data.
std::optional<MainSizes> find_main_sizes(Summary const& summary) {
  Totals all;
  Cells const& sizes = summary.cells(by_size);
  for (Cell const& one : sizes) all += one.totals;
  if (all.time_s <= 0) return std::nullopt;
  auto const by_time = std::ranges::max_element(sizes, {}, [](Cell const& one) { return one.totals.time_s; });
  auto const by_bytes = std::ranges::max_element(sizes, {}, [](Cell const& one) { return one.totals.bytes(); });
  return MainSizes{{by_time->size, *shares_of(by_time->totals, all).time},
                   {by_bytes->size, *shares_of(by_bytes->totals, all).bytes},
                   double{all.time_s}};
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

  // The messages that the program itself sent or moved: the MPI library sends others for collective operations.
  [[nodiscard]] MessageSums of_program() const {
    Selection selection = selection_;
    selection.classes = {TrafficClass::p2p, TrafficClass::rma};
    return add_up_messages(profile_, selection, overview_);
  }

  [[nodiscard]] std::optional<BusiestPair> busiest_pair() const {
    if (auto const& counted = profile_.run().messages;
        counted && counted->is_busiest_known && counted->to_self && selection_.selects_all_but_classes()) {
      auto const amount = [](MessageTotal const& one) { return Amount{one.messages, one.bytes}; };
      if (!counted->busiest) return std::nullopt;
      auto const& [from, to, most, others] = *counted->busiest;
      return BusiestPair{{from, to, amount(most)}, amount(counted->total), others, counted->to_self->bytes};
    }
    return are_there() ? find_busiest_pair(add_up_messages(profile_, selection_, overview_)) : std::nullopt;
  }

 private:
  Profile const& profile_;
  Selection const& selection_;
  Overview const& overview_;
};

// A function that reads a part of the profile when it is called for the first time.
template <class Read>
auto reading_once(Read read) {
  using Part = std::invoke_result_t<Read>;
  return [read, part = std::make_shared<std::optional<Part>>()]() -> Part const& {
    if (!*part) part->emplace(read());
    return **part;
  };
}

std::string selected_options(Selection const& selection) {
  std::string options;
  if (selection.ranks) options += " " + option("--rank", selection.ranks->to_string());
  for (std::string const& region : selection.regions) options += " " + option("--region", region);
  for (std::string const& site : selection.sites) options += " " + option("--site", site);
  return options;
}

double share_of_waiting(Overview const& overview) {
  auto const share = overview.account ? share_of(overview.account->waiting_s, overview.threads_wall_s) : std::nullopt;
  return share.value_or(0);
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
  FirstScreen screen{.summary = summarise(profile, selection, lists),
                     .waits = {},
                     .has_efficiencies = selection.communicators.empty() && selection.operations.empty() &&
                                         selection.kinds.empty() && selection.sites.empty() && !selection.sizes &&
                                         profile.run().has_efficiencies(),
                     .regions = {},
                     .region_times = region_times,
                     .busiest_pair = {},
                     .main_sizes = {},
                     .windows = {},
                     .findings = {},
                     .selected = selected_options(selection),
                     .lines = {}};
  screen.waits = read_known_waits(profile, screen.summary, selection);
  if (screen.has_efficiencies) screen.regions = regions_of(profile, selection, screen.summary, region_times);
  screen.main_sizes = find_main_sizes(screen.summary);
  SelectedMessages const messages(profile, selection, screen.summary);
  screen.busiest_pair = messages.busiest_pair();
  // Messages to the selected ranks would be compared with what these ranks send.
  if (screen.busiest_pair && !selection.ranks) screen.busiest_pair->bytes_sent = bytes_sent(screen.summary);
  std::function<MessageSums const&()> of_program;
  if (messages.are_there() && selection.has_whole_ranks())
    of_program = reading_once([&] { return messages.of_program(); });
  if (selection.has_whole_ranks() && has_windows(profile))
    screen.windows = read_windows(profile, selection, screen.summary);
  std::function<std::vector<Cause> const&()> causes;
  if (profile.holds(commprof::schema::causes))
    causes = reading_once([&] { return read_causes(profile, screen.summary); });
  std::function<std::vector<PairWaiting> const&()> pairs;
  if (profile.holds(commprof::schema::waits_by_pair) && selection.has_whole_ranks())
    pairs = reading_once([&] { return read_waiting_pairs(profile, screen.summary, selection); });
  if (causes && share_of_waiting(screen.summary) >= thresholds::least_saving)
    screen.caused_by = caused_by(screen.summary, screen.waits, causes());
  ProcessorWaits const processors(screen.summary);
  screen.findings = find_all({.summary = screen.summary,
                              .messages = of_program,
                              .waits = screen.waits,
                              .processors = processors,
                              .causes = causes,
                              .waits_for = pairs,
                              .whole_ranks = selection.has_whole_ranks(),
                              .windows = screen.windows && !selection.ranks ? &*screen.windows : nullptr,
                              .lines = &screen.lines});
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
  bool const has_waiting = share_of_waiting(screen.summary) >= thresholds::worth_trying;
  return fmt::format("{}no single change is known that would {}save {:.0f} % of the run.",
                     has_waiting ? "ranks wait for each other, but " : "", has_waiting ? "surely " : "",
                     100 * thresholds::worth_trying);
}

std::optional<CostliestCall> find_costliest_call(Summary const& summary) {
  std::optional<CostliestCall> most;
  double most_s = 0;
  for (Cell const& operation : summary.operations()) {
    if (operation.totals.time_s <= most_s) continue;
    most_s = operation.totals.time_s;
    most = {operation.communicator, &operation};
  }
  return most;
}

std::vector<KindTotals> totals_by_kind(Summary const& summary) {
  std::vector<KindTotals> kinds;
  for (Cell const& operation : summary.operations()) {
    OperationKind const kind = kind_of(summary.name_of(operation.operation));
    auto known = std::ranges::find(kinds, kind, &KindTotals::kind);
    if (known == kinds.end()) known = kinds.insert(known, {kind, {}});
    known->totals += operation.totals;
  }
  std::erase_if(kinds, [](KindTotals const& one) { return one.totals.time_s <= 0; });
  std::ranges::stable_sort(kinds, std::ranges::greater{},
                           [](KindTotals const& one) { return double{one.totals.time_s}; });
  return kinds;
}

std::string describe_busiest_pair(FirstScreen const& screen) {
  if (!screen.busiest_pair) return "";
  auto const& [pair, total, alike, to_self, sent] = *screen.busiest_pair;
  auto const name = [](WorldRank rank) {
    return rank == other_world ? "another world" : fmt::format("rank {}", static_cast<std::uint32_t>(rank));
  };
  bool const are_all = screen.summary.selected_ranks == screen.summary.run.ranks;
  std::string text =
      fmt::format("{} to {}: {}, {} of the {} {}", name(pair.from), name(pair.to), format_bytes(pair.amount.bytes),
                  format_share(screen.busiest_pair->share()), format_bytes(total.bytes - to_self),
                  are_all ? "between ranks" : "between ranks, from or to the selected ones");
  if (alike > 0)
    text += fmt::format("; {} much",
                        alike == 1 ? "1 more pair has as" : fmt::format("{} more pairs have as", format_count(alike)));
  text += ".";
  if (to_self > 0) text += fmt::format(" Ranks send {} to themselves.", format_bytes(to_self));
  std::string const part = part_of_bytes_sent(total.bytes, sent);
  return part.empty() ? text : text + " " + part;
}

std::string describe_costliest_call(FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  auto const call = find_costliest_call(summary);
  if (!call) return "";
  Cell const& operation = *call->operation;
  return fmt::format("{} on {}{}: {} of the MPI time, {} of the ranks' time.", summary.name_of(operation.operation),
                     summary.communicator(call->communicator).name, called_at(summary, operation),
                     format_share(summary.share_of_mpi(operation.totals)),
                     format_share(summary.share_of_wall(operation.totals)));
}

std::string describe_main_sizes(FirstScreen const& screen) {
  if (!screen.main_sizes) return "";
  auto const& [by_time, by_bytes, time_s] = *screen.main_sizes;
  std::string const time = format_size_bin(by_time.size), bytes = format_size_bin(by_bytes.size);
  std::string const calls =
      fmt::format("calls with data take {} of the MPI time; {} of it",
                  format_share(share_of(time_s, screen.summary.operations_s)), format_share(by_time.share));
  if (time == bytes)
    return fmt::format("{}, and {} of the bytes, in those of {}.", calls, format_share(by_bytes.share), time);
  return fmt::format("{} in those of {}, {} of the bytes in those of {}.", calls, time, format_share(by_bytes.share),
                     bytes);
}

std::vector<Highlight> highlights(FirstScreen const& screen) {
  std::vector<Highlight> all{{"Top call", describe_costliest_call(screen)},
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
