// Shows a block for each communicator, with a line for each operation, or for each of its sizes or call sites.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

constexpr std::size_t indent = 2;

struct OperationsRow {
  Summary const* summary;
  CommunicatorSummary const* communicator;
  Cell const* one;
  Totals of_all_sizes{};  // only with sizes

  [[nodiscard]] SiteRef site() const { return {summary, one->site}; }
  // The share of this line's size; only with sizes.
  [[nodiscard]] SharesOfSize shares() const { return shares_of(one->totals, of_all_sizes); }
};

using OperationColumns = std::vector<table::Column<OperationsRow>>;

// The communicator stands above its lines in text, and in each line elsewhere.
OperationColumns names_of_lines(bool has_sizes, bool has_sites) {
  auto const& comm = communicator_columns();
  OperationColumns columns;
  auto const communicator = [](OperationsRow const& line) {
    return CommunicatorLine{line.summary, line.communicator, line.communicator->totals};
  };
  add_columns(columns, communicator,
              {comm.comm.titled("Communicator").only(~In::text), comm.size.as("comm_size"), comm.members,
               comm.created_by, comm.topology, comm.user_name});
  columns.push_back({"comm_mpi_share", "", Kind::share,
                     [](OperationsRow const& line) { return line.summary->share_of_mpi(line.communicator->totals); }});
  columns.push_back(
      {"op", "Call", Kind::name, [](OperationsRow const& line) { return line.summary->name_of(line.one->operation); }});
  if (has_sizes) {
    columns.insert(columns.end(),
                   {{"size_min", "", Kind::bytes, [](OperationsRow const& line) { return line.one->size.min_bytes; }},
                    {"size_max", "", Kind::bytes, [](OperationsRow const& line) { return line.one->size.max_bytes; }},
                    {"size", "Size", Kind::name,
                     [](OperationsRow const& line) {
                       return table::ordered(format_size_bin(line.one->size),
                                             static_cast<double>(line.one->size.min_bytes));
                     },
                     In::people}});
  }
  if (has_sites)
    add_columns(
        columns, &OperationsRow::site,
        {site_columns().at, site_columns().site, site_columns().function, site_columns().file, site_columns().line});
  return columns;
}

void add_parts_of_sizes(OperationColumns& columns) {
  auto const bar = [](OperationsRow const& line) {
    constexpr std::size_t bar_of_all = 10;
    return draw_bar(line.shares().time.value_or(0), bar_of_all);
  };
  columns.insert(
      columns.end(),
      {{"op_time_share", "Of time", Kind::share, [](OperationsRow const& line) { return line.shares().time; }},
       {"op_bytes_share", "Of bytes", Kind::share, [](OperationsRow const& line) { return line.shares().bytes; }},
       {"bar", "Time", Kind::bar, bar, In::people}});
}

table::View<OperationsRow> view_of_operations(Keys part) {
  bool const has_sizes = part == by_size, has_sites = part == by_site;
  OperationColumns columns = names_of_lines(has_sizes, has_sites);
  auto const& cost = cost_columns();
  auto const costs = [](OperationsRow const& line) { return CallCosts{line.summary, &line.one->totals}; };
  columns.push_back({"ranks", "", Kind::count, [](OperationsRow const& line) { return line.communicator->ranks; }});
  add_columns(columns, costs,
              {cost.calls.titled("Calls"), cost.bytes_sent, cost.bytes_received, cost.volume, cost.time_s});
  bool const has_extremes = part == 0;
  columns.insert(columns.end(),
                 {{"rank_mean_s", "Mean", Kind::seconds,
                   [](OperationsRow const& line) { return line.communicator->mean_s(*line.one); }},
                  {"rank_min_s", has_extremes ? "Min" : "", Kind::seconds,
                   [](OperationsRow const& line) { return line.communicator->min_s(*line.one); }},
                  {"rank_max_s", has_extremes ? "Max" : "", Kind::seconds,
                   [](OperationsRow const& line) { return line.communicator->max_s(*line.one); }},
                  {"time_min_s", "", Kind::seconds, [](OperationsRow const& line) { return line.one->shortest_s; }},
                  {"time_max_s", "", Kind::seconds, [](OperationsRow const& line) { return line.one->longest_s; }}});
  add_columns(columns, costs,
              {cost.mpi_share.titled(has_sizes ? "" : "MPI time"), cost.wall_share.titled(has_sizes ? "" : "Of wall"),
               cost.time_mean_s.titled("A call")});
  columns.push_back({"imbalance", has_sizes ? "" : "Imbalance", Kind::share,
                     [](OperationsRow const& line) { return line.communicator->imbalance(*line.one); }});
  if (has_sizes) {
    add_parts_of_sizes(columns);
    return {.name = "operations",
            .columns = std::move(columns),
            .titles = {"Communicator", "Call", "Size", "Mean", "A call", "Volume", "Calls"}};
  }
  if (has_sites)
    return {.name = "operations",
            .columns = std::move(columns),
            .titles = {"Communicator", "Call", "At", "MPI time", "Of wall", "Mean", "Imbalance", "A call", "Volume",
                       "Calls"},
            .cut = {.title = "At", .is_site = true}};
  return {.name = "operations",
          .columns = std::move(columns),
          .titles = {"Communicator", "Call", "MPI time", "Of wall", "Mean", "Min", "Max", "Imbalance", "A call",
                     "Volume", "Calls"}};
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
                     format_share(summary.share_of_mpi(totals)), format_seconds(totals.time_s),
                     format_bytes(totals.bytes_sent), format_bytes(totals.bytes_received), format_count(totals.calls));
}

