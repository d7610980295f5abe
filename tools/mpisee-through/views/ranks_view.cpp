// Shows a line for each rank, and above them a sentence about the slowest one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

std::string number_of(RankSummary const& one) { return fmt::format("{}", static_cast<std::uint32_t>(one.rank)); }

// The marks of the classes of an account, in its order.
constexpr std::array<char, account_classes.size()> marks{'#', '~', ':', '-', '=', '='};

// What a rank does with its wall time, the mean over its threads. All calls are others if the profile has no accounts.
Account account_of(RankTimes const& times) {
  Account account;
  if (!times.account) return {.work_s = times.outside_mpi_s(), .other_s = times.mpi_of_thread_s()};
  for (AccountClass const& one : account_classes) account.*one.time_s = *times.account.*one.time_s / times.threads;
  return account;
}

// A rank's wall time as a bar, in proportion to the longest, with a part for each class of its account.
std::string stacked_bar(Account const& account, double longest_s) {
  constexpr double full = 20;
  std::string bar;
  double until_s = 0;
  for (std::size_t i = 0; longest_s > 0 && i < marks.size(); ++i) {
    until_s += account.*account_classes[i].time_s;
    auto const end = static_cast<std::size_t>(std::round(full * std::min(until_s / longest_s, 1.0)));
    bar.resize(std::max(bar.size(), end), marks[i]);
  }
  return bar;
}

// The ranks that compute longest, and what that costs at most. Empty for a single rank.
std::string slow_rank_in_words(Summary const& summary) {
  Efficiency const& efficiency = summary.efficiency;
  std::vector<std::uint32_t> const busy = busy_ranks(summary);
  if (efficiency.ranks() < 2 || !efficiency.load_balance() || busy.empty()) return "";
  double const lost_s = efficiency.useful_max_s() - efficiency.useful_mean_s();
  return fmt::format("{}: {} of work at most, the mean of all is {}; that costs {} of the run at most",
                     ranks_in_words(busy), format_seconds(efficiency.useful_max_s()),
                     format_seconds(efficiency.useful_mean_s()),
                     format_share(share_of(lost_s, efficiency.wall_max_s())));
}

struct RanksRow {
  Summary const* summary;
  RankSummary one;
  double longest_s;  // over all ranks: the wall time, or the time in selected calls

  [[nodiscard]] RankTimes const& times() const { return summary->times_of(one.rank); }
  [[nodiscard]] Account account() const { return account_of(times()); }
};

// Which columns text has: the ranks' whole time and its parts, or the time in selected calls.
struct Shown {
  bool whole_ranks, waits, moves, causes, queues, threads;

  // The column of what a rank causes has the room of calls.
  [[nodiscard]] bool calls() const { return !whole_ranks || !causes; }
};

table::View<RanksRow> view_of_ranks(Shown const& shown) {
  auto const whole = [&](char const* title) { return shown.whole_ranks ? title : ""; };
  std::vector<table::Column<RanksRow>> columns{
      {"rank", "Rank", Kind::number, [](RanksRow const& line) { return static_cast<std::uint32_t>(line.one.rank); }},
      {"host", "Host", Kind::name, [](RanksRow const& line) { return line.summary->host_of(line.one.rank); }},
      {"wall_s", "Wall time", Kind::seconds, [](RanksRow const& line) { return line.times().wall_s; }},
      {"mpi_s", "MPI time", Kind::seconds, [](RanksRow const& line) { return line.times().mpi_s; }},
      {"mpi_share", "In MPI", Kind::share, [](RanksRow const& line) { return line.times().mpi_share(); }}};
  auto const& cost = cost_columns();
  add_columns(columns,
              [](RanksRow const& line) {
                return line.summary->lists.contains(by_rank) ? std::optional(CallCosts{line.summary, &line.one.totals})
                                                             : std::nullopt;
              },
              {cost.calls.titled(shown.calls() ? "Calls" : ""), cost.bytes_sent, cost.bytes_received, cost.volume,
               cost.time_s.titled(shown.whole_ranks ? "" : "Time")});
  columns.insert(columns.end(),
                 {{"outside_mpi_s", whole("Outside MPI"), Kind::seconds,
                   [](RanksRow const& line) { return line.times().outside_mpi_s(); }},
                  {"wait_s", shown.waits ? whole("Waiting") : "", Kind::seconds,
                   [](RanksRow const& line) { return line.times().waiting_s; }},
                  {"cpu_s", "", Kind::seconds, [](RanksRow const& line) { return line.times().cpu_s; }},
                  {"queued_s", "", Kind::seconds, [](RanksRow const& line) { return line.times().queued_s; }},
                  {"threads", shown.threads ? whole("Threads") : "", Kind::count,
                   [](RanksRow const& line) { return static_cast<std::uint64_t>(line.times().threads); }},
                  {"max_rss_bytes", "", Kind::bytes, [](RanksRow const& line) { return line.times().max_rss_bytes; }},
                  {"move_s", shown.moves ? whole("Moving") : "", Kind::seconds,
                   [](RanksRow const& line) {
                     return line.times().account ? std::optional(line.times().account->moving_s) : std::nullopt;
                   }},
                  {"caused_s", shown.causes ? whole("Caused") : "", Kind::seconds,
                   [](RanksRow const& line) { return line.times().caused_s; }},
                  {"queued", shown.queues ? whole("Queued") : "", Kind::share,
                   [](RanksRow const& line) { return line.times().queued_share(); }, In::people},
                  {"bar", "Of the longest", Kind::bar,
                   [is_whole = shown.whole_ranks](RanksRow const& line) {
                     return is_whole ? stacked_bar(line.account(), line.longest_s)
                                     : draw_bar(share_of(line.one.totals.time_s, line.longest_s).value_or(0));
                   },
                   In::people}});
  std::vector<std::string_view> titles;
  for (std::string_view const title : {"Rank", "Host", "Wall time", "Threads", "Outside MPI", "MPI time", "In MPI",
                                       "Time", "Waiting", "Moving", "Caused", "Queued", "Volume", "Calls"})
    if (std::ranges::find(columns, title, &table::Column<RanksRow>::title) != columns.end()) titles.push_back(title);
  return {.name = "ranks", .columns = std::move(columns), .titles = std::move(titles), .cut = {.title = "Host"}};
}

