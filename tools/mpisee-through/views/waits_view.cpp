// Shows a line for each call site and what it waits for; by rank: a line for each rank of these; by pair: who waits for
// whom; by cause: who makes others wait, and where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

constexpr std::string_view pattern_name = "the pattern";
constexpr std::string_view nothing_known = "No waiting is known in this selection.\n";
constexpr table::CutColumn cut_site{.title = "At", .is_site = true, .least = 24};

// By descending waiting.
std::vector<OperationWaiting const*> in_order(std::span<OperationWaiting const> operations) {
  std::vector<OperationWaiting const*> order;
  for (OperationWaiting const& one : operations) order.push_back(&one);
  std::ranges::stable_sort(order, std::ranges::greater{}, [](auto const* one) { return one->wait_s; });
  return order;
}

std::string number_of(WorldRank rank) { return fmt::format("{}", static_cast<std::uint32_t>(rank)); }

std::string with_share(OperationWaiting const& one, std::string_view name, double share) {
  return one.has_enough_instants() ? fmt::format("{} ({})", name, format_share(share)) : std::string(name);
}

std::string awaited_rank(OperationWaiting const& one) {
  return one.last ? with_share(one, number_of(one.last->rank), one.last->share) : "-";
}

std::optional<RankShare> cause_of(OperationWaiting const& one) {
  return one.causes.empty() ? std::nullopt : std::optional(one.causes.front());
}

std::string cause_in_words(OperationWaiting const& one) {
  auto const cause = cause_of(one);
  double const pattern = one.pattern_share.value_or(0);
  if (pattern > (cause ? cause->share : 0)) return with_share(one, pattern_name, pattern);
  return cause ? with_share(one, number_of(cause->rank), cause->share) : "-";
}

table::Value share_in_words(OperationWaiting const& one) {
  std::string const text = describe_share(one);
  return table::ordered(text, text == "-" ? std::nullopt : one.share());
}

std::string place_of(std::optional<SiteRef> const& one) {
  return one ? one->summary->site_names->line(one->summary->site(one->site)) : "-";
}

// site_of: the call site of a line, if it is known.
template <class Line, class SiteOf>
auto site_ref(Summary const& summary, SiteOf site_of) {
  return [&summary, site_of](Line const& line) {
    auto const site = site_of(line);
    return site ? std::optional(SiteRef{&summary, *site}) : std::nullopt;
  };
}

template <class Line, class Ref>
void add_site(std::vector<table::Column<Line>>& columns, Ref ref) {
  SiteColumns const& of = site_columns();
  columns.push_back({"at", "At", Kind::name, [ref](Line const& line) { return place_of(ref(line)); }, In::people});
  add_columns(columns, ref, {of.site, of.function, of.file, of.line});
}

using Operation = OperationWaiting const*;

// The table of waiting, and that of pending requests, which has some of its columns for people.
table::View<Operation> view_of_waits(Summary const& summary, bool is_pending) {
  auto const title = [&](char const* of_waiting, char const* of_pending = "") {
    return is_pending ? of_pending : of_waiting;
  };
  auto const comm = [&](Operation one) -> CommunicatorSummary const& {
    return summary.communicator(one->communicator);
  };
  auto const words = [](auto in_words) { return [in_words](Operation one) { return in_words(*one); }; };
  std::vector<table::Column<Operation>> columns{
      {"comm", "Communicator", Kind::name, [comm](Operation one) { return comm(one).name; }},
      {"comm_size", "", Kind::count, [comm](Operation one) { return comm(one).size; }},
      {"op", "Call", Kind::name, [&](Operation one) { return summary.name_of(one->operation); }},
      {"kind", "", Kind::name, [](Operation one) { return name_of(one->kind); }},
      {"awaited", title("Waits for"), Kind::name, [](Operation one) { return awaited_in_words(one->kind); },
       In::people},
      {"ranks", "Ranks", Kind::count, [](Operation one) { return one->ranks; }},
      {"calls", "Calls", Kind::count, [](Operation one) { return one->calls; }},
      {"instants", "", Kind::count, [](Operation one) { return one->instants; }},
      {"time_s", title("Time", "Requests pending"), Kind::seconds, [](Operation one) { return one->time_s; }},
      {"wait_s", title("Waiting", "In MPI calls"), Kind::seconds, [](Operation one) { return one->wait_s; }},
      {"wait_share", "", Kind::share, [](Operation one) { return one->share(); }},
      {"of_time", title("Of the time", "Not overlapped"), Kind::figure, words(share_in_words), In::people},
      {"last", title("For rank"), Kind::figure, words(awaited_rank), In::people},
      {"cause", title("Caused by"), Kind::figure, words(cause_in_words), In::people},
      {"wait_error_s", "", Kind::seconds, [](Operation one) { return one->error_s; }},
      {"unknown_share", title("Not known"), Kind::share, [](Operation one) { return one->unknown_share(); }}};
  table::Column<RankShare> const rank{"", "", Kind::number,
                                      [](RankShare const& one) { return static_cast<std::uint32_t>(one.rank); }};
  table::Column<RankShare> const share{"", "", Kind::share, &RankShare::share};
  add_columns(columns, [](Operation one) { return one->last; }, {rank.as("last_rank"), share.as("last_share")});
  add_columns(columns, [](Operation one) { return cause_of(*one); }, {rank.as("caused_by"), share.as("caused_share")});
  columns.push_back({"pattern_share", "", Kind::share, [](Operation one) { return one->pattern_share; }});
  add_site(columns, site_ref<Operation>(summary, [](Operation one) { return one->site; }));
  return {.name = is_pending ? "pending" : "waits", .columns = std::move(columns), .titles = {}, .cut = cut_site};
}

