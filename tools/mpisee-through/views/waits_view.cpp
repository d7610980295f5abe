// Shows a line for each sampled collective operation on a communicator; by rank: a block for each operation with a line
// for each rank.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "profile/schema.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Bound, table::Kind, table::only_csv, table::only_json, table::only_text, table::picks;

struct WaitsRow {
  Summary const* summary;
  OperationWaiting const* one;

  [[nodiscard]] CommunicatorSummary const& communicator() const { return summary->communicator(one->communicator); }
  // The site with most of the operation's time.
  [[nodiscard]] std::optional<SiteRef> site() const {
    SiteTotals const* const most = main_site(*summary, summary_of(*summary, *one));
    return most == nullptr ? std::nullopt : std::optional(SiteRef{summary, most->site});
  }
};

// The value as the upper bound that waiting without a common clock is.
table::Value waiting_of(OperationWaiting const& one, table::Value value) {
  return bounded(std::move(value), one.is_upper_bound ? Bound::at_most : Bound::none);
}

std::string_view how(WaitsRow const& line) {
  return line.one->is_upper_bound ? commprof::schema::how_durations : commprof::schema::how_entries;
}

std::string with_share(std::optional<Latecomer> const& last) {
  return last ? fmt::format("{} ({})", static_cast<std::uint32_t>(last->rank), format_share(last->share)) : "-";
}

std::string main_place(WaitsRow const& line) {
  auto const site = line.site();
  if (!site) return "-";
  std::string const place = line.summary->site_names->line(line.summary->site(site->site));
  std::size_t const sites = summary_of(*line.summary, *line.one).sites.size();
  return sites == 1 ? place : fmt::format("{} +{}", place, format_count(sites - 1));
}

