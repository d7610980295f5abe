#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findings/unevenness.hpp"
#include "summary/operation_kind.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using namespace align;

RankTimes const& times_of(Summary const& summary, RankSummary const& one) {
  return summary.times_of_rank[static_cast<std::size_t>(one.rank)];
}

std::string number_of(RankSummary const& one) { return fmt::format("{}", static_cast<std::uint32_t>(one.rank)); }

// The wall time of a rank as a bar, in proportion to the longest of all: what it does outside MPI, then waiting, then
// the rest of MPI.
std::string stacked_bar(RankTimes const& times, double wait_s, double longest_s) {
  constexpr double full = 20;
  if (longest_s <= 0) return "";
  std::string bar;
  auto const fill_to = [&](double time_s, char mark) {
    auto const end = static_cast<std::size_t>(std::round(full * std::min(time_s / longest_s, 1.0)));
    bar.resize(std::max(bar.size(), end), mark);
  };
  double const outside_s = times.useful_s();
  fill_to(outside_s, '#');
  fill_to(std::min(outside_s + wait_s, times.wall_s), ':');
  fill_to(times.wall_s, '=');
  return bar;
}

// Of ranks that are not slow, the longest time outside MPI is close to the mean.
std::string slow_rank_in_words(Summary const& summary) {
  Efficiency const& efficiency = summary.efficiency;
  if (!has_uneven_work(efficiency)) {
    return efficiency.load_balance() && efficiency.ranks() > 1
               ? fmt::format("no rank: load balance is {}", format_share(efficiency.load_balance()))
               : "";
  }
  auto const useful_s = [&](RankSummary const& one) { return times_of(summary, one).useful_s(); };
  auto const slowest = std::ranges::max_element(summary.ranks, {}, useful_s);
  std::size_t const slow = busy_ranks(summary).size();
  std::string const more = slow > 1 ? fmt::format(" and {} more", slow - 1) : "";
  return fmt::format("rank {}{}: {} outside MPI, the mean of all is {}; the others wait for {}", number_of(*slowest),
                     more, format_seconds(efficiency.useful_max_s()), format_seconds(efficiency.useful_mean_s()),
                     slow > 1 ? "them" : "it");
}

struct SelectedCalls {
  std::size_t communicators = 0;
  CommunicatorSummary const* communicator = nullptr;  // the last one
  std::optional<TimeWords> words;                     // if all operations have the same
};

SelectedCalls look_at_calls(Summary const& summary) {
  SelectedCalls calls;
  bool differs = false;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    if (!communicator.selected || communicator.operations.empty()) continue;
    ++calls.communicators;
    calls.communicator = &communicator;
    for (OperationSummary const& operation : communicator.operations) {
      TimeWords const words = time_words(summary.name_of(operation.operation));
      differs |= calls.words && *calls.words != words;
      calls.words = words;
    }
  }
  if (differs) calls.words = {"spends most time", ""};
  return calls;
}

// What the ranks with most and least time in the selected calls do; empty if ranks hardly differ.
std::string extremes_in_words(Summary const& summary) {
  SelectedCalls const calls = look_at_calls(summary);
  std::vector<RankSummary> callers;
  for (RankSummary const& one : summary.ranks) {
    if (one.totals.calls > 0) callers.push_back(one);
  }
  if (callers.size() < 2 || !calls.words) return "";
  auto const time_s = [](RankSummary const& one) { return one.totals.time_s; };
  auto const [least, most] = std::ranges::minmax_element(callers, {}, time_s);
  if (!differ_much(time_s(*least), time_s(*most))) return "";
  std::string text = fmt::format("rank {} {}: {}", number_of(*most), calls.words->most, format_seconds(time_s(*most)));
  // Who comes last is known of one communicator with all its ranks.
  bool const is_of_all = calls.communicators == 1 && callers.size() == calls.communicator->size;
  if (is_of_all && !calls.words->least.empty())
    text += fmt::format("; rank {} {}: {}", number_of(*least), calls.words->least, format_seconds(time_s(*least)));
  return text;
}

// The wall time of ranks, and what it consists of.
class WholeRanks {
 public:
  WholeRanks(Summary const& summary, RankWaitTimes const& waits) : summary_(summary), waits_(waits) {
    for (RankSummary const& one : summary.ranks) {
      longest_s_ = std::max(longest_s_, times_of(summary, one).wall_s);
      knows_queues_ |= times_of(summary, one).queued_s.has_value();
    }
  }

  void print_words(std::ostream& out) const {
    if (std::string const text = slow_rank_in_words(summary_); !text.empty()) print_fact(out, "Slow", text);
    print_fact(out, "Bars",
               has_waits() ? "# outside MPI, : waiting for others in collectives, = other MPI time"
                           : "# outside MPI, = in MPI");
    if (knows_queues_) print_fact(out, "Queued", "of the wall time, ready to run, without a processor");
  }