struct RankLine {
  OperationWaiting const* of;
  RankWaiting const* one;

  [[nodiscard]] std::optional<double> share() const { return share_of(one->wait_s, one->time_s); }
  [[nodiscard]] table::Value told_share() const { return are_enough(one->instants) ? share() : table::Value(); }
};

table::View<RankLine> view_of_rank_waits(Summary const& summary) {
  using Line = RankLine;
  auto const comm = [&](Line const& line) { return summary.communicator(line.of->communicator).name; };
  std::vector<table::Column<Line>> columns{
      {"comm", "Communicator", Kind::name, comm},
      {"op", "Call", Kind::name, [&](Line const& line) { return summary.name_of(line.of->operation); }},
      {"kind", "", Kind::name, [](Line const& line) { return name_of(line.of->kind); }}};
  auto const site = site_ref<Line>(summary, [](Line const& line) { return line.of->site; });
  add_columns(columns, site, {site_columns().site});
  columns.insert(
      columns.end(),
      {{"awaited", "Waits for", Kind::name, [](Line const& line) { return awaited_in_words(line.of->kind); },
        In::people},
       {"rank", "Rank", Kind::number, [](Line const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
       {"host", "Host", Kind::name, [&](Line const& line) { return summary.host_of(line.one->rank); }},
       {"instants", "", Kind::count, [](Line const& line) { return line.one->instants; }},
       {"time_s", "Time", Kind::seconds, [](Line const& line) { return line.one->time_s; }},
       {"wait_s", "Waiting", Kind::seconds, [](Line const& line) { return line.one->wait_s; }},
       {"wait_share", "", Kind::share, &Line::share},
       {"of_time", "Of the time", Kind::share, &Line::told_share, In::people},
       {"at", "At", Kind::name, [site](Line const& line) { return place_of(site(line)); }, In::people}});
  return {.name = "by_rank", .columns = std::move(columns), .titles = {}, .cut = cut_site};
}

std::string_view awaited_act(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{"enter the call", "send",
                                                                                 "post its receive", "call MPI", ""};
  return words[static_cast<std::size_t>(kind)];
}

table::View<PairWaiting> view_of_pairs(Summary const& summary) {
  using Line = PairWaiting;
  return {
      .name = "pairs",
      .columns = {{"comm", "Communicator", Kind::name,
                   [&](Line const& one) { return summary.communicator(one.communicator).name; }},
                  {"op", "Call", Kind::name, [&](Line const& one) { return summary.name_of(one.operation); }},
                  {"kind", "", Kind::name, [](Line const& one) { return name_of(one.kind); }},
                  {"rank", "Rank", Kind::number, [](Line const& one) { return static_cast<std::uint32_t>(one.rank); }},
                  {"host", "", Kind::name, [&](Line const& one) { return summary.host_of(one.rank); }},
                  {"for_rank", "Waits for", Kind::number,
                   [](Line const& one) { return static_cast<std::uint32_t>(one.for_rank); }},
                  {"to", "To", Kind::name, [](Line const& one) { return awaited_act(one.kind); }, In::people},
                  {"wait_s", "Waiting", Kind::seconds, &Line::wait_s},
                  {"wait_error_s", "Error", Kind::seconds, &Line::error_s}},
      .titles = {"Rank", "Waits for", "To", "Waiting", "Error", "Communicator", "Call"}};
}

// A cause of waiting: calls of a rank, or if there is none, what no rank causes.
struct CauseLine {
  std::string_view kind;  // rank, pattern or unknown
  Cause const* one;       // null: no rank
  double caused_s;
  double all_s;  // all waiting

  [[nodiscard]] std::string who() const {
    return one != nullptr ? number_of(one->rank) : std::string(kind == "pattern" ? pattern_name : "not known");
  }
  [[nodiscard]] std::optional<CallSiteIndex> site() const {
    return one != nullptr && one->call ? one->call->site : std::nullopt;
  }
};

template <class Of>
auto of_cause(Of of) {
  return [of](CauseLine const& line) { return line.one ? table::Value(std::invoke(of, *line.one)) : table::Value(); };
}

table::View<CauseLine> view_of_causes(Summary const& summary) {
  using Name = std::optional<std::string>;
  auto const comm = [&](Cause const& one) {
    return one.call ? Name(summary.communicator(one.call->communicator).name) : Name();
  };
  auto const op = [&](Cause const& one) { return one.call ? Name(summary.name_of(one.call->operation)) : Name(); };
  std::vector<table::Column<CauseLine>> columns{
      {"cause", "", Kind::name, [](CauseLine const& line) { return line.kind; }},
      {"who", "Rank", Kind::figure, &CauseLine::who, In::people},
      {"rank", "", Kind::number, of_cause([](Cause const& one) { return static_cast<std::uint32_t>(one.rank); })},
      {"host", "", Kind::name, of_cause([&](Cause const& one) { return summary.host_of(one.rank); })},
      {"op", "Is late before", Kind::name, of_cause(op)},
      {"comm", "Communicator", Kind::name, of_cause(comm)},
      {"caused_s", "Causes", Kind::seconds, &CauseLine::caused_s},
      {"caused_error_s", "Error", Kind::seconds, of_cause(&Cause::error_s)},
      {"direct_s", "Directly", Kind::seconds, of_cause(&Cause::direct_s)},
      {"caused_share", "Of all waiting", Kind::share,
       [](CauseLine const& line) { return share_of(line.caused_s, line.all_s); }}};
  add_site(columns, site_ref<CauseLine>(summary, std::mem_fn(&CauseLine::site)));
  return {.name = "causes",
          .columns = std::move(columns),
          .titles = {"Rank", "Causes", "Error", "Directly", "Of all waiting", "Is late before", "Communicator", "At"},
          .cut = cut_site};
}

// The ranks, with what no rank causes and what is not known below them.
std::vector<CauseLine> lines_of_causes(Waits const& waits, std::vector<Cause> const& causes,
                                       std::optional<std::size_t> top) {
  constexpr double least_unknown = 0.01;
  std::vector<CauseLine> lines;
  double all_s = 0, pattern_s = 0;
  for (OperationWaiting const& one : waits.operations) {
    all_s += one.wait_s;
    pattern_s += one.pattern_share.value_or(0) * one.wait_s;
  }
  double unknown_s = all_s - pattern_s;
  for (Cause const& one : causes) unknown_s -= one.caused_s;
  for (Cause const& one : table::first_of(causes, top)) lines.push_back({"rank", &one, one.caused_s, all_s});
  if (pattern_s > 0) lines.push_back({"pattern", nullptr, pattern_s, all_s});
  if (unknown_s > least_unknown * all_s) lines.push_back({"unknown", nullptr, unknown_s, all_s});
  return lines;
}

Note note_of_sum(Summary const& summary, OperationWaiting const& sum) {
  std::string const share = describe_share(sum);
  return {"Waiting", fmt::format("{} of {} in calls that may wait; {} of the MPI time",
                                 share == "-" ? format_seconds(sum.wait_s) : share, format_seconds(sum.time_s),
                                 format_share(share_of(sum.wait_s, summary.operations_s)))};
}

void add_notes(std::vector<Note>& notes, Summary const& summary, Waits const& waits, bool has_shares) {
  if (auto const sum = sum_of_waiting(waits.operations)) notes.push_back(note_of_sum(summary, *sum));
  if (waits.in_finalize && waits.in_finalize->has_enough_instants() && waits.in_finalize->last)
    notes.emplace_back(
        "At the end",
        fmt::format("{} in MPI_Finalize, for rank {} ({})", format_seconds(waits.in_finalize->wait_s),
                    number_of(waits.in_finalize->last->rank), format_share(waits.in_finalize->last->share)));
  std::vector<std::string> left_out;
  for (auto const& [kind, count] : summary.run.not_sampled)
    if (count > 0) left_out.push_back(describe_gap(kind, count));
  if (!left_out.empty()) notes.emplace_back("Not sampled", fmt::format("{}", fmt::join(left_out, "; ")));
  if (has_shares && !std::ranges::all_of(waits.operations, &OperationWaiting::has_enough_instants))
    notes.emplace_back("Of the time", fmt::format("- where fewer than {} instants lie in the calls", fewest_instants));
}

table::Table table_of_pairs(Summary const& summary, Waits const& waits, std::optional<std::size_t> top) {
  table::Table table = table_of(view_of_pairs(summary), waits.pairs, top);
  table.noun = "pair";
  return table;
}

// The pairs of ranks over all operations, as a map.
table::Table map_of_pairs(Waits const& waits) {
  using Pair = std::pair<WorldRank, WorldRank>;
  std::map<Pair, double> sums;
  for (PairWaiting const& one : waits.pairs) sums[{one.rank, one.for_rank}] += one.wait_s;
  using Line = std::pair<Pair, double>;
  table::View<Line> const view{
      .name = "waits_for",
      .columns = {
          {"rank", "Rank", Kind::number, [](Line const& line) { return static_cast<std::uint32_t>(line.first.first); }},
          {"for_rank", "Waits for", Kind::number,
           [](Line const& line) { return static_cast<std::uint32_t>(line.first.second); }},
          {"wait_s", "Waiting", Kind::seconds, &Line::second}}};
  table::Table table = table_of(view, std::vector<Line>(sums.begin(), sums.end()));
  table.in = In::page;
  table.title = "Who waits for whom, in all calls";
  table.noun = "pair";
  table.drawing = {{"as", "cells"}, {"x", "for_rank"}, {"y", "rank"}, {"values", {"wait_s"}}};
  return table;
}

table::Table table_of_waits(Summary const& summary, std::span<OperationWaiting const> list, bool is_pending,
                            std::optional<std::size_t> top) {
  table::Table table = table_of(view_of_waits(summary, is_pending), in_order(list), top);
  table.noun = "operation";
  table.in = In::people;
  return table;
}

// Programs have waiting and pending requests in one table.
std::vector<table::Table> tables_of_operations(Summary const& summary, Waits const& waits,
                                               std::optional<std::size_t> top) {
  constexpr std::size_t most_pairs = 10;  // unless `top` says how many
  std::vector<Operation> all = in_order(waits.operations);
  if (top && all.size() > *top) all.resize(*top);
  auto const pending = in_order(waits.pending);
  std::ranges::copy(table::first_of(pending, top), std::back_inserter(all));
  std::vector<table::Table> tables{table_of(view_of_waits(summary, false), std::move(all)),
                                   table_of_waits(summary, waits.operations, false, top),
                                   table_of_pairs(summary, waits, top.value_or(most_pairs)), map_of_pairs(waits),
                                   table_of_waits(summary, waits.pending, true, top)};
  tables[0].in = In::data;
  tables[1].if_empty = nothing_known;
  return tables;
}

table::Table table_of_ranks(Summary const& summary, Waits const& waits, std::optional<std::size_t> top) {
  std::vector<RankLine> lines;
  for (Operation const one : in_order(waits.operations))
    for (RankWaiting const& rank : one->by_rank) lines.push_back({one, &rank});
  return table_of(view_of_rank_waits(summary), std::move(lines), top);
}

table::Table table_of_causes(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                             std::optional<std::size_t> top) {
  table::Table table = table_of(view_of_causes(summary), lines_of_causes(waits, causes, top));
  table.hidden = causes.size() - table::first_of(causes, top).size();
  table.noun = "cause";
  return table;
}

}  // namespace

Document waiting(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                 Arrangement const& arrangement, WaitLines by) {
  Document document = document_of(summary);
  document.run["not_sampled"] = counts(summary.run.not_sampled);
  add_notes(document.notes, summary, waits, by == WaitLines::operations || by == WaitLines::ranks);
  std::optional<std::size_t> const top = arrangement.top;
  if (by == WaitLines::operations) document.tables = tables_of_operations(summary, waits, top);
  else if (by == WaitLines::ranks) document.tables = {table_of_ranks(summary, waits, top)};
  else if (by == WaitLines::pairs) document.tables = {table_of_pairs(summary, waits, top)};
  else document.tables = {table_of_causes(summary, waits, causes, top)};
  if (by != WaitLines::operations) document.tables.front().if_empty = nothing_known;
  return document;
}

}  // namespace mpisee_through
