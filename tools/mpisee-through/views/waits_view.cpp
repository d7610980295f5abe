// Shows a line for each call site and what it waits for; by rank: a line for each rank of these; by pair: who waits for
// whom; by cause: who makes others wait, and where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

struct WaitsRow {
  Summary const* summary;
  OperationWaiting const* one;

  [[nodiscard]] CommunicatorSummary const& communicator() const { return summary->communicator(one->communicator); }
  [[nodiscard]] std::optional<SiteRef> site() const {
    return one->site ? std::optional(SiteRef{summary, *one->site}) : std::nullopt;
  }
  [[nodiscard]] std::optional<RankShare> cause() const {
    return one->causes.empty() ? std::nullopt : std::optional(one->causes.front());
  }
};

constexpr std::string_view pattern_name = "the pattern";

std::string number_of(WorldRank rank) { return fmt::format("{}", static_cast<std::uint32_t>(rank)); }

std::string with_share(OperationWaiting const& one, std::string_view name, double share) {
  return one.has_enough_instants() ? fmt::format("{} ({})", name, format_share(share)) : std::string(name);
}

std::string awaited_rank(WaitsRow const& line) {
  auto const& last = line.one->last;
  return last ? with_share(*line.one, number_of(last->rank), last->share) : "-";
}

std::string cause_in_words(WaitsRow const& line) {
  auto const cause = line.cause();
  double const pattern = line.one->pattern_share.value_or(0);
  if (pattern > (cause ? cause->share : 0)) return with_share(*line.one, pattern_name, pattern);
  return cause ? with_share(*line.one, number_of(cause->rank), cause->share) : "-";
}

std::string place_of(std::optional<SiteRef> const& one) {
  return one ? one->summary->site_names->line(one->summary->site(one->site)) : "-";
}

constexpr table::CutColumn cut_site{.title = "At", .is_site = true, .least = 24};

template <class Line>
void add_site(std::vector<table::Column<Line>>& columns) {
  SiteColumns const& of = site_columns();
  columns.push_back({"at", "At", Kind::name, [](Line const& line) { return place_of(line.site()); }, In::people});
  add_columns(columns, &Line::site, {of.site, of.function, of.file, of.line});
}

std::string name_of_communicator(WaitsRow const& line) { return line.communicator().name; }
std::string name_of_call(WaitsRow const& line) { return line.summary->name_of(line.one->operation); }

table::Value share_in_words(WaitsRow const& line) {
  std::string const text = describe_share(*line.one);
  return table::ordered(text, text == "-" ? std::nullopt : line.one->share());
}

std::optional<RankShare> last_of(WaitsRow const& line) { return line.one->last; }