// Neighbouring ranks, as a bar of what they do on average.
struct RankBar {
  std::string ranks;
  std::uint32_t first;
  Account mean{};
};

table::Table table_of_bars(std::vector<RanksRow> const& rows) {
  constexpr std::size_t most_bars = 512;
  std::vector<RankBar> bars;
  Account all;
  std::size_t const every = std::max<std::size_t>((rows.size() + most_bars - 1) / most_bars, 1);
  for (std::size_t begin = 0; begin < rows.size(); begin += every) {
    auto const group = std::span(rows).subspan(begin, std::min(every, rows.size() - begin));
    std::string const last = group.size() > 1 ? "-" + number_of(group.back().one) : "";
    RankBar& bar = bars.emplace_back(
        RankBar{number_of(group.front().one) + last, static_cast<std::uint32_t>(group.front().one.rank)});
    for (RanksRow const& row : group) bar.mean += row.account();
    all += bar.mean;
    for (AccountClass const& one : account_classes) bar.mean.*one.time_s /= static_cast<double>(group.size());
  }
  table::View<RankBar> view{.name = "bars",
                            .columns = {{"ranks", every > 1 ? "Ranks" : "Rank", Kind::figure,
                                         [](RankBar const& bar) { return table::ordered(bar.ranks, bar.first); }}}};
  std::vector<std::string> stack;
  for (auto const& [name, key, part] : account_classes) {
    if (all.*part <= 0) continue;
    stack.emplace_back(key);
    std::string title(name);
    title.front() = static_cast<char>(title.front() & ~0x20);
    view.columns.push_back(
        {stack.back(), title, Kind::seconds, [part = part](RankBar const& bar) { return bar.mean.*part; }});
  }
  table::Table table = table_of(view, std::move(bars));
  table.in = In::page;
  table.title = "What each rank does with its time";
  if (every > 1) table.title += fmt::format(": means of {} neighbours", every);
  table.noun = "bar";
  table.drawing = {{"as", "bars"}, {"of", "ranks"}, {"upright", true}, {"stack", stack}};
  return table;
}

void add_words(Document& document, Summary const& summary, Shown const& shown) {
  if (!shown.whole_ranks) {
    if (shown.waits)
      document.notes.emplace_back("Waiting", "--waits shows how much of the time in these calls, and for whom");
    return;
  }
  if (std::string const text = slow_rank_in_words(summary); !text.empty()) document.notes.emplace_back("Slow", text);
  document.head.emplace_back("Bars", summary.account ? "# work, ~ without a processor, : waiting for others, - moving "
                                                       "data, = other MPI calls, and what is not known"
                                                     : "# outside MPI, = in MPI");
  if (shown.causes)
    document.head.emplace_back("Caused", "waiting of others; --waits --by cause shows before which calls");
  if (shown.queues) document.head.emplace_back("Queued", "of the wall time, ready to run, without a processor");
}

}  // namespace

Document ranks(Summary const& summary, Arrangement const& arrangement, bool has_whole_ranks) {
  Shown const shown{has_whole_ranks,
                    summary.is_known(&RankTimes::waiting_s),
                    summary.account.has_value(),
                    summary.is_known(&RankTimes::caused_s),
                    summary.is_known(&RankTimes::queued_s),
                    summary.threads_wall_s > summary.wall_s};
  double longest_s = 0;
  for (RankSummary const& one : summary.ranks)
    longest_s = std::max(longest_s, shown.whole_ranks ? summary.times_of(one.rank).wall_s : double{one.totals.time_s});
  auto const row_of = [&](RankSummary const& one) { return RanksRow{&summary, one, longest_s}; };
  std::vector<RanksRow> lines, in_order;
  std::ranges::transform(summary.ranks, std::back_inserter(in_order), row_of);
  lines = in_order;
  // SortKey::name sorts by rank; SortKey::size and imbalance sort like time.
  std::ranges::stable_sort(lines, std::ranges::greater{}, [&](RanksRow const& row) {
    SortValues values = sort_values(row.one.totals);
    if (shown.whole_ranks) values.time_s = row.times().outside_mpi_s();
    return weight_of(values, arrangement.key);
  });
  Document document = document_of(summary);
  add_words(document, summary, shown);
  if (has_whole_ranks) document.tables.push_back(table_of_bars(in_order));
  table::Table& table = document.tables.emplace_back(table_of(view_of_ranks(shown), std::move(lines), arrangement.top));
  table.noun = "rank";
  return document;
}

}  // namespace mpisee_through
