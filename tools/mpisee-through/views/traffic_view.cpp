// Messages between ranks or hosts: a matrix if it fits, otherwise the busiest pairs; with sizes, histograms.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

constexpr std::size_t most_ranks_of_a_matrix = 32;
constexpr std::size_t pairs_of_a_long_list = 10;
constexpr std::size_t pairs_of_a_page = 1000;

std::string format_end(Traffic const& traffic, WorldRank end) {
  return end == other_world ? "other" : field_of_end(traffic, end);
}

std::string describe(Amount const& amount) {
  return fmt::format("{} with {}", format_count(amount.messages), format_bytes(amount.bytes));
}

// What the transport was given in the whole run. Empty if the run did not count it, or if it was given nothing.
Amount given_to_transport(Traffic const& traffic) {
  auto const& of_run = traffic.run.messages;
  return of_run ? Amount{of_run->network.messages, of_run->network.bytes} : Amount{};
}

void add_transport(std::vector<Note>& notes, Traffic const& traffic) {
  Amount const given = given_to_transport(traffic);
  if (given.messages > 0)
    notes.emplace_back("Transport", fmt::format("was given {} in the whole run: --class network", describe(given)));
  else if (observes_transport(traffic.run))
    notes.emplace_back("Transport", "was given nothing: messages went by shared memory, or by what is not seen");
}

std::vector<Note> notes_of(Traffic const& traffic) {
  std::vector<Note> notes{{"Messages", fmt::format("{}, between {}", describe(traffic.total),
                                                   format_number_of(traffic.pairs.size(), "pair") +
                                                       (traffic.is_by_host ? " of hosts" : " of ranks"))}};
  for (auto const& [one, name] : classes_with_estimate.rows) {
    if (traffic.of(one).messages == 0) continue;
    std::string_view const how = one == TrafficClass::estimate ? ", of collectives, from the bytes of their calls" : "";
    notes.emplace_back(fmt::format("  {}", name), fmt::format("{}{}", describe(traffic.of(one)), how));
  }
  add_transport(notes, traffic);
  notes.emplace_back("In a host",
                     fmt::format("{} of the bytes, {} of the messages",
                                 format_share(share_of(traffic.within_hosts.bytes, traffic.total.bytes)),
                                 format_share(share_of(traffic.within_hosts.messages, traffic.total.messages))));
  if (traffic.of_unknown_hosts.messages > 0)
    notes.emplace_back("Not told", describe(traffic.of_unknown_hosts) + ", for whose hosts there was no room");
  return notes;
}

// A row of the matrix: the amounts from one rank to each other one, and their sum.
struct MatrixLine {
  std::string title;
  std::vector<Amount> to;
  Amount all{};
};

// Builds the matrix with the same ranks in rows and columns, so that the diagonal is a rank's traffic with itself; the
// last row has the sums.
std::vector<MatrixLine> matrix_of(Traffic const& traffic, std::vector<WorldRank> const& ranks) {
  auto const place = [&](WorldRank rank) {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
  };
  std::vector<MatrixLine> lines;
  for (WorldRank const rank : ranks) lines.push_back({format_end(traffic, rank), std::vector<Amount>(ranks.size())});
  lines.push_back({"All", std::vector<Amount>(ranks.size())});
  for (PairTraffic const& pair : traffic.pairs) {
    for (MatrixLine* line : {&lines[place(pair.from)], &lines.back()}) {
      line->to[place(pair.to)] += pair.amount;
      line->all += pair.amount;
    }
  }
  return lines;
}

// The matrix for a text of this width; nothing if it does not fit.
std::optional<table::Table> table_of_matrix(Traffic const& traffic, TrafficLayout const& layout) {
  std::set<WorldRank> all;
  for (PairTraffic const& pair : traffic.pairs) {
    all.insert({pair.from, pair.to});
    if (all.size() > most_ranks_of_a_matrix) return std::nullopt;
  }
  std::vector<WorldRank> const ranks(all.begin(), all.end());
  auto const value = [by = layout.by](Amount const& amount) {
    return amount.messages == 0 ? table::Value() : table::Value(amount.of(by));
  };
  Kind const kind = layout.by == Measure::bytes ? Kind::bytes : Kind::count;
  table::View<MatrixLine> view{.name = "matrix", .columns = {{"from", "From\\To", Kind::figure, &MatrixLine::title}}};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    view.columns.push_back(
        {"to", format_end(traffic, ranks[i]), kind, [i, value](MatrixLine const& line) { return value(line.to[i]); }});
  view.columns.push_back({"all", "All", kind, [value](MatrixLine const& line) { return value(line.all); }});
  table::Table table = table_of(view, matrix_of(traffic, ranks));
  table.in = In::text;
  return !layout.width || width_of_text(table) <= *layout.width ? std::optional(table) : std::nullopt;
}

