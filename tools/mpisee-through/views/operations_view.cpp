// Shows a block for each communicator, with a line for each operation, or for each of its sizes or call sites.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <deque>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_csv, table::only_json, table::only_text, table::Pick, table::picks;

constexpr std::size_t indent = 2;
constexpr std::size_t lines_of_text = 100;  // without --top

// "75.0 % *": marks a size with half of the whole or more.
table::Value marked(std::optional<double> share) {
  bool const dominates = share && *share >= 0.5;
  return table::ordered(format_share(share) + (dominates ? " *" : "  "), share);
}

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

struct OperationsRow {
  Summary const* summary;
  CommunicatorSummary const* communicator;
  OperationSummary const* one;
  Totals const* of_all_sizes;  // null without sizes

  [[nodiscard]] std::optional<SiteRef> site() const {
    return one->site ? std::optional(SiteRef{summary, *one->site}) : std::nullopt;
  }
  // The share of this line's size; only with sizes.
  [[nodiscard]] SharesOfSize shares() const { return shares_of(one->totals, *of_all_sizes); }
};

std::string bar_of_size(OperationsRow const& line) {
  constexpr std::size_t bar_of_all = 10;
  return format_bar(nanoseconds(line.one->totals.time_s), nanoseconds(line.of_all_sizes->time_s), bar_of_all);
}

// CSV repeats some columns of the communicator; JSON has all of them.
table::View<CommunicatorLine> view_of_operation_blocks() {
  std::vector<table::Column<CommunicatorLine>> columns;
  auto const add = [&](std::vector<Pick> const& chosen) {
    add_columns(columns, communicator_columns(), itself<CommunicatorLine>, chosen);
  };
  add({Pick("comm=Communicator"), Pick("size").as("comm_size").in(only_csv)});
  add(picks("members, created_by, topology, user_name"));
  add({Pick("mpi_share").as("comm_mpi_share").in(only_csv)});
  for (Pick const& key :
       picks("parent, created_at, size, reorder, freed, instances, ranks, calls, bytes_sent, bytes_received, "
             "time_s, mpi_share, wall_share, time_mean_s, imbalance"))
    add({key.in(only_json)});
  return {.name = "communicators", .columns = std::move(columns)};
}

using OperationColumns = std::vector<table::Column<OperationsRow>>;

OperationColumns names_of_lines(bool by_size, bool by_site) {
  OperationColumns columns{
      {"op", "Call", Kind::name, [](OperationsRow const& line) { return line.summary->name_of(line.one->operation); }}};
  if (by_size) {
    columns.insert(columns.end(),
                   {{"size_min", "", Kind::bytes, [](OperationsRow const& line) { return line.one->size->min_bytes; }},
                    {"size_max", "", Kind::bytes, [](OperationsRow const& line) { return line.one->size->max_bytes; }},
                    {"size", "Size", Kind::name,
                     [](OperationsRow const& line) { return format_size_bin(*line.one->size); }, only_text}});
  }
  if (by_site)
    add_columns(
        columns, site_columns(), [](OperationsRow const& line) { return line.site(); },
        picks("at:At, site, function, file, line"));
  return columns;
}

void add_parts_of_sizes(OperationColumns& columns) {
  columns.insert(columns.end(),
                 {{"op_time_share", "", Kind::share, [](OperationsRow const& line) { return line.shares().time; }},
                  {"op_bytes_share", "", Kind::share, [](OperationsRow const& line) { return line.shares().bytes; }},
                  {"of_time", "Of time  ", Kind::figure,
                   [](OperationsRow const& line) { return marked(line.shares().time); }, only_text},
                  {"of_bytes", "Of bytes  ", Kind::figure,
                   [](OperationsRow const& line) { return marked(line.shares().bytes); }, only_text},
                  {"bar", "Time", Kind::bar, bar_of_size, only_text}});
}

table::View<OperationsRow> view_of_operations(Detail detail) {
  bool const by_size = detail.by_size, by_site = detail.by_site;
  OperationColumns columns = names_of_lines(by_size, by_site);
  auto const costs = [](OperationsRow const& line) {
    return std::optional(CallCosts{line.summary, &line.one->totals});
  };
  columns.push_back(
      {"ranks", "", Kind::count, [](OperationsRow const& line) { return line.communicator->ranks; }, only_csv});
  add_columns(columns, cost_columns(), costs, "calls=Calls, bytes_sent, bytes_received, bytes:Volume, time_s");
  bool const has_extremes = !by_size && !by_site;
  columns.insert(columns.end(),
                 {{"rank_mean_s", "Mean", Kind::seconds,
                   [](OperationsRow const& line) { return line.communicator->mean_s(*line.one); }},
                  {"rank_min_s", has_extremes ? "Min" : "", Kind::seconds,
                   [](OperationsRow const& line) { return line.communicator->min_s(*line.one); }},
                  {"rank_max_s", has_extremes ? "Max" : "", Kind::seconds,
                   [](OperationsRow const& line) { return line.communicator->max_s(*line.one); }},
                  {"time_min_s", "", Kind::seconds, [](OperationsRow const& line) { return line.one->shortest_s; }},
                  {"time_max_s", "", Kind::seconds, [](OperationsRow const& line) { return line.one->longest_s; }}});
  add_columns(columns, cost_columns(), costs,
              picks(by_size ? "mpi_share, wall_share, time_mean_s=A call"
                            : "mpi_share=MPI time, wall_share=Of wall, time_mean_s=A call"));
  columns.push_back({"imbalance", by_size ? "" : "Imbalance", Kind::share,
                     [](OperationsRow const& line) { return line.communicator->imbalance(*line.one); }});
  if (by_size) {
    add_parts_of_sizes(columns);
    return {.name = "operations",
            .columns = std::move(columns),
            .text = {"Call", "Size", "Mean", "A call", "Volume", "Calls"}};
  }
  if (by_site)
    return {.name = "operations",
            .columns = std::move(columns),
            .text = {"Call", "At", "MPI time", "Of wall", "Mean", "Imbalance", "A call", "Volume", "Calls"},
            .cut = {.title = "At", .is_site = true}};
  return {.name = "operations",
          .columns = std::move(columns),
          .text = {"Call", "MPI time", "Of wall", "Mean", "Min", "Max", "Imbalance", "A call", "Volume", "Calls"}};
}