  [[nodiscard]] std::vector<Columns::Column> titles() const {
    std::vector<Columns::Column> titles{{"Rank", right},        {"Host", left},      {"Wall time", right},
                                        {"Outside MPI", right}, {"MPI time", right}, {"In MPI", right}};
    if (has_waits()) titles.push_back({"Waiting", right});
    if (knows_queues_) titles.push_back({"Queued", right});
    titles.insert(titles.end(), {{"Volume", right}, {"Calls", right}, {"Of the longest", left}});
    return titles;
  }

  [[nodiscard]] std::vector<std::string> cells(RankSummary const& one) const {
    RankTimes const& times = times_of(summary_, one);
    std::optional<double> const wait_s = wait_of(waits_, one.rank);
    std::vector<std::string> cells{number_of(one),
                                   summary_.host_of(one.rank),
                                   format_seconds(times.wall_s),
                                   format_seconds(times.useful_s()),
                                   format_seconds(times.mpi_s),
                                   format_share(times.mpi_share())};
    if (has_waits()) cells.push_back(format_seconds(wait_s));
    if (knows_queues_) cells.push_back(format_share(times.queued_share()));
    cells.insert(cells.end(), {format_bytes(one.totals.bytes()), format_count(one.totals.calls),
                               stacked_bar(times, wait_s.value_or(0), longest_s_)});
    return cells;
  }

 private:
  [[nodiscard]] bool has_waits() const { return !waits_.empty(); }

  Summary const& summary_;
  RankWaitTimes const& waits_;
  double longest_s_ = 0;
  bool knows_queues_ = false;
};

// The time of ranks in selected calls.
class RanksInCalls {
 public:
  explicit RanksInCalls(Summary const& summary) : summary_(summary) {
    for (RankSummary const& one : summary.ranks) longest_s_ = std::max<double>(longest_s_, one.totals.time_s);
  }

  void print_words(std::ostream& out) const {
    if (std::string const text = extremes_in_words(summary_); !text.empty()) print_fact(out, "Time", text);
  }

  [[nodiscard]] static std::vector<Columns::Column> titles() {
    return {{"Rank", right}, {"Host", left},    {"Wall time", right}, {"MPI time", right},     {"In MPI", right},
            {"Time", right}, {"Volume", right}, {"Calls", right},     {"Of the longest", left}};
  }

  [[nodiscard]] std::vector<std::string> cells(RankSummary const& one) const {
    auto const nanoseconds = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); };
    RankTimes const& times = times_of(summary_, one);
    return {number_of(one),
            summary_.host_of(one.rank),
            format_seconds(times.wall_s),
            format_seconds(times.mpi_s),
            format_share(times.mpi_share()),
            format_seconds(one.totals.time_s),
            format_bytes(one.totals.bytes()),
            format_count(one.totals.calls),
            format_bar(nanoseconds(one.totals.time_s), nanoseconds(longest_s_))};
  }

 private:
  Summary const& summary_;
  double longest_s_ = 0;
};

template <class Ranks>
void print(std::ostream& out, Summary const& summary, Ranks const& ranks, RanksLayout const& layout) {
  std::vector<RankSummary> const shown = ranks_to_list(summary, layout);
  ranks.print_words(out);
  out << '\n';
  Columns columns(0, ranks.titles());
  for (RankSummary const& one : shown) columns.fit(ranks.cells(one));
  columns.cut(1, layout.arrangement.width);
  columns.print_titles(out);
  for (RankSummary const& one : shown) columns.print(out, ranks.cells(one));
  if (shown.size() < summary.ranks.size()) {
    out << "\nNot shown, beyond --top: " << format_number_of(summary.ranks.size() - shown.size(), "rank") << ".\n";
  }
}

}  // namespace

std::vector<RankSummary> ranks_to_list(Summary const& summary, RanksLayout const& layout) {
  return arrange_ranks(summary, layout.arrangement,
                       layout.has_whole_ranks ? RankOrder::time_outside : RankOrder::time_in_calls);
}

std::optional<double> wait_of(RankWaitTimes const& waits, WorldRank rank) {
  return waits.empty() ? std::nullopt : std::optional(waits[static_cast<std::size_t>(rank)]);
}

void print_ranks(std::ostream& out, Summary const& summary, RankWaitTimes const& waits, RanksLayout const& layout) {
  if (layout.has_whole_ranks) return print(out, summary, WholeRanks(summary, waits), layout);
  print(out, summary, RanksInCalls(summary), layout);
}

}  // namespace mpisee_through