// A pair, or one size of its messages; or of all messages, if there is no pair.
struct PairLine {
  PairTraffic const* pair;
  std::optional<SizeBin> size;
  Amount amount;
  Amount whole;  // the sum over all sizes of the pair, or of all pairs
};

using PairColumns = std::vector<table::Column<PairLine>>;

// The ends of a pair, above the sizes in text and in each line elsewhere.
void add_end(PairColumns& columns, Traffic const& traffic, std::string const& key, char const* title,
             WorldRank PairTraffic::*end) {
  auto const text = [&traffic, end](PairLine const& line) { return format_end(traffic, line.pair->*end); };
  columns.push_back({key, title, Kind::figure, text, traffic.has_sizes ? In::page : In::people});
  if (traffic.is_by_host)
    columns.push_back({key + "_host", "", Kind::name,
                       [&traffic, end](PairLine const& line) { return field_of_end(traffic, line.pair->*end); }});
  else columns.push_back({key, "", Kind::number, [end](PairLine const& line) { return rank_number(line.pair->*end); }});
}

table::View<PairLine> view_of_pairs(Traffic const& traffic, Measure by, bool has_pairs) {
  PairColumns columns;
  bool const by_bytes = by == Measure::bytes, has_sizes = traffic.has_sizes;
  if (has_pairs) {
    add_end(columns, traffic, "src", "From", &PairTraffic::from);
    add_end(columns, traffic, "dst", "To", &PairTraffic::to);
  }
  if (has_sizes)
    columns.insert(
        columns.end(),
        {{"size", "Size", Kind::name, [](PairLine const& line) { return format_size_bin(*line.size); }, In::people},
         {"size_min", "", Kind::bytes, [](PairLine const& line) { return line.size->min_bytes; }},
         {"size_max", "", Kind::bytes, [](PairLine const& line) { return line.size->max_bytes; }}});
  auto const share = [by](PairLine const& line) { return share_of(line.amount.of(by), line.whole.of(by)); };
  columns.insert(columns.end(),
                 {{"messages", "Messages", Kind::count, [](PairLine const& line) { return line.amount.messages; }},
                  {"bytes", "Bytes", Kind::bytes, [](PairLine const& line) { return line.amount.bytes; }}});
  if (has_sizes)
    columns.push_back({"bar", by_bytes ? "Part of bytes" : "Part of messages", Kind::bar,
                       [share](PairLine const& line) { return draw_bar(share(line).value_or(0)); }, In::text});
  else
    columns.push_back({by_bytes ? "bytes_share" : "messages_share", by_bytes ? "Of all bytes" : "Of all messages",
                       Kind::share, share, In::people});
  if (!has_sizes && traffic.has_estimate)
    columns.push_back({"has_estimate", "", Kind::number, [](PairLine const&) { return std::uint64_t{1}; }});
  return {.name = has_pairs ? "pairs" : "sizes", .columns = std::move(columns)};
}

table::Table table_of_sizes(Traffic const& traffic, Measure by) {
  std::map<SizeBin, Amount> sums;
  for (SizedTraffic const& one : traffic.sizes) sums[one.size] += one.amount;
  std::vector<PairLine> lines;
  for (auto const& [size, amount] : sums) lines.push_back({nullptr, size, amount, traffic.total});
  table::Table table = table_of(view_of_pairs(traffic, by, false), std::move(lines));
  table.in = ~In::csv;
  table.indent = 2;
  if (table.lines > 0) table.above = "All pairs\n";
  return table;
}

// The pairs in the order of ranks, or the busiest first if there is a limit; each with a block of its sizes, or as one
// line.
table::Table table_of_pairs(Traffic const& traffic, Measure by, std::optional<std::size_t> top) {
  std::vector<PairTraffic const*> order;
  for (PairTraffic const& one : traffic.pairs) order.push_back(&one);
  if (top)
    std::ranges::stable_sort(order, std::ranges::greater{}, [by](auto const* pair) { return pair->amount.of(by); });
  std::vector<PairLine> lines;
  std::vector<PairTraffic const*> pair_of;
  for (PairTraffic const* const pair : table::first_of(order, top)) {
    if (!traffic.has_sizes) lines.push_back({pair, {}, pair->amount, traffic.total});
    else
      for (SizedTraffic const& one : with_key(traffic.sizes, pair->ends(), &SizedTraffic::ends))
        lines.push_back({pair, one.size, one.amount, pair->amount});
    pair_of.resize(lines.size(), pair);
  }
  table::Table table = table_of(view_of_pairs(traffic, by, true), std::move(lines));
  table.hidden = order.size() - std::min(order.size(), top.value_or(order.size()));
  table.noun = "pair";
  if (!traffic.has_sizes) return table;
  table.indent = 2;
  table.heading = table::headings([of = std::move(pair_of)](std::size_t line) { return of[line]; },
                                  [&traffic](PairTraffic const* pair) {
                                    return fmt::format("From {} to {}\n", format_end(traffic, pair->from),
                                                       format_end(traffic, pair->to));
                                  });
  return table;
}