std::string describe_members(std::string const& members) {
  if (members.empty()) return "ranks not known";
  return is_number_of_members(members) ? members : "ranks " + shorten_members(members);
}

std::string ranks_of(CommunicatorSummary const& communicator) {
  bool const is_below_self = communicator.size == 1 && communicator.name.starts_with(fmt::format("{}_", self_name));
  if (communicator.name == self_name || is_below_self) return "each rank its own";
  std::string const how_many =
      communicator.instances > 1 ? fmt::format("{} of this name, ", format_count(communicator.instances)) : "";
  return how_many + describe_members(communicator.members);
}

std::string heading_of(Summary const& summary, CommunicatorSummary const& communicator) {
  std::string const origin = describe_origin(communicator, summary.site_names.get());
  Totals const& totals = communicator.totals;
  return fmt::format("{}  size {}, {}{}{}\n", communicator.name, format_count(communicator.size),
                     ranks_of(communicator), origin.empty() ? "" : "; ", origin) +
         fmt::format("{:{}}{} of MPI time: {} summed over ranks; {} sent, {} received; {} calls\n", "", indent,
                     format_share(summary.share_of_mpi(communicator)), format_seconds(totals.time_s),
                     format_bytes(totals.bytes_sent), format_bytes(totals.bytes_received), format_count(totals.calls));
}

// Says how much of the selection is not shown, so that a part is not taken for the whole.
void print_remainder(std::ostream& out, Summary const& summary, std::size_t shown, bool has_top) {
  std::size_t selected = 0, used = 0, lines = 0;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    if (!communicator.selected) continue;
    ++selected;
    used += communicator.operations.empty() ? 0 : 1;
    lines += communicator.operations.size();
  }
  lines -= shown;
  if (used == 0) return;
  if (lines > 0 || used < selected) out << '\n';
  if (lines > 0)
    out << fmt::format("Not shown{}: {}.{}\n", has_top ? ", beyond --top" : "", format_number_of(lines, "line"),
                       has_top ? "" : " --top N shows more, --csv all.");
  if (used < selected) {
    out << fmt::format("Communicators without calls in this selection, shown by --tree: {}.\n",
                       format_count(selected - used));
  }
}

}  // namespace

void show_operations(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement) {
  bool const by_size = summary.detail.by_size;
  Arrangement shown = arrangement;
  if (format == Format::text && !shown.top) shown.top = lines_of_text;
  auto const blocks = arrange_blocks(summary, shown);
  std::vector<CommunicatorLine> communicators;
  std::vector<OperationsRow> lines;
  std::vector<std::size_t> begin;
  std::deque<TotalsByOperation> totals_of_all;
  for (OperationBlock const& block : blocks) {
    CommunicatorSummary const& one = summary.communicator(block.communicator);
    communicators.push_back({&summary, &one, &one.totals});
    begin.push_back(lines.size());
    if (by_size) totals_of_all.push_back(totals_by_operation(one));
    for (OperationSummary const* operation : block.lines)
      lines.push_back({&summary, &one, operation, by_size ? &totals_of_all.back().at(operation->operation) : nullptr});
  }
  auto const outer = view_of_operation_blocks();
  auto const inner = view_of_operations(summary.detail);
  auto const heading = [&](std::size_t block) { return heading_of(summary, *communicators[block].one); };
  AroundTable around = around_tables(summary);
  around.if_empty = why_no_calls(summary.run);
  around.below = [&](std::ostream& text) { print_remainder(text, summary, lines.size(), arrangement.top.has_value()); };
  show(out, format, {table_of(outer, communicators), table_of(inner, lines), begin, heading}, around,
       {.width = arrangement.width, .indent = indent});
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
  // MPI itself names its two predefined communicators, so their names are not worth a fact.
  bool const is_news = facts.empty() || communicator.user_name != facts.front();
  if (!communicator.user_name.empty() && is_news) facts.push_back(fmt::format("\"{}\"", communicator.user_name));
  if (communicator.freed) facts.emplace_back("freed");
  return fmt::format("{}", fmt::join(facts, ", "));
}

}  // namespace mpisee_through
