#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "reader/parallel.hpp"
#include "reader/profile_reader.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t indent = 2;

// "75.0 % *": a size that has half of all or more is marked.
std::string marked(std::optional<double> share) {
  bool const dominates = share && *share >= 0.5;
  return format_share(share) + (dominates ? " *" : "  ");
}

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

std::vector<std::string> cells_of_size(Summary const& summary, CommunicatorSummary const& communicator,
                                       OperationSummary const& one, Totals const& all) {
  constexpr std::size_t bar_of_all = 10;
  SharesOfSize const shares = shares_of(one.totals, all);
  return {summary.name_of(one.operation),
          format_size_bin(*one.size),
          format_seconds(communicator.mean_s(one)),
          format_seconds(one.totals.call_s()),
          format_bytes(one.totals.bytes()),
          format_count(one.totals.calls),
          marked(shares.time),
          marked(shares.bytes),
          format_bar(nanoseconds(one.totals.time_s), nanoseconds(all.time_s), bar_of_all)};
}

std::vector<std::string> cells_of_site(Summary const& summary, CommunicatorSummary const& communicator,
                                       OperationSummary const& one) {
  return {summary.name_of(one.operation),
          label_of_site(summary, *one.site),
          format_share(summary.share_of_mpi(one.totals)),
          format_share(summary.share_of_wall(one.totals)),
          format_seconds(communicator.mean_s(one)),
          format_share(communicator.imbalance(one)),
          format_seconds(one.totals.call_s()),
          format_bytes(one.totals.bytes()),
          format_count(one.totals.calls)};
}

std::vector<std::string> cells(Summary const& summary, CommunicatorSummary const& communicator,
                               OperationSummary const& one, TotalsByOperation const& all) {
  if (one.size) return cells_of_size(summary, communicator, one, all.at(one.operation));
  if (one.site) return cells_of_site(summary, communicator, one);
  return {summary.name_of(one.operation),
          format_share(summary.share_of_mpi(one.totals)),
          format_share(summary.share_of_wall(one.totals)),
          format_seconds(communicator.mean_s(one)),
          format_seconds(communicator.min_s(one)),
          format_seconds(communicator.max_s(one)),
          format_share(communicator.imbalance(one)),
          format_seconds(one.totals.call_s()),
          format_bytes(one.totals.bytes()),
          format_count(one.totals.calls)};
}

std::vector<Columns::Column> titles_of(Detail detail) {
  using namespace align;
  if (detail == Detail::message_sizes) {
    return {{"Call", left},   {"Size", left},       {"Mean", right},       {"A call", right}, {"Volume", right},
            {"Calls", right}, {"Of time  ", right}, {"Of bytes  ", right}, {"Time", left}};
  }
  if (is_by_site(detail)) {
    return {{"Call", left},       {"At", left},      {"MPI time", right}, {"Of wall", right}, {"Mean", right},
            {"Imbalance", right}, {"A call", right}, {"Volume", right},   {"Calls", right}};
  }
  return {{"Call", left}, {"MPI time", right},  {"Of wall", right}, {"Mean", right},   {"Min", right},
          {"Max", right}, {"Imbalance", right}, {"A call", right},  {"Volume", right}, {"Calls", right}};
}

// Some blocks that one thread prints.
struct Part {
  std::span<OperationBlock const> blocks;
  Columns columns;          // as wide as its lines need
  KeptLines lines{};        // in the order of the blocks
  std::ostringstream text;  // printed
};

std::vector<Part> divide(std::vector<OperationBlock> const& blocks, Columns const& columns) {
  constexpr std::size_t worth_a_thread = 256;
  std::size_t const count = std::clamp<std::size_t>(blocks.size() / worth_a_thread, 1, 4 * threads_at_once());
  std::vector<Part> parts;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t const begin = blocks.size() * i / count, end = blocks.size() * (i + 1) / count;
    parts.push_back({std::span(blocks).subspan(begin, end - begin), columns, {}, {}});
  }
  return parts;
}

