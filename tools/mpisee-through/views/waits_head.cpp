#include "views/waits_head.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

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

}  // namespace

std::string describe_not_sampled(std::string const& kind, std::uint64_t count) {
  if (kind == "folded") return format_number_of(count, "call") + " on communicators that share a record";
  if (kind == "intercommunicators") return format_number_of(count, "call") + " on intercommunicators";
  if (kind == "incomplete") return format_number_of(count, "instance") + " that not all ranks have a record of";
  if (kind == "disagreeing") return format_number_of(count, "call") + " after one that failed on some ranks only";
  return fmt::format("{}: {}", kind, format_count(count));
}

void print_sums_of_waits(std::ostream& out, Summary const& summary, Waits const& waits) {
  TimeInMpi const time = split_time(summary, waits);
  if (time.waiting) print_sum(out, summary, *time.waiting);
  print_rest(out, summary, time);
}

void print_notes_on_waits(std::ostream& out, Summary const& summary, Waits const& waits) {
  if (!std::ranges::all_of(waits.operations, &OperationWaiting::has_enough_instants))
    out << fmt::format("\nOf the time is - where fewer than {} instants lie in the calls.\n", fewest_instants);
  std::vector<std::string> left_out;
  for (auto const& [kind, count] : summary.run.not_sampled) {
    if (count > 0) left_out.push_back(describe_not_sampled(kind, count));
  }
  if (!left_out.empty()) out << fmt::format("\nNot sampled: {}.\n", fmt::join(left_out, "; "));
}

}  // namespace mpisee_through