// A part of all messages: a class, those within hosts.
struct PartOfTraffic {
  std::string_view name;
  Amount amount;
};

table::Table table_of_parts(Traffic const& traffic) {
  table::View<PartOfTraffic> const view{
      .name = "parts",
      .columns = {{"part", "", Kind::name, &PartOfTraffic::name},
                  {"messages", "", Kind::count, [](PartOfTraffic const& one) { return one.amount.messages; }},
                  {"bytes", "", Kind::bytes, [](PartOfTraffic const& one) { return one.amount.bytes; }}}};
  std::vector<PartOfTraffic> parts{{"total", traffic.total}, {"within_hosts", traffic.within_hosts}};
  if (traffic.is_by_host) parts.push_back({"of_unknown_hosts", traffic.of_unknown_hosts});
  for (auto const& [one, name] : classes_with_estimate.rows) parts.push_back({name, traffic.of(one)});
  if (Amount const given = given_to_transport(traffic); given.messages > 0) parts.push_back({"transport", given});
  table::Table table = table_of(view, std::move(parts));
  table.in = In::json;
  return table;
}

}  // namespace

std::int64_t rank_number(WorldRank rank) { return rank == other_world ? -1 : static_cast<std::int64_t>(rank); }

std::string field_of_end(Traffic const& traffic, WorldRank end) {
  if (!traffic.is_by_host) return fmt::format("{}", rank_number(end));
  return end == other_world ? "" : traffic.host_names[static_cast<std::size_t>(end)];
}

void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure) {
  std::map<std::pair<WorldRank, WorldRank>, std::uint64_t> amounts;
  for (PairTraffic const& pair : traffic.pairs) {
    if (pair.from == pair.to || pair.from == other_world || pair.to == other_world) continue;
    amounts[{pair.from, pair.to}] += pair.amount.of(measure);
    amounts[{pair.to, pair.from}] += pair.amount.of(measure);
  }
  auto one = amounts.begin();
  for (std::uint32_t row = 0; row < traffic.run.ranks; ++row) {
    for (std::uint32_t column = 0; column < traffic.run.ranks; ++column) {
      bool const has_any =
          one != amounts.end() && one->first == std::pair(static_cast<WorldRank>(row), static_cast<WorldRank>(column));
      if (column > 0) out << ' ';
      out << (has_any ? one++->second : 0);
    }
    out << '\n';
  }
}

Document messages(Traffic const& traffic, TrafficLayout const& layout) {
  bool const has_sizes = traffic.has_sizes, has_matrix = !traffic.pairs.empty() && !has_sizes && !layout.top;
  auto matrix = has_matrix ? table_of_matrix(traffic, layout) : std::nullopt;
  Document document = document_of(traffic);
  if (!traffic.pairs.empty()) document.notes = notes_of(traffic);
  document.run["bytes_sent"] = traffic.bytes_sent ? Json(*traffic.bytes_sent) : Json();
  if (auto missing = part_of_bytes_sent(traffic.total.bytes, traffic.bytes_sent); !missing.empty())
    document.notes.emplace_back("Not there", std::move(missing));
  table::Table data = table_of_pairs(traffic, layout.by, layout.top);
  table::Table people = layout.top ? data : table_of_pairs(traffic, layout.by, pairs_of_a_long_list);
  table::Table page = layout.top || traffic.pairs.size() <= pairs_of_a_page
                          ? data
                          : table_of_pairs(traffic, layout.by, pairs_of_a_page);
  page.in = In::page;
  page.title = page.hidden > 0 ? "The busiest pairs" : "Pairs";
  if (!has_sizes) page.drawing = {{"as", "cells"}, {"x", "dst"}, {"y", "src"}, {"values", {"bytes", "messages"}}};
  data.in = In::data;
  people.in = In::text;
  people.if_empty = "No messages in this selection.\n";
  if (has_sizes) document.tables.push_back(table_of_sizes(traffic, layout.by));
  document.tables.push_back(std::move(data));
  document.tables.push_back(std::move(page));
  document.tables.push_back(matrix ? std::move(*matrix) : std::move(people));
  document.tables.push_back(table_of_parts(traffic));
  return document;
}

}  // namespace mpisee_through