table::View<WaitsRow> view_of_waits() {
  std::vector<table::Column<WaitsRow>> columns{
      {"comm", "Communicator", Kind::name, [](WaitsRow const& line) { return line.communicator().name; }},
      {"comm_size", "Size", Kind::count, [](WaitsRow const& line) { return line.communicator().size; }},
      {"op", "Call", Kind::name, [](WaitsRow const& line) { return line.summary->name_of(line.one->operation); }},
      {"ranks", "", Kind::count, [](WaitsRow const& line) { return line.one->ranks; }},
      {"calls", "Calls", Kind::count, [](WaitsRow const& line) { return line.one->calls; }},
      {"samples", "", Kind::count, [](WaitsRow const& line) { return line.one->samples; }},
      {"how", "", Kind::name, how},
      {"time_s", "Time", Kind::seconds, [](WaitsRow const& line) { return line.one->time_s; }},
      {.key = "wait_s",
       .title = "Waiting",
       .kind = Kind::seconds,
       .value = [](WaitsRow const& line) { return waiting_of(*line.one, line.one->wait_s); },
       .has_bounds = true},
      {.key = "wait_share",
       .title = "",
       .kind = Kind::share,
       .value = [](WaitsRow const& line) { return waiting_of(*line.one, line.one->share()); },
       .has_bounds = true},
      {"of_time", "Of the time", Kind::figure, [](WaitsRow const& line) { return describe_share(*line.one); },
       only_text},
      {"wait_error_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->error_s; }},
      {"move_s", "Moving", Kind::seconds, [](WaitsRow const& line) { return line.one->move_s; }},
      {"rest_s", "", Kind::seconds, [](WaitsRow const& line) { return line.one->rest_s; }},
      {"last", "Comes last", Kind::figure, [](WaitsRow const& line) { return with_share(line.one->last); }, only_text},
      {"at", "At", Kind::name, main_place, only_text}};
  auto const last = [](WaitsRow const& line) { return line.one->last; };
  static std::vector<table::Column<Latecomer>> const last_columns{
      {"last_rank", "", Kind::number, [](Latecomer const& one) { return static_cast<std::uint32_t>(one.rank); }},
      {"last_share", "", Kind::share, &Latecomer::share},
      {"late_s", "Late by", Kind::seconds, &Latecomer::late_s}};
  add_columns(columns, last_columns, last, "last_rank, last_share, late_s=Late by");
  add_columns(
      columns, site_columns(), [](WaitsRow const& line) { return line.site(); }, picks("site, function, file, line"));
  return {.name = "waits",
          .columns = std::move(columns),
          .text = {"Communicator", "Size", "Call", "Calls", "Time", "Waiting", "Of the time", "Moving", "Comes last",
                   "Late by", "At"},
          .cut = {.title = "At", .is_site = true}};
}

// CSV repeats only the operation's name in the lines of its ranks.
table::View<WaitsRow> view_of_waiting_blocks() {
  table::View<WaitsRow> view = view_of_waits();
  for (auto& column : view.columns) {
    bool const is_name = column.key == "comm" || column.key == "op";
    if (!is_name && column.data == table::Heading::Data::both) column.data = only_json;
  }
  return view;
}

struct RankLine {
  Summary const* summary;
  OperationWaiting const* operation;
  RankWaiting const* one;
  double longest_s;  // over all ranks of the operation

  // Only a common clock tells who comes last.
  [[nodiscard]] bool knows_last() const { return !operation->is_upper_bound; }
};

table::View<RankLine> view_of_rank_waits() {
  auto const nanoseconds = [](double time_s) { return static_cast<std::uint64_t>(time_s * 1e9); };
  return {.name = "by_rank",
          .columns = {{"rank", "Rank", Kind::number,
                       [](RankLine const& line) { return static_cast<std::uint32_t>(line.one->rank); }},
                      {"host", "Host", Kind::name,
                       [](RankLine const& line) { return line.summary->host_of(line.one->rank); }},
                      {"samples", "", Kind::count, [](RankLine const& line) { return line.one->samples; }},
                      {"time_s", "Time", Kind::seconds, [](RankLine const& line) { return line.one->time_s; }},
                      {.key = "wait_s",
                       .title = "Waiting",
                       .kind = Kind::seconds,
                       .value = [](RankLine const& line) { return waiting_of(*line.operation, line.one->wait_s); },
                       .has_bounds = true},
                      {.key = "wait_share",
                       .title = "Of the time",
                       .kind = Kind::share,
                       .value =
                           [](RankLine const& line) {
                             return waiting_of(*line.operation, share_of(line.one->wait_s, line.one->time_s));
                           },
                       .has_bounds = true},
                      {"last", "", Kind::count,
                       [](RankLine const& line) {
                         return line.knows_last() ? std::optional(line.one->last) : std::nullopt;
                       }},
                      {"last_share", "Comes last", Kind::share,
                       [](RankLine const& line) {
                         if (!line.knows_last()) return std::optional<double>();
                         return share_of(static_cast<double>(line.one->last), static_cast<double>(line.one->samples));
                       }},
                      {"bar", "Of the longest", Kind::bar,
                       [nanoseconds](RankLine const& line) {
                         return format_bar(nanoseconds(line.one->wait_s), nanoseconds(line.longest_s));
                       },
                       only_text}},
          .text = {"Rank", "Host", "Comes last", "Time", "Waiting", "Of the time", "Of the longest"}};
}

void print_sum(std::ostream& out, Summary const& summary, Waiting const& sum) {
  print_fact(out, "Waiting",
             fmt::format("{} of {} in sampled collectives; {}{} of the MPI time", describe_share(sum),
                         format_seconds(sum.time_s), sum.is_upper_bound ? "at most " : "",
                         format_share(share_of(sum.wait_s, summary.operations_s))));
}

// The parts of the MPI time that are not waiting, or of which it is not known.
void print_rest(std::ostream& out, Summary const& summary, Waits const& waits) {
  constexpr double least_told = 0.005;
  constexpr std::size_t most_named = 3;
  double move_s = 0, rest_s = 0;
  std::vector<double> unmeasured_s(summary.operation_names.size(), 0.0);
  for (CommunicatorSummary const& communicator : summary.communicators)
    for (OperationSummary const& one : communicator.operations)
      unmeasured_s[static_cast<std::size_t>(one.operation)] += double{one.totals.time_s};
  for (OperationWaiting const& one : waits.operations) {
    move_s += one.move_s.value_or(0);
    rest_s += one.rest_s.value_or(0);
    unmeasured_s[static_cast<std::size_t>(one.operation)] -= one.time_s;
  }
  if (move_s + rest_s > 0)
    print_fact(out, "Moving",
               fmt::format("{} of the MPI time; delays within these calls {}",
                           format_share(share_of(move_s, summary.operations_s)),
                           format_share(share_of(rest_s, summary.operations_s))));
  std::vector<std::size_t> order(unmeasured_s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t place) { return unmeasured_s[place]; });
  double sum_s = 0;
  std::vector<std::string> named;
  for (std::size_t const place : order) {
    auto const share = share_of(unmeasured_s[place], summary.operations_s);
    if (share.value_or(0) < least_told) break;
    sum_s += unmeasured_s[place];
    if (named.size() < most_named) named.push_back(summary.operation_names[place]);
    else if (named.size() == most_named) named.push_back("...");
  }
  if (!named.empty())
    print_fact(out, "Not known",
               fmt::format("how much of {} of the MPI time is waiting: {}",
                           format_share(share_of(sum_s, summary.operations_s)), fmt::join(named, ", ")));
}