// An operation with its weight, and with that of this cell of it.
struct CellLine {
  Weight weight, of_cell;
  Cell const* cell;
};

// The cells of one communicator in order. All cells of an operation have the weight of their sum, but for imbalances,
// which cannot be added up.
void add_lines(std::vector<CellLine>& lines, Summary const& summary, std::span<Cell const> cells, SortKey key) {
  auto const begin = static_cast<std::ptrdiff_t>(lines.size());
  for (std::size_t first = 0, end = 0; first < cells.size(); first = end) {
    Totals all;
    for (; end < cells.size() && cells[end].operation == cells[first].operation; ++end) all += cells[end].totals;
    for (Cell const& one : cells.subspan(first, end - first)) {
      SortValues values = sort_values(one.totals);
      values.imbalance = summary.communicator(one.communicator).imbalance(one);
      Weight const of_cell = weight_of(values, key);
      lines.push_back({key == SortKey::imbalance ? of_cell : weight_of(sort_values(all), key), of_cell, &one});
    }
  }
  std::ranges::sort(lines.begin() + begin, lines.end(), [&](CellLine const& left, CellLine const& right) {
    Cell const &one = *left.cell, &other = *right.cell;
    if (left.weight != right.weight) return left.weight > right.weight;
    if (one.operation != other.operation)
      return name_less(summary.name_of(one.operation), summary.name_of(other.operation));
    return std::tie(one.size, right.of_cell, one.site) < std::tie(other.size, left.of_cell, other.site);
  });
}

// The cells of operations to show, communicator by communicator. The cells of one operation are adjacent, except for
// SortKey::imbalance. `top` counts cells of all communicators together.
std::vector<Cell const*> arrange_operations(Summary const& summary, Cells const& cells,
                                            Arrangement const& arrangement) {
  std::vector<CellLine> lines;
  lines.reserve(cells.size());
  for (CommunicatorIndex const index : arrange_communicators(summary, {arrangement.key, {}}, Include::with_operations))
    add_lines(lines, summary, cells_on(cells, index), arrangement.key);
  std::vector<std::size_t> places(lines.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (arrangement.top && *arrangement.top < lines.size()) {
    // By size, the top ones are those of the first communicators.
    if (arrangement.key != SortKey::size)
      std::ranges::stable_sort(places, std::ranges::greater{}, [&](std::size_t place) { return lines[place].of_cell; });
    places.resize(*arrangement.top);
    std::ranges::sort(places);
  }
  std::vector<Cell const*> order;
  order.reserve(places.size());
  for (std::size_t const place : places) order.push_back(lines[place].cell);
  return order;
}

}  // namespace

Document operations(Summary const& summary, Keys part, Arrangement const& arrangement) {
  Cells const& cells = summary.cells(by_comm | by_op | part);
  std::vector<OperationsRow> lines;
  for (Cell const* const one : arrange_operations(summary, cells, arrangement)) {
    OperationsRow& line = lines.emplace_back(OperationsRow{&summary, &summary.communicator(one->communicator), one});
    if (part != by_size) continue;
    for (Cell const& size : summary.parts_of(*one, by_size)) line.of_all_sizes += size.totals;
  }
  std::vector<CommunicatorSummary const*> communicator_of;
  for (OperationsRow const& line : lines) communicator_of.push_back(line.communicator);
  table::Table table = table_of(view_of_operations(part), std::move(lines));
  table.hidden = cells.size() - table.lines;
  table.if_empty = why_no_calls(summary.run);
  table.noun = "operation";
  if (part != by_site)
    table.drawing = {{"as", "bars"},
                     {"of", part == by_size ? "size" : "comm"},
                     {"parts", "op"},
                     {"values", {"time_s", "bytes", "calls"}},
                     {"upright", part == by_size}};
  table.indent = indent;
  table.heading = table::headings([of = std::move(communicator_of)](std::size_t line) { return of[line]; },
                                  [&summary](CommunicatorSummary const* one) { return heading_of(summary, *one); });
  Document document = document_of(summary);
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace mpisee_through
