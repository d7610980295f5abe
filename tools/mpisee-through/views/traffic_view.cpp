// Shows messages between ranks or hosts: a matrix if it fits, otherwise the busiest pairs; with sizes, histograms.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "files/visible_text.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_json, table::only_text;

constexpr std::size_t most_ranks_of_a_matrix = 32;
constexpr std::size_t pairs_of_a_long_list = 10;

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

void print_transport(std::ostream& out, Traffic const& traffic) {
  Amount const given = given_to_transport(traffic);
  auto const& factor = traffic.bytes_given_for_each;
  if (given.messages > 0)
    print_fact(out, "Transport",
               fmt::format("was given {} in the whole run{}: --class network", describe(given),
                           factor ? fmt::format(", {:.2f} bytes for each byte that the program sends", *factor) : ""));
  if (std::string const unseen = describe_unseen(traffic.seen_by_transport); !unseen.empty())
    print_fact(out, given.messages > 0 ? "" : "Transport", unseen);
}

void print_facts(std::ostream& out, Traffic const& traffic) {
  print_fact(
      out, "Messages",
      fmt::format("{}, between {}", describe(traffic.total),
                  format_number_of(traffic.pairs.size(), "pair") + (traffic.is_by_host ? " of hosts" : " of ranks")));
  for (auto const& [one, name] : classes_with_estimate.rows) {
    if (traffic.of(one).messages > 0) {
      std::string_view const how =
          one == TrafficClass::estimate ? ", of collectives, from the bytes of their calls" : "";
      print_fact(out, fmt::format("  {}", name_of(one)), fmt::format("{}{}", describe(traffic.of(one)), how));
    }
  }
  print_transport(out, traffic);
  print_fact(out, "In a host",
             fmt::format("{} of the bytes, {} of the messages",
                         format_share(share_of(traffic.within_hosts.bytes, traffic.total.bytes)),
                         format_share(share_of(traffic.within_hosts.messages, traffic.total.messages))));
  if (traffic.of_unknown_hosts.messages > 0)
    print_fact(out, "Not told", describe(traffic.of_unknown_hosts) + ", for whose hosts there was no room");
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

// The matrix as text. Empty if it does not fit.
std::string text_of_matrix(Traffic const& traffic, TrafficLayout const& layout) {
  std::set<WorldRank> all;
  for (PairTraffic const& pair : traffic.pairs) {
    all.insert({pair.from, pair.to});
    if (all.size() > most_ranks_of_a_matrix) return {};
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
  auto const lines = matrix_of(traffic, ranks);
  std::ostringstream text;
  table::write_text(text, table_of(view, lines), {});
  std::string matrix = std::move(text).str();
  bool const fits = !layout.width || display_width(matrix.substr(0, matrix.find('\n'))) <= *layout.width;
  return fits ? matrix : std::string();
}

struct PairLine {
  Traffic const* traffic;
  PairTraffic const* one;
};

struct PairSize {
  SizeAmount one;
  Amount whole;  // the sum over all sizes of the pair, or of all pairs
};

// is_nested: the view has sizes; in CSV the sizes then have the amounts.
table::View<PairLine> view_of_pairs(Traffic const& traffic, Measure by, bool is_nested) {
  auto const column_of_end = [&](char const* key, char const* title, auto end) -> std::vector<table::Column<PairLine>> {
    table::Column<PairLine> const text{key, title, Kind::figure,
                                       [end](PairLine const& line) { return format_end(*line.traffic, end(line)); },
                                       only_text};
    if (!traffic.is_by_host)
      return {{key, "", Kind::number, [end](PairLine const& line) { return rank_number(end(line)); }}, text};
    return {{std::string(key) + "_host", "", Kind::name,
             [end](PairLine const& line) { return field_of_end(*line.traffic, end(line)); }},
            text};
  };
  auto columns = column_of_end("src", "From", [](PairLine const& line) { return line.one->from; });
  std::ranges::move(column_of_end("dst", "To", [](PairLine const& line) { return line.one->to; }),
                    std::back_inserter(columns));
  auto const data = is_nested ? only_json : table::Heading::Data::both;
  columns.insert(
      columns.end(),
      {{"messages", "Messages", Kind::count, [](PairLine const& line) { return line.one->amount.messages; }, data},
       {"bytes", "Bytes", Kind::bytes, [](PairLine const& line) { return line.one->amount.bytes; }, data},
       {by == Measure::bytes ? "bytes_share" : "messages_share",
        by == Measure::bytes ? "Of all bytes" : "Of all messages", Kind::share,
        [by](PairLine const& line) { return share_of(line.one->amount.of(by), line.traffic->total.of(by)); },
        only_text}});
  if (traffic.has_estimate)
    columns.push_back({"has_estimate", "", Kind::number, [](PairLine const&) { return std::uint64_t{1}; }, data});
  return {.name = "pairs", .columns = std::move(columns)};
}

table::View<PairSize> view_of_sizes(Measure by) {
  return {
      .name = "sizes",
      .columns = {
          {"size", "Size", Kind::name, [](PairSize const& line) { return format_size_bin(line.one.size); }, only_text},
          {"size_min", "", Kind::bytes, [](PairSize const& line) { return line.one.size.min_bytes; }},
          {"size_max", "", Kind::bytes, [](PairSize const& line) { return line.one.size.max_bytes; }},
          {"messages", "Messages", Kind::count, [](PairSize const& line) { return line.one.amount.messages; }},
          {"bytes", "Bytes", Kind::bytes, [](PairSize const& line) { return line.one.amount.bytes; }},
          {"bar", by == Measure::bytes ? "Part of bytes" : "Part of messages", Kind::bar,
           [by](PairSize const& line) { return format_bar(line.one.amount.of(by), line.whole.of(by)); }, only_text}}};
}

std::vector<PairSize> size_lines(std::vector<SizeAmount> const& sizes, Amount const& whole) {
  std::vector<PairSize> lines;
  for (SizeAmount const& one : sizes) lines.push_back({one, whole});
  return lines;
}

Json json_of(Amount const& amount) { return {{"messages", amount.messages}, {"bytes", amount.bytes}}; }

Json members_of(Traffic const& traffic, Measure by) {
  Json all{{"total", json_of(traffic.total)}, {"within_hosts", json_of(traffic.within_hosts)}};
  all["bytes_sent"] = traffic.bytes_sent ? Json(*traffic.bytes_sent) : Json();
  if (traffic.is_by_host) all["of_unknown_hosts"] = json_of(traffic.of_unknown_hosts);
  for (auto const& [one, name] : classes_with_estimate.rows) all[std::string(name)] = json_of(traffic.of(one));
  if (traffic.has_estimate) all["without_estimate"] = traffic.without_estimate;
  if (Amount const given = given_to_transport(traffic); given.messages > 0 || traffic.seen_by_transport) {
    Json transport = json_of(given);
    transport["bytes_for_each"] = traffic.bytes_given_for_each ? Json(*traffic.bytes_given_for_each) : Json();
    if (auto const& seen = traffic.seen_by_transport) {
      transport["messages_of_program"] = seen->messages;
      transport["unseen"] = seen->unseen;
      transport["unseen_pairs"] = seen->unseen_pairs;
    }
    all["transport"] = std::move(transport);
  }
  if (traffic.detail.by_size) {
    auto const sizes = view_of_sizes(by);
    auto const lines = size_lines(sizes_of_all(traffic), traffic.total);
    all["sizes"] = json_list(table_of(sizes, lines));
  }
  return {{"run", head(traffic)}, {"traffic", std::move(all)}};
}

void say_hidden_pairs(std::ostream& out, Traffic const& traffic, std::size_t shown) {
  if (shown >= traffic.pairs.size()) return;
  out << fmt::format("\nNot shown: {}. --top N shows more, --matrix-csv FILE writes all.\n",
                     format_number_of(traffic.pairs.size() - shown, "pair"));
}

// Text begins with a block for all pairs.
void show_sizes(std::ostream& out, Format format, Traffic const& traffic, Measure by,
                std::vector<PairLine> const& pairs, AroundTable const& around) {
  std::vector<PairSize> lines;
  std::vector<std::size_t> begin;
  auto const add = [&](std::vector<SizeAmount> const& sizes, Amount const& whole) {
    begin.push_back(lines.size());
    std::ranges::move(size_lines(sizes, whole), std::back_inserter(lines));
  };
  std::size_t const blocks_before = format == Format::text ? 1 : 0;
  if (blocks_before > 0) add(sizes_of_all(traffic), traffic.total);
  for (PairLine const& pair : pairs) add(sizes_of(traffic, *pair.one), pair.one->amount);
  auto const outer = view_of_pairs(traffic, by, true);
  auto const inner = view_of_sizes(by);
  auto const heading = [&](std::size_t block) {
    if (block < blocks_before) return std::string("All pairs\n");
    PairTraffic const& pair = *pairs[block - blocks_before].one;
    return fmt::format("From {} to {}\n", format_end(traffic, pair.from), format_end(traffic, pair.to));
  };
  show(out, format, {table_of(outer, pairs), table_of(inner, lines), begin, heading}, around, {.indent = 2});
}

// The pairs in the order of ranks, or the busiest first if there is a limit; text has a limit by itself.
std::vector<PairLine> pairs_to_list(Traffic const& traffic, Format format, TrafficLayout const& layout) {
  std::vector<PairLine> pairs;
  auto const top = format == Format::text ? std::optional(layout.top.value_or(pairs_of_a_long_list)) : layout.top;
  if (!top) {
    for (PairTraffic const& one : traffic.pairs) pairs.push_back({&traffic, &one});
    return pairs;
  }
  auto const busiest = busiest_pairs(traffic, layout.by);
  for (std::size_t const index : table::first_of(busiest, top)) pairs.push_back({&traffic, &traffic.pairs[index]});
  return pairs;
}

}  // namespace

std::int64_t rank_number(WorldRank rank) { return rank == other_world ? -1 : static_cast<std::int64_t>(rank); }

std::string field_of_end(Traffic const& traffic, WorldRank end) {
  if (!traffic.is_by_host) return fmt::format("{}", rank_number(end));
  return end == other_world ? "" : traffic.host_names[static_cast<std::size_t>(end)];
}

void show(std::ostream& out, Traffic const& traffic, Format format, TrafficLayout const& layout) {
  bool const is_text = format == Format::text, by_size = traffic.detail.by_size;
  bool const has_matrix = is_text && !traffic.pairs.empty() && !by_size && !layout.top;
  std::string const matrix = has_matrix ? text_of_matrix(traffic, layout) : "";
  auto const pairs = matrix.empty() ? pairs_to_list(traffic, format, layout) : std::vector<PairLine>();
  AroundTable around;
  around.members = [&] { return members_of(traffic, layout.by); };
  around.above = [&](std::ostream& text) {
    print_head(text, traffic);
    if (!traffic.pairs.empty()) print_facts(text, traffic);
    text << '\n';
  };
  std::string const part = with_estimate(part_of_bytes_sent(traffic.total.bytes, traffic.bytes_sent));
  std::string const nothing = fmt::format("No messages in this selection.{}{}\n", part.empty() ? "" : " ", part);
  around.if_empty = nothing;
  if (!matrix.empty()) around.if_empty = matrix;
  around.below = [&](std::ostream& text) {
    if (matrix.empty()) say_hidden_pairs(text, traffic, pairs.size());
    if (!part.empty() && !traffic.pairs.empty()) text << '\n' << part << '\n';
    if (std::string const missing = describe_missing_estimate(traffic.without_estimate); !missing.empty())
      text << '\n' << missing << '\n';
  };
  bool const has_sizes = by_size && !(is_text && pairs.empty());
  if (has_sizes) return show_sizes(out, format, traffic, layout.by, pairs, around);
  auto const view = view_of_pairs(traffic, layout.by, by_size);
  show(out, format, table_of(view, pairs), around);
}

}  // namespace mpisee_through