std::string describe_left_out(std::string const& kind, std::uint64_t count) {
  if (kind == "folded") return format_number_of(count, "call") + " on communicators that share a record";
  if (kind == "intercommunicators") return format_number_of(count, "call") + " on intercommunicators";
  if (kind == "incomplete") return format_number_of(count, "instance") + " that not all ranks have a record of";
  if (kind == "disagreeing") return format_number_of(count, "call") + " after one that failed on some ranks only";
  return fmt::format("{}: {}", kind, format_count(count));
}

void print_notes(std::ostream& out, Summary const& summary, Waits const& waits) {
  bool const has_bounds = std::ranges::any_of(waits.operations, &OperationWaiting::is_upper_bound);
  if (has_bounds) {
    out << "\nAt most: there is no common clock, so waiting is what calls take beyond the shortest of each "
           "instance.\n";
  }
  std::vector<std::string> left_out;
  for (auto const& [kind, count] : summary.run.not_sampled) {
    if (count > 0) left_out.push_back(describe_left_out(kind, count));
  }
  if (!left_out.empty()) out << fmt::format("\nNot sampled: {}.\n", fmt::join(left_out, "; "));
}

void show_by_rank(std::ostream& out, Format format, Summary const& summary, std::vector<RankWaits> const& blocks,
                  AroundTable const& around) {
  std::vector<WaitsRow> operations;
  std::vector<RankLine> ranks;
  std::vector<std::size_t> begin;
  for (RankWaits const& block : blocks) {
    operations.push_back({&summary, block.operation});
    begin.push_back(ranks.size());
    double longest_s = 0;
    for (RankWaiting const& rank : block.operation->by_rank) longest_s = std::max(longest_s, rank.wait_s);
    for (RankWaiting const& rank : block.ranks) ranks.push_back({&summary, block.operation, &rank, longest_s});
  }
  auto const outer = view_of_waiting_blocks();
  auto const inner = view_of_rank_waits();
  auto const heading = [&](std::size_t block) { return waiting_in_words(summary, *blocks[block].operation) + ".\n"; };
  auto const footing = [&](std::size_t block) {
    std::size_t const hidden = blocks[block].operation->by_rank.size() - blocks[block].ranks.size();
    return hidden > 0 ? fmt::format("  Not shown, beyond --top: {}.\n", format_number_of(hidden, "rank")) : "";
  };
  show(out, format, {table_of(outer, operations), table_of(inner, ranks), begin, heading, footing}, around,
       {.indent = 2});
}

}  // namespace

void show(std::ostream& out, Summary const& summary, Waits const& waits, Format format, Arrangement const& arrangement,
          bool by_rank) {
  auto const blocks = by_rank ? arrange_rank_waits(summary, waits, arrangement) : std::vector<RankWaits>();
  std::vector<WaitsRow> lines;
  if (!by_rank)
    for (OperationWaiting const* one : arrange_waits(summary, waits.operations, arrangement))
      lines.push_back({&summary, one});
  AroundTable around = around_tables(summary);
  around.members = [&] { return Json{{"run", head_of(summary)}, {"not_sampled", counts(summary.run.not_sampled)}}; };
  around.above = [&](std::ostream& text) {
    print_head(text, summary);
    if (auto const sum = waits.in_all()) print_sum(text, summary, *sum);
    print_rest(text, summary, waits);
    text << '\n';
  };
  around.if_empty = "No sampled collective operations in this selection.\n";
  around.below = [&](std::ostream& text) {
    table::say_hidden(text, waits.operations.size() - (by_rank ? blocks.size() : lines.size()), "operation");
    print_notes(text, summary, waits);
  };
  if (by_rank) return show_by_rank(out, format, summary, blocks, around);
  auto const view = view_of_waits();
  show(out, format, table_of(view, lines), around, {.width = arrangement.width});
}

}  // namespace mpisee_through
