#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "summary/sites.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using namespace align;

std::string number_of(WorldRank rank) { return fmt::format("{}", static_cast<std::uint32_t>(rank)); }

std::string at(Summary const& summary, OperationWaiting const& one) {
  OperationSummary const& operation = summary_of(summary, one);
  SiteTotals const* const most = main_site(summary, operation);
  if (most == nullptr) return "-";
  std::string const line = summary.site_names->line(summary.site(most->site));
  return operation.sites.size() == 1 ? line : fmt::format("{} +{}", line, format_count(operation.sites.size() - 1));
}

std::vector<std::string> cells(Summary const& summary, OperationWaiting const& one) {
  CommunicatorSummary const& communicator = summary.communicator(one.communicator);
  bool const is_late = one.last && one.last->late_s;
  return {communicator.name,
          format_count(communicator.size),
          summary.name_of(one.operation),
          format_count(one.calls),
          format_seconds(one.time_s),
          format_seconds(one.wait_s),
          describe_share(one),
          format_seconds(one.move_s),
          one.last ? fmt::format("{} ({})", number_of(one.last->rank), format_share(one.last->share)) : "-",
          is_late ? format_seconds(*one.last->late_s) : "-",
          at(summary, one)};
}

void print_operations(std::ostream& out, Summary const& summary, std::vector<OperationWaiting const*> const& shown,
                      std::size_t width) {
  Columns columns(0, {{"Communicator", left},
                      {"Size", right},
                      {"Call", left},
                      {"Calls", right},
                      {"Time", right},
                      {"Waiting", right},
                      {"Of the time", right},
                      {"Moving", right},
                      {"Comes last", right},
                      {"Late by", right},
                      {"At", left}});
  for (OperationWaiting const* one : shown) columns.fit(cells(summary, *one));
  columns.cut(10, width);
  columns.print_titles(out);
  for (OperationWaiting const* one : shown) columns.print(out, cells(summary, *one));
}

std::vector<std::string> cells(Summary const& summary, RankWaiting const& rank, double longest_s) {
  auto const part = [](double of, double whole) { return whole > 0 ? std::optional(of / whole) : std::nullopt; };
  auto const nanoseconds = [](double time_s) { return static_cast<std::uint64_t>(time_s * 1e9); };
  return {number_of(rank.rank),
          summary.host_of(rank.rank),
          format_share(part(static_cast<double>(rank.last), static_cast<double>(rank.samples))),
          format_seconds(rank.time_s),
          format_seconds(rank.wait_s),
          format_share(part(rank.wait_s, rank.time_s)),
          format_bar(nanoseconds(rank.wait_s), nanoseconds(longest_s))};
}

void print_ranks(std::ostream& out, Summary const& summary, RankWaits const& block) {
  auto const& [operation, shown] = block;
  OperationWaiting const& one = *operation;
  constexpr std::size_t margin = 2;
  fmt::print(out, "{}.\n", waiting_in_words(summary, one));
  double longest_s = 0;
  for (RankWaiting const& rank : one.by_rank) longest_s = std::max(longest_s, rank.wait_s);
  Columns columns(margin, {{"Rank", right},
                           {"Host", left},
                           {"Comes last", right},
                           {"Time", right},
                           {"Waiting", right},
                           {"Of the time", right},
                           {"Of the longest", left}});
  for (RankWaiting const& rank : shown) columns.fit(cells(summary, rank, longest_s));
  columns.print_titles(out);
  for (RankWaiting const& rank : shown) columns.print(out, cells(summary, rank, longest_s));
  if (shown.size() < one.by_rank.size()) {
    fmt::print(out, "{:{}}Not shown, beyond --top: {}.\n", "", margin,
               format_number_of(one.by_rank.size() - shown.size(), "rank"));
  }
}

void print_sum(std::ostream& out, Summary const& summary, Waiting const& sum) {
  print_fact(out, "Waiting",
             fmt::format("{} of {} in sampled collectives; {}{} of the MPI time", describe_share(sum),
                         format_seconds(sum.time_s), sum.is_upper_bound ? "at most " : "",
                         format_share(summary.operations_s > 0 ? std::optional(sum.wait_s / summary.operations_s)
                                                               : std::nullopt)));
}

std::string describe_left_out(std::string const& kind, std::uint64_t count) {
  if (kind == "folded") return format_number_of(count, "call") + " on communicators that share a record";
  if (kind == "intercommunicators") return format_number_of(count, "call") + " on intercommunicators";
  if (kind == "incomplete") return format_number_of(count, "instance") + " that not all ranks have a record of";
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
  if (!left_out.empty()) fmt::print(out, "\nNot sampled: {}.\n", fmt::join(left_out, "; "));
}

}  // namespace

void print_waits(std::ostream& out, Summary const& summary, Waits const& waits, Arrangement const& arrangement,
                 bool by_rank) {
  std::vector<OperationWaiting const*> shown;
  std::vector<RankWaits> const blocks =
      by_rank ? arrange_rank_waits(summary, waits, arrangement) : std::vector<RankWaits>();
  for (RankWaits const& block : blocks) shown.push_back(block.operation);
  if (!by_rank) shown = arrange_waits(summary, waits, arrangement);
  if (auto const sum = waits.in_all()) print_sum(out, summary, *sum);
  out << '\n';
  if (shown.empty()) {
    out << "No sampled collective operations in this selection.\n";
  } else if (!by_rank) {
    print_operations(out, summary, shown, arrangement.width);
  } else {
    for (RankWaits const& block : blocks) {
      if (&block != &blocks.front()) out << '\n';
      print_ranks(out, summary, block);
    }
  }
  if (shown.size() < waits.operations.size()) {
    fmt::print(out, "\nNot shown, beyond --top: {}.\n",
               format_number_of(waits.operations.size() - shown.size(), "operation"));
  }
  print_notes(out, summary, waits);
}

}  // namespace mpisee_through
