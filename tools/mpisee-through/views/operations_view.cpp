#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t indent = 2;

std::vector<std::string> cells(Summary const& summary, CommunicatorSummary const& communicator,
                               OperationSummary const& operation, std::uint64_t calls_of_all_sizes) {
  std::vector<std::string> cells{summary.name_of(operation.operation)};
  if (operation.size) cells.push_back(format_size_bin(*operation.size));
  if (operation.site) cells.push_back(label_of_site(summary, *operation.site));
  cells.push_back(format_seconds(communicator.mean_s(operation)));
  cells.push_back(format_seconds(communicator.min_s(operation)));
  cells.push_back(format_seconds(communicator.max_s(operation)));
  cells.push_back(format_bytes(operation.totals.bytes()));
  cells.push_back(format_count(operation.totals.calls));
  if (operation.size) cells.push_back(format_bar(operation.totals.calls, calls_of_all_sizes));
  return cells;
}

// The calls of each operation in all its sizes together, what bars are parts of.
std::unordered_map<OperationIndex, std::uint64_t> calls_by_operation(CommunicatorSummary const& communicator) {
  std::unordered_map<OperationIndex, std::uint64_t> calls;
  for (OperationSummary const& operation : communicator.operations)
    calls[operation.operation] += operation.totals.calls;
  return calls;
}

// The same widths for all communicators, so that the eye can compare them.
Columns fitting_columns(Summary const& summary, std::vector<CommunicatorIndex> const& shown) {
  using enum Columns::Align;
  std::vector<Columns::Column> titles{{"Call", left}};
  if (summary.detail == Detail::message_sizes) titles.push_back({"Size", left});
  if (summary.detail == Detail::call_sites) titles.push_back({"At", left});
  for (std::string_view const title : {"Mean", "Min", "Max", "Volume", "Calls"}) titles.push_back({title, right});
  if (summary.detail == Detail::message_sizes) titles.push_back({"Part of calls", left});

  Columns columns(indent, std::move(titles));
  for (CommunicatorIndex const index : shown) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    for (OperationSummary const& operation : communicator.operations) {
      columns.fit(cells(summary, communicator, operation, operation.totals.calls));
    }
  }
  return columns;
}

std::string ranks_of(CommunicatorSummary const& communicator) {
  if (communicator.name == self_name) return "each rank its own";
  std::string const how_many =
      communicator.instances > 1 ? fmt::format("{} of this name, ", format_count(communicator.instances)) : "";
  return how_many +
         (communicator.members.empty() ? "ranks not known" : "ranks " + shorten_members(communicator.members));
}

void print_communicator(std::ostream& out, Summary const& summary, CommunicatorSummary const& communicator,
                        Columns const& columns, SortKey key) {
  std::string const origin = describe_origin(communicator, summary.site_names.get());
  fmt::print(out, "{}  size {}, {}{}{}\n", communicator.name, format_count(communicator.size), ranks_of(communicator),
             origin.empty() ? "" : "; ", origin);
  Totals const& totals = communicator.totals;
  fmt::print(out, "{:{}}{} of MPI time: {} summed over ranks; {} sent, {} received; {} calls\n", "", indent,
             format_share(summary.share_of_mpi(communicator)), format_seconds(totals.time_s),
             format_bytes(totals.bytes_sent), format_bytes(totals.bytes_received), format_count(totals.calls));
  columns.print_titles(out);
  auto const calls = calls_by_operation(communicator);
  for (OperationSummary const* operation : arrange_operations(summary, communicator, key)) {
    columns.print(out, cells(summary, communicator, *operation, calls.at(operation->operation)));
  }
}

// What was selected and is not shown, so that nobody takes a part for the whole.
void print_remainder(std::ostream& out, Summary const& summary, std::size_t shown) {
  auto const selected = static_cast<std::size_t>(
      std::ranges::count_if(summary.communicators, [](auto const& communicator) { return communicator.selected; }));
  auto const used = static_cast<std::size_t>(std::ranges::count_if(summary.communicators, [](auto const& communicator) {
    return communicator.selected && !communicator.operations.empty();
  }));
  if (used == 0) {
    out << "No calls in this selection.\n";
    return;
  }
  if (shown < selected) out << '\n';
  if (shown < used) fmt::print(out, "Not shown, beyond --top: {}.\n", format_count(used - shown));
  if (used < selected) {
    fmt::print(out, "Communicators without calls in this selection, shown by --tree: {}.\n",
               format_count(selected - used));
  }
}

}  // namespace

void print_operations(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  auto const shown = arrange_communicators(summary, arrangement, Include::with_operations);
  Columns const columns = fitting_columns(summary, shown);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) out << '\n';
    print_communicator(out, summary, summary.communicator(shown[i]), columns, arrangement.key);
  }
  print_remainder(out, summary, shown.size());
}

std::string describe_origin(CommunicatorSummary const& communicator, SiteNames const* names) {
  std::vector<std::string> facts;
  if (!communicator.created_by.empty()) {
    std::string const at =
        names == nullptr || communicator.created_at.empty() ? "" : " at " + names->line(communicator.created_at);
    facts.push_back(communicator.created_by + at);
  } else if (communicator.name == world_name) {
    facts.emplace_back("MPI_COMM_WORLD");
  } else if (communicator.name == self_name) {
    facts.emplace_back("MPI_COMM_SELF");
  }
  if (communicator.instances == 0) facts.emplace_back("not in communicators.csv");
  if (!communicator.topology.empty()) facts.push_back(communicator.topology);
  if (communicator.reorder == "1") facts.emplace_back("reorder allowed");
  // MPI itself names the two that nobody created.
  bool const is_news = facts.empty() || communicator.user_name != facts.front();
  if (!communicator.user_name.empty() && is_news) facts.push_back(fmt::format("\"{}\"", communicator.user_name));
  if (communicator.freed) facts.emplace_back("freed");
  return fmt::format("{}", fmt::join(facts, ", "));
}

std::string shorten_members(std::string_view members) {
  constexpr std::size_t room = 40;
  if (members.size() <= room) return std::string(members);
  // members.size() > room, and no range is as long as that: there is a comma in front of the room's end.
  std::size_t const head_end = members.rfind(',', room);
  std::size_t const tail_begin = members.rfind(',');
  if (head_end == members.npos || head_end >= tail_begin) return std::string(members);
  return fmt::format("{},...{}", members.substr(0, head_end), members.substr(tail_begin));
}

}  // namespace mpisee_through
