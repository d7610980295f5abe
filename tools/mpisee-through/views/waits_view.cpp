// Shows a line for each call site and what it waits for; by rank: a line for each rank of these; by pair: who waits for
// whom; by cause: who makes others wait, and where.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_json, table::only_text, table::picks;

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

// The table of waiting and that of pending requests have some of them in text.
std::vector<table::Column<WaitsRow>> columns_of_waits() {
  static std::vector<table::Column<RankShare>> const rank_columns{
      {"rank", "", Kind::number, [](RankShare const& one) { return static_cast<std::uint32_t>(one.rank); }},
      {"share", "", Kind::share, &RankShare::share}};
  std::vector<table::Column<WaitsRow>> columns{
      {"comm", "", Kind::name, [](WaitsRow const& line) { return line.communicator().name; }},
      {"comm_size", "", Kind::count, [](WaitsRow const& line) { return line.communicator().size; }},
      {"op", "", Kind::name, [](WaitsRow const& line) { return line.summary->name_of(line.one->operation); }},
      {"kind", "", Kind::name, [](WaitsRow const& line) { return name_of(line.one->kind); }},
      {"awaited", "", Kind::name, [](WaitsRow const& line) { return awaited_in_words(line.one->kind); }, only_text},
      {"ranks", "", Kind::count, [](WaitsRow const& line) { return line.one->ranks; }},
      {"calls", "", Kind::count, [](WaitsRow const& line) { return line.one->calls; }},
      {"instants", "", Kind::count, [](WaitsRow const& line) { return line.one->instants; }},
      {"time_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->time_s; }},
      {"wait_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->wait_s; }},
      {"wait_share", "", Kind::share, [](WaitsRow const& line) { return line.one->share(); }},
      {"of_time", "", Kind::figure,
       [](WaitsRow const& line) {
         std::string const text = describe_share(*line.one);
         return table::ordered(text, text == "-" ? std::nullopt : line.one->share());
       },
       only_text},
      {"wait_error_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->error_s; }},
      {"unknown_share", "", Kind::share, [](WaitsRow const& line) { return line.one->unknown_share(); }},
      {"last", "", Kind::figure, awaited_rank, only_text},
      {"cause", "", Kind::figure, cause_in_words, only_text},
      {"at", "", Kind::name, [](WaitsRow const& line) { return place_of(line.site()); }, only_text}};
  add_columns(columns, rank_columns, [](WaitsRow const& line) { return line.one->last; },
              {table::Pick("rank").as("last_rank"), table::Pick("share").as("last_share")});
  add_columns(columns, rank_columns, [](WaitsRow const& line) { return line.cause(); },
              {table::Pick("rank").as("caused_by"), table::Pick("share").as("caused_share")});
  columns.push_back({"pattern_share", "", Kind::share, [](WaitsRow const& line) { return line.one->pattern_share; }});
  add_columns(
      columns, site_columns(), [](WaitsRow const& line) { return line.site(); }, picks("site, function, file, line"));
  return columns;
}

// titles: the columns of text, as picks.
table::View<WaitsRow> view_of_waits(std::string_view titles) {
  table::View<WaitsRow> view{.name = "waits", .columns = columns_of_waits(), .text = {}, .cut = cut_site};
  set_titles(view, picks(titles));
  return view;
}

constexpr std::string_view titles_of_waits =
    "comm=Communicator, op=Call, awaited=Waits for, ranks=Ranks, calls=Calls, time_s=Time, wait_s=Waiting, of_time=Of "
    "the time, last=For rank, cause=Caused by, unknown_share=Not known, at=At";
constexpr std::string_view titles_of_pending =
    "comm=Communicator, op=Call, ranks=Ranks, calls=Calls, time_s=Requests pending, wait_s=In MPI calls, of_time=Not "
    "overlapped, at=At";

struct RankLine {
  WaitsRow of;
  RankWaiting const* one;

  [[nodiscard]] std::optional<double> share() const { return share_of(one->wait_s, one->time_s); }
  [[nodiscard]] table::Value told_share() const { return are_enough(one->instants) ? share() : table::Value(); }
};

table::View<RankLine> view_of_rank_waits() {
  std::vector<table::Column<RankLine>> columns;
  add_columns(
      columns, columns_of_waits(), [](RankLine const& line) { return std::optional(line.of); },
      picks("comm=Communicator, op=Call, kind, site, awaited:Waits for"));
  columns.insert(
      columns.end(),
      {{"rank", "Rank", Kind::number, [](RankLine const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
       {"host", "Host", Kind::name, [](RankLine const& line) { return line.of.summary->host_of(line.one->rank); }},
       {"instants", "", Kind::count, [](RankLine const& line) { return line.one->instants; }},
       {"time_s", "Time", Kind::seconds, [](RankLine const& line) { return line.one->time_s; }},
       {"wait_s", "Waiting", Kind::seconds, [](RankLine const& line) { return line.one->wait_s; }},
       {"wait_share", "", Kind::share, &RankLine::share},
       {"of_time", "Of the time", Kind::share, &RankLine::told_share, only_text},
       {"at", "At", Kind::name, [](RankLine const& line) { return place_of(line.of.site()); }, only_text}});
  return {.name = "by_rank", .columns = std::move(columns), .text = {}, .cut = cut_site};
}

std::string_view awaited_act(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{"enter the call", "send",
                                                                                 "post its receive", "call MPI", ""};
  return words[static_cast<std::size_t>(kind)];
}

// The columns of pairs.
struct WaitingPairLine {
  Summary const* summary;
  PairWaiting const* one;
};

table::View<WaitingPairLine> view_of_pairs() {
  return {
      .name = "pairs",
      .columns =
          {{"comm", "Communicator", Kind::name,
            [](WaitingPairLine const& line) { return line.summary->communicator(line.one->communicator).name; }},
           {"op", "Call", Kind::name,
            [](WaitingPairLine const& line) { return line.summary->name_of(line.one->operation); }},
           {"kind", "", Kind::name, [](WaitingPairLine const& line) { return name_of(line.one->kind); }},
           {"rank", "Rank", Kind::number,
            [](WaitingPairLine const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
           {"host", "", Kind::name, [](WaitingPairLine const& line) { return line.summary->host_of(line.one->rank); }},
           {"for_rank", "Waits for", Kind::number,
            [](WaitingPairLine const& line) { return static_cast<std::uint32_t>(line.one->for_rank); }},
           {"to", "To", Kind::name, [](WaitingPairLine const& line) { return awaited_act(line.one->kind); }, only_text},
           {"wait_s", "Waiting", Kind::seconds, [](WaitingPairLine const& line) { return line.one->wait_s; }},
           {"wait_error_s", "Error", Kind::seconds, [](WaitingPairLine const& line) { return line.one->error_s; }}},
      .text = {"Rank", "Waits for", "To", "Waiting", "Error", "Communicator", "Call"}};
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

table::View<CauseLine> view_of_causes(Summary const& summary) {
  using Name = std::optional<std::string>;
  auto const call = [](CauseLine const& line) { return line.one ? std::optional(*line.one) : std::nullopt; };
  auto const comm = [&](Cause const& one) {
    return one.call ? Name(summary.communicator(one.call->communicator).name) : Name();
  };
  auto const op = [&](Cause const& one) {
    if (one.is_finalize) return Name("Finalize");
    return one.call ? Name(summary.name_of(one.call->operation)) : Name();
  };
  std::vector<table::Column<Cause>> const of_call{
      {"rank", "", Kind::number, [](Cause const& one) { return static_cast<std::uint32_t>(one.rank); }},
      {"host", "", Kind::name, [&summary](Cause const& one) { return summary.host_of(one.rank); }},
      {"comm", "", Kind::name, comm},
      {"op", "", Kind::name, op},
      {"caused_error_s", "", Kind::seconds, &Cause::error_s},
      {"direct_s", "", Kind::seconds, &Cause::direct_s}};
  std::vector<table::Column<CauseLine>> columns{
      {"cause", "", Kind::name, [](CauseLine const& line) { return line.kind; }},
      {"who", "Rank", Kind::figure, &CauseLine::who, only_text}};
  add_columns(columns, of_call, call, picks("rank, host, op=Does more before, comm=Communicator"));
  columns.push_back({"caused_s", "Causes", Kind::seconds, &CauseLine::caused_s});
  add_columns(columns, of_call, call, picks("caused_error_s=Error, direct_s=Directly"));
  columns.push_back({"caused_share", "Of all waiting", Kind::share,
                     [](CauseLine const& line) { return share_of(line.caused_s, line.all_s); }});
  columns.push_back({"at", "At", Kind::name, [](CauseLine const& line) { return place_of(line.site()); }, only_text});
  add_columns(
      columns, site_columns(), [](CauseLine const& line) { return line.site(); }, picks("site, function, file, line"));
  return {.name = "causes",
          .columns = std::move(columns),
          .text = {"Rank", "Causes", "Error", "Directly", "Of all waiting", "Does more before", "Communicator", "At"},
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

std::vector<WaitingPairLine> lines_of_pairs(Summary const& summary, Waits const& waits,
                                            std::optional<std::size_t> top) {
  std::vector<WaitingPairLine> lines;
  for (PairWaiting const& one : table::first_of(waits.pairs, top)) lines.push_back({&summary, &one});
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

void print_sum(std::ostream& out, Summary const& summary, OperationWaiting const& sum) {
  std::string const share = describe_share(sum);
  print_fact(out, "Waiting",
             fmt::format("{} of {} in calls that may wait; {} of the MPI time",
                         share == "-" ? format_seconds(sum.wait_s) : share, format_seconds(sum.time_s),
                         format_share(share_of(sum.wait_s, summary.operations_s))));
}

// The parts of the MPI time that are not waiting, or of which it is not known.
void print_rest(std::ostream& out, Summary const& summary, TimeInMpi const& time) {
  constexpr double least_told = 0.005;
  constexpr std::size_t most_named = 3;
  if (time.moving_s > 0)
    print_fact(out, "Moving",
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
    print_fact(out, "Not known",
               fmt::format("how much of {} of the MPI time is waiting: {}",
                           format_share(share_of(sum_s, summary.operations_s)), fmt::join(named, ", ")));
}

void print_sums_of_waits(std::ostream& out, Summary const& summary, Waits const& waits) {
  TimeInMpi const time = split_time(summary, waits);
  if (time.waiting) print_sum(out, summary, *time.waiting);
  if (waits.in_finalize && waits.in_finalize->has_enough_instants() && waits.in_finalize->last)
    print_fact(out, "At the end",
               fmt::format("{} in MPI_Finalize, for rank {} ({})", format_seconds(waits.in_finalize->wait_s),
                           static_cast<std::uint32_t>(waits.in_finalize->last->rank),
                           format_share(waits.in_finalize->last->share)));
  print_rest(out, summary, time);
}

// What was not measured.
void print_notes_on_waits(std::ostream& out, Summary const& summary) {
  std::vector<std::string> left_out;
  for (auto const& [kind, count] : summary.run.not_sampled) {
    if (count > 0) left_out.push_back(describe_not_sampled(kind, count));
  }
  if (!left_out.empty()) out << fmt::format("\nNot sampled: {}.\n", fmt::join(left_out, "; "));
}

// hidden: lines beyond --top.
AroundTable around_waits(Summary const& summary, Waits const& waits, WaitLines by, std::size_t hidden) {
  AroundTable around = around_tables(summary);
  around.members = [&summary] {
    return Json{{"run", head_of(summary)}, {"not_sampled", counts(summary.run.not_sampled)}};
  };
  around.above = [&](std::ostream& text) {
    print_head(text, summary);
    print_sums_of_waits(text, summary, waits);
    text << '\n';
  };
  around.if_empty = "No waiting is known in this selection.\n";
  bool const has_shares = by == WaitLines::operations || by == WaitLines::ranks;
  around.below = [&, by, hidden, has_shares](std::ostream& text) {
    constexpr std::array<std::string_view, 4> nouns{"operation", "line", "pair", "cause"};
    table::say_hidden(text, hidden, nouns[static_cast<std::size_t>(by)]);
    if (has_shares && !std::ranges::all_of(waits.operations, &OperationWaiting::has_enough_instants))
      text << fmt::format("\nOf the time is - where fewer than {} instants lie in the calls.\n", fewest_instants);
    print_notes_on_waits(text, summary);
  };
  return around;
}

// The pairs shown below the operations, unless --top says how many.
constexpr std::size_t most_pairs = 10;

void show_operations(std::ostream& out, Summary const& summary, Waits const& waits, Format format,
                     Arrangement const& arrangement) {
  auto const waiting = lines_of(summary, waits.operations, arrangement.top);
  auto const pending = lines_of(summary, waits.pending, arrangement.top);
  auto const view = view_of_waits(titles_of_waits), view_of_pending = view_of_waits(titles_of_pending);
  auto const pairs = lines_of_pairs(summary, waits, arrangement.top.value_or(most_pairs));
  auto const view_of_all_pairs = view_of_pairs();
  table::TextLayout const layout{.width = arrangement.width};
  std::size_t const hidden = waits.operations.size() + waits.pending.size() - waiting.size() - pending.size();
  AroundTable around = around_waits(summary, waits, WaitLines::operations, hidden);
  if (format == Format::csv || format == Format::json) {
    around.members = [&, before = around.members] {
      Json members = before();
      members["pairs"] = json_list(table_of(view_of_all_pairs, pairs));
      return members;
    };
    std::vector<WaitsRow> all = waiting;
    all.insert(all.end(), pending.begin(), pending.end());
    return show(out, format, table_of(view, all), around, layout);
  }
  std::vector<TablePart> parts{{table_of(view, waiting), layout, around.above, {}, around.if_empty}};
  auto const add = [&](table::Table const& table) {
    if (table.lines > 0) parts.push_back({table, layout});
  };
  add(table_of(view_of_all_pairs, pairs));
  if (pairs.size() < waits.pairs.size())
    parts.back().below = [&](std::ostream& text) {
      text << fmt::format("and {}: --by-pair\n", format_number_of(waits.pairs.size() - pairs.size(), "pair"));
    };
  add(table_of(view_of_pending, pending));
  parts.back().below = [&, above = parts.back().below](std::ostream& text) {
    if (above) above(text);
    around.below(text);
  };
  show_parts(out, format, parts);
}

}  // namespace

Json page_tables_of_waits(Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
                          std::optional<std::size_t> top) {
  auto const table = [](auto const& view, auto const& lines) { return page_table(table_of(view, lines)); };
  return {{"waits", table(view_of_waits(titles_of_waits), lines_of(summary, waits.operations, top))},
          {"causes", table(view_of_causes(summary),
                           causes.empty() ? std::vector<CauseLine>() : lines_of_causes(summary, waits, causes, top))},
          {"pairs", table(view_of_pairs(), lines_of_pairs(summary, waits, top))},
          {"pending", table(view_of_waits(titles_of_pending), lines_of(summary, waits.pending, top))}};
}

void show(std::ostream& out, Summary const& summary, Waits const& waits, std::vector<Cause> const& causes,
          Format format, Arrangement const& arrangement, WaitLines by) {
  auto const show_lines = [&](auto const& view, auto const& lines, std::size_t all) {
    std::size_t const hidden = all - std::min(all, arrangement.top.value_or(all));
    show(out, format, table_of(view, lines), around_waits(summary, waits, by, hidden), {.width = arrangement.width});
  };
  std::size_t ranks = 0;
  for (OperationWaiting const& one : waits.operations) ranks += one.by_rank.size();
  switch (by) {
    case WaitLines::operations:
      return show_operations(out, summary, waits, format, arrangement);
    case WaitLines::ranks:
      return show_lines(view_of_rank_waits(), lines_of_ranks(summary, waits, arrangement.top), ranks);
    case WaitLines::pairs:
      return show_lines(view_of_pairs(), lines_of_pairs(summary, waits, arrangement.top), waits.pairs.size());
    case WaitLines::causes:
      return show_lines(view_of_causes(summary), lines_of_causes(summary, waits, causes, arrangement.top),
                        causes.size());
  }
}

}  // namespace mpisee_through