// The table of waiting, and that of pending requests, which has some of its columns for people.
table::View<WaitsRow> view_of_waits(bool is_pending) {
  auto const title = [&](char const* of_waiting, char const* of_pending = "") {
    return is_pending ? of_pending : of_waiting;
  };
  std::vector<table::Column<WaitsRow>> columns{
      {"comm", "Communicator", Kind::name, name_of_communicator},
      {"comm_size", "", Kind::count, [](WaitsRow const& line) { return line.communicator().size; }},
      {"op", "Call", Kind::name, name_of_call},
      {"kind", "", Kind::name, [](WaitsRow const& line) { return name_of(line.one->kind); }},
      {"awaited", title("Waits for"), Kind::name, [](WaitsRow const& line) { return awaited_in_words(line.one->kind); },
       In::people},
      {"ranks", "Ranks", Kind::count, [](WaitsRow const& line) { return line.one->ranks; }},
      {"calls", "Calls", Kind::count, [](WaitsRow const& line) { return line.one->calls; }},
      {"instants", "", Kind::count, [](WaitsRow const& line) { return line.one->instants; }},
      {"time_s", title("Time", "Requests pending"), Kind::seconds,
       [](WaitsRow const& line) { return line.one->time_s; }},
      {"wait_s", title("Waiting", "In MPI calls"), Kind::seconds,
       [](WaitsRow const& line) { return line.one->wait_s; }},
      {"wait_share", "", Kind::share, [](WaitsRow const& line) { return line.one->share(); }},
      {"of_time", title("Of the time", "Not overlapped"), Kind::figure, share_in_words, In::people},
      {"last", title("For rank"), Kind::figure, awaited_rank, In::people},
      {"cause", title("Caused by"), Kind::figure, cause_in_words, In::people},
      {"wait_error_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->error_s; }},
      {"unknown_share", title("Not known"), Kind::share,
       [](WaitsRow const& line) { return line.one->unknown_share(); }}};
  table::Column<RankShare> const rank{"", "", Kind::number,
                                      [](RankShare const& one) { return static_cast<std::uint32_t>(one.rank); }};
  table::Column<RankShare> const share{"", "", Kind::share, &RankShare::share};
  add_columns(columns, last_of, {rank.as("last_rank"), share.as("last_share")});
  add_columns(columns, &WaitsRow::cause, {rank.as("caused_by"), share.as("caused_share")});
  columns.push_back({"pattern_share", "", Kind::share, [](WaitsRow const& line) { return line.one->pattern_share; }});
  add_site(columns);
  return {.name = is_pending ? "pending" : "waits", .columns = std::move(columns), .titles = {}, .cut = cut_site};
}

struct RankLine {
  WaitsRow of;
  RankWaiting const* one;

  [[nodiscard]] std::optional<double> share() const { return share_of(one->wait_s, one->time_s); }
  [[nodiscard]] table::Value told_share() const { return are_enough(one->instants) ? share() : table::Value(); }
};

table::View<RankLine> view_of_rank_waits() {
  using Line = RankLine;
  auto const site = [](Line const& line) { return line.of.site(); };
  std::vector<table::Column<Line>> columns{
      {"comm", "Communicator", Kind::name, [](Line const& line) { return name_of_communicator(line.of); }},
      {"op", "Call", Kind::name, [](Line const& line) { return name_of_call(line.of); }},
      {"kind", "", Kind::name, [](Line const& line) { return name_of(line.of.one->kind); }}};
  add_columns(columns, site, {site_columns().site});
  columns.insert(
      columns.end(),
      {{"awaited", "Waits for", Kind::name, [](Line const& line) { return awaited_in_words(line.of.one->kind); },
        In::people},
       {"rank", "Rank", Kind::number, [](Line const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
       {"host", "Host", Kind::name, [](Line const& line) { return line.of.summary->host_of(line.one->rank); }},
       {"instants", "", Kind::count, [](Line const& line) { return line.one->instants; }},
       {"time_s", "Time", Kind::seconds, [](Line const& line) { return line.one->time_s; }},
       {"wait_s", "Waiting", Kind::seconds, [](Line const& line) { return line.one->wait_s; }},
       {"wait_share", "", Kind::share, &Line::share},
       {"of_time", "Of the time", Kind::share, &Line::told_share, In::people},
       {"at", "At", Kind::name, [](Line const& line) { return place_of(line.of.site()); }, In::people}});
  return {.name = "by_rank", .columns = std::move(columns), .titles = {}, .cut = cut_site};
}

std::string_view awaited_act(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{"enter the call", "send",
                                                                                 "post its receive", "call MPI", ""};
  return words[static_cast<std::size_t>(kind)];
}

struct WaitingPairLine {
  Summary const* summary;
  PairWaiting const* one;
};

table::View<WaitingPairLine> view_of_pairs() {
  return {
      .name = "pairs",
      .columns = {{"comm", "Communicator", Kind::name,
                   [](WaitingPairLine const& line) { return line.summary->communicator(line.one->communicator).name; }},
                  {"op", "Call", Kind::name,
                   [](WaitingPairLine const& line) { return line.summary->name_of(line.one->operation); }},
                  {"kind", "", Kind::name, [](WaitingPairLine const& line) { return name_of(line.one->kind); }},
                  {"rank", "Rank", Kind::number,
                   [](WaitingPairLine const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
                  {"host", "", Kind::name,
                   [](WaitingPairLine const& line) { return line.summary->host_of(line.one->rank); }},
                  {"for_rank", "Waits for", Kind::number,
                   [](WaitingPairLine const& line) { return static_cast<std::uint32_t>(line.one->for_rank); }},
                  {"to", "To", Kind::name, [](WaitingPairLine const& line) { return awaited_act(line.one->kind); },
                   In::people},
                  {"wait_s", "Waiting", Kind::seconds, [](WaitingPairLine const& line) { return line.one->wait_s; }},
                  {"wait_error_s", "Error", Kind::seconds,
                   [](WaitingPairLine const& line) { return line.one->error_s; }}},
      .titles = {"Rank", "Waits for", "To", "Waiting", "Error", "Communicator", "Call"}};
}

// A cause of waiting: calls of a rank, or if there is none, what no rank causes.
struct CauseLine {
  Summary const* summary;
  std::string_view kind;  // rank, pattern or unknown
  Cause const* one;       // null: no rank
  double caused_s;
  double all_s;  // all waiting

  [[nodiscard]] std::string who() const {
    return one != nullptr ? number_of(one->rank) : std::string(kind == "pattern" ? pattern_name : "not known");
  }
  [[nodiscard]] std::optional<SiteRef> site() const {
    bool const has_site = one != nullptr && one->call && one->call->site;
    return has_site ? std::optional(SiteRef{summary, *one->call->site}) : std::nullopt;
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
  auto const op = [&](Cause const& one) {
    if (one.is_finalize) return Name("Finalize");
    return one.call ? Name(summary.name_of(one.call->operation)) : Name();
  };
  std::vector<table::Column<CauseLine>> columns{
      {"cause", "", Kind::name, [](CauseLine const& line) { return line.kind; }},
      {"who", "Rank", Kind::figure, &CauseLine::who, In::people},
      {"rank", "", Kind::number, of_cause([](Cause const& one) { return static_cast<std::uint32_t>(one.rank); })},
      {"host", "", Kind::name, of_cause([&](Cause const& one) { return summary.host_of(one.rank); })},
      {"op", "Does more before", Kind::name, of_cause(op)},
      {"comm", "Communicator", Kind::name, of_cause(comm)},
      {"caused_s", "Causes", Kind::seconds, &CauseLine::caused_s},
      {"caused_error_s", "Error", Kind::seconds, of_cause(&Cause::error_s)},
      {"direct_s", "Directly", Kind::seconds, of_cause(&Cause::direct_s)},
      {"caused_share", "Of all waiting", Kind::share,
       [](CauseLine const& line) { return share_of(line.caused_s, line.all_s); }}};
  add_site(columns);
  return {.name = "causes",
          .columns = std::move(columns),
          .titles = {"Rank", "Causes", "Error", "Directly", "Of all waiting", "Does more before", "Communicator", "At"},
          .cut = cut_site};
}

std::vector<WaitsRow> lines_of(Summary const& summary, std::span<OperationWaiting const> list,
                               std::optional<std::size_t> top) {
  std::vector<WaitsRow> lines;
  auto const all = in_order(summary, list);
  for (OperationWaiting const* one : table::first_of(all, top)) lines.push_back({&summary, one});
  return lines;
}

std::vector<RankLine> lines_of_ranks(Summary const& summary, Waits const& waits, std::optional<std::size_t> top) {
  std::vector<RankLine> lines;
  for (WaitsRow const& one : lines_of(summary, waits.operations, {}))
    for (RankWaiting const& rank : one.one->by_rank)
      if (lines.size() < top.value_or(SIZE_MAX)) lines.push_back({one, &rank});
  return lines;
}

// The ranks, with what no rank causes and what is not known below them.
std::vector<CauseLine> lines_of_causes(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                                       std::optional<std::size_t> top) {
  constexpr double least_unknown = 0.01;
  std::vector<CauseLine> lines;
  double all_s = 0, pattern_s = 0;
  auto const add = [&](OperationWaiting const& one) {
    all_s += one.wait_s;
    pattern_s += one.pattern_share.value_or(0) * one.wait_s;
  };
  std::ranges::for_each(waits.operations, add);
  if (waits.in_finalize) add(*waits.in_finalize);
  double unknown_s = all_s - pattern_s;
  for (Cause const& one : causes) unknown_s -= one.caused_s;
  for (Cause const& one : table::first_of(causes, top)) lines.push_back({&summary, "rank", &one, one.caused_s, all_s});
  if (pattern_s > 0) lines.push_back({&summary, "pattern", nullptr, pattern_s, all_s});
  if (unknown_s > least_unknown * all_s) lines.push_back({&summary, "unknown", nullptr, unknown_s, all_s});
  return lines;
}

Note note_of_sum(Summary const& summary, OperationWaiting const& sum) {
  std::string const share = describe_share(sum);
  return {"Waiting", fmt::format("{} of {} in calls that may wait; {} of the MPI time",
                                 share == "-" ? format_seconds(sum.wait_s) : share, format_seconds(sum.time_s),
                                 format_share(share_of(sum.wait_s, summary.operations_s)))};
}

// The parts of the MPI time that are not waiting, or of which it is not known.
void add_rest(std::vector<Note>& notes, Summary const& summary, TimeInMpi const& time) {
  constexpr double least_told = 0.005;
  constexpr std::size_t most_named = 3;
  if (time.moving_s > 0)
    notes.emplace_back("Moving",
                       fmt::format("{} of the MPI time", format_share(share_of(time.moving_s, summary.operations_s))));
  std::vector<double> const& unknown_s = time.unknown_of_operation;
  std::vector<std::size_t> order(unknown_s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t place) { return unknown_s[place]; });
  double sum_s = 0;
  std::vector<std::string> named;
  for (std::size_t const place : order) {
    auto const share = share_of(unknown_s[place], summary.operations_s);
    if (share.value_or(0) < least_told) break;
    sum_s += unknown_s[place];
    if (named.size() < most_named) named.push_back(summary.operation_names[place]);
    else if (named.size() == most_named) named.push_back("...");
  }
  if (!named.empty())
    notes.emplace_back("Not known",
                       fmt::format("how much of {} of the MPI time is waiting: {}",
                                   format_share(share_of(sum_s, summary.operations_s)), fmt::join(named, ", ")));
}

void add_notes(std::vector<Note>& notes, Summary const& summary, Waits const& waits, bool has_shares) {
  TimeInMpi const time = split_time(summary, waits);
  if (time.waiting) notes.push_back(note_of_sum(summary, *time.waiting));
  if (waits.in_finalize && waits.in_finalize->has_enough_instants() && waits.in_finalize->last)
    notes.emplace_back("At the end",
                       fmt::format("{} in MPI_Finalize, for rank {} ({})", format_seconds(waits.in_finalize->wait_s),
                                   static_cast<std::uint32_t>(waits.in_finalize->last->rank),
                                   format_share(waits.in_finalize->last->share)));
  add_rest(notes, summary, time);
  std::vector<std::string> left_out;
  for (auto const& [kind, count] : summary.run.not_sampled)
    if (count > 0) left_out.push_back(describe_not_sampled(kind, count));
  if (!left_out.empty()) notes.emplace_back("Not sampled", fmt::format("{}", fmt::join(left_out, "; ")));
  if (has_shares && !std::ranges::all_of(waits.operations, &OperationWaiting::has_enough_instants))
    notes.emplace_back("Of the time", fmt::format("- where fewer than {} instants lie in the calls", fewest_instants));
}

constexpr std::string_view nothing_known = "No waiting is known in this selection.\n";

table::Table table_of_pairs(Summary const& summary, Waits const& waits, std::optional<std::size_t> top) {
  std::vector<WaitingPairLine> lines;
  for (PairWaiting const& one : table::first_of(waits.pairs, top)) lines.push_back({&summary, &one});
  table::Table table = table_of(view_of_pairs(), std::move(lines));
  table.hidden = waits.pairs.size() - table.lines;
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
  table::Table table = table_of(view_of_waits(is_pending), lines_of(summary, list, top));
  table.hidden = list.size() - table.lines;
  table.noun = "operation";
  table.in = In::people;
  return table;
}

// Programs have waiting and pending requests in one table.
std::vector<table::Table> tables_of_operations(Summary const& summary, Waits const& waits,
                                               std::optional<std::size_t> top) {
  constexpr std::size_t most_pairs = 10;  // unless `top` says how many
  std::vector<WaitsRow> all = lines_of(summary, waits.operations, top);
  std::ranges::copy(lines_of(summary, waits.pending, top), std::back_inserter(all));
  std::vector<table::Table> tables{table_of(view_of_waits(false), std::move(all)),
                                   table_of_waits(summary, waits.operations, false, top),
                                   table_of_pairs(summary, waits, top.value_or(most_pairs)), map_of_pairs(waits),
                                   table_of_waits(summary, waits.pending, true, top)};
  tables[0].in = In::data;
  tables[1].if_empty = nothing_known;
  return tables;
}

table::Table table_of_lines(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                            std::optional<std::size_t> top, WaitLines by) {
  if (by == WaitLines::pairs) return table_of_pairs(summary, waits, top);
  std::size_t all = causes.size();
  if (by == WaitLines::ranks)
    all = std::accumulate(waits.operations.begin(), waits.operations.end(), std::size_t{0},
                          [](std::size_t sum, OperationWaiting const& one) { return sum + one.by_rank.size(); });
  table::Table table = by == WaitLines::ranks
                           ? table_of(view_of_rank_waits(), lines_of_ranks(summary, waits, top))
                           : table_of(view_of_causes(summary), lines_of_causes(summary, waits, causes, top));
  table.hidden = all - std::min(all, top.value_or(all));
  if (by == WaitLines::causes) table.noun = "cause";
  return table;
}

}  // namespace

Document waiting(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                 Arrangement const& arrangement, WaitLines by) {
  Document document = document_of(summary);
  document.run["not_sampled"] = counts(summary.run.not_sampled);
  add_notes(document.notes, summary, waits, by == WaitLines::operations || by == WaitLines::ranks);
  if (by == WaitLines::operations) {
    document.tables = tables_of_operations(summary, waits, arrangement.top);
  } else {
    document.tables = {table_of_lines(summary, waits, causes, arrangement.top, by)};
    document.tables.front().if_empty = nothing_known;
  }
  return document;
}

}  // namespace mpisee_through