void fit_lines(Part& part, Summary const& summary) {
  bool const has_sizes = summary.detail == Detail::message_sizes;
  for (OperationBlock const& block : part.blocks) {
    CommunicatorSummary const& communicator = summary.communicator(block.communicator);
    auto const all = has_sizes ? totals_by_operation(communicator) : TotalsByOperation();
    for (OperationSummary const* one : block.lines) {
      auto const texts = cells(summary, communicator, *one, all);
      part.columns.fit(texts);
      part.lines.add(texts);
    }
  }
}

// The same widths for all communicators, so that the eye can compare them.
Columns fitting_columns(Summary const& summary, std::vector<Part>& parts, std::size_t width) {
  run_in_parallel(parts.size(), [&](std::size_t i) { fit_lines(parts[i], summary); });
  Columns columns(indent, titles_of(summary.detail));
  for (Part const& part : parts) columns.fit(part.columns);
  if (is_by_site(summary.detail)) columns.cut(1, width, Columns::Cut::beginning);
  return columns;
}

std::string describe_members(std::string const& members) {
  if (members.empty()) return "ranks not known";
  return is_number_of_members(members) ? members : "ranks " + shorten_members(members);
}

std::string ranks_of(CommunicatorSummary const& communicator) {
  if (communicator.name == self_name) return "each rank its own";
  std::string const how_many =
      communicator.instances > 1 ? fmt::format("{} of this name, ", format_count(communicator.instances)) : "";
  return how_many + describe_members(communicator.members);
}

void print_communicator(std::ostream& out, Summary const& summary, OperationBlock const& block, KeptLines& lines,
                        Columns const& columns) {
  CommunicatorSummary const& communicator = summary.communicator(block.communicator);
  std::string const origin = describe_origin(communicator, summary.site_names.get());
  fmt::print(out, "{}  size {}, {}{}{}\n", communicator.name, format_count(communicator.size), ranks_of(communicator),
             origin.empty() ? "" : "; ", origin);
  Totals const& totals = communicator.totals;
  fmt::print(out, "{:{}}{} of MPI time: {} summed over ranks; {} sent, {} received; {} calls\n", "", indent,
             format_share(summary.share_of_mpi(communicator)), format_seconds(totals.time_s),
             format_bytes(totals.bytes_sent), format_bytes(totals.bytes_received), format_count(totals.calls));
  columns.print_titles(out);
  for (std::size_t i = 0; i < block.lines.size(); ++i) columns.print(out, lines);
}

// What was selected and is not shown, so that nobody takes a part for the whole.
void print_remainder(std::ostream& out, Summary const& summary, std::vector<OperationBlock> const& shown) {
  std::size_t selected = 0, used = 0, lines = 0;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    if (!communicator.selected) continue;
    ++selected;
    used += communicator.operations.empty() ? 0 : 1;
    lines += communicator.operations.size();
  }
  for (OperationBlock const& block : shown) lines -= block.lines.size();
  if (used == 0) {
    out << why_no_calls(summary.run);
    return;
  }
  if (lines > 0 || used < selected) out << '\n';
  if (lines > 0) fmt::print(out, "Not shown, beyond --top: {}.\n", format_number_of(lines, "line"));
  if (used < selected) {
    fmt::print(out, "Communicators without calls in this selection, shown by --tree: {}.\n",
               format_count(selected - used));
  }
}

}  // namespace

void print_operations(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  auto const shown = arrange_blocks(summary, arrangement);
  std::vector<Part> parts = divide(shown, Columns(indent, titles_of(summary.detail)));
  Columns const columns = fitting_columns(summary, parts, arrangement.width);
  run_in_parallel(parts.size(), [&](std::size_t i) {
    Part& part = parts[i];
    for (OperationBlock const& block : part.blocks) {
      if (&block != &shown.front()) part.text << '\n';
      print_communicator(part.text, summary, block, part.lines, columns);
    }
  });
  for (Part& part : parts) out << std::move(part.text).str();
  print_remainder(out, summary, shown);
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
