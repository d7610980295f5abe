#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using namespace align;

constexpr std::size_t most_ranks_of_a_matrix = 32;
constexpr std::size_t pairs_of_a_long_list = 10;

std::string format_end(Traffic const& traffic, WorldRank end) {
  return end == other_world ? "other" : field_of_end(traffic, end);
}

std::string format_amount(std::uint64_t amount, Measure measure) {
  return measure == Measure::bytes ? format_bytes(amount) : format_count(amount);
}

std::optional<double> part_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

void print_facts(std::ostream& out, Traffic const& traffic) {
  auto const describe = [](Amount const& amount) {
    return fmt::format("{} with {}", format_count(amount.messages), format_bytes(amount.bytes));
  };
  print_fact(
      out, "Messages",
      fmt::format("{}, between {}", describe(traffic.total),
                  format_number_of(traffic.pairs.size(), "pair") + (traffic.is_by_host ? " of hosts" : " of ranks")));
  for (TrafficClass const one : traffic_classes) {
    if (traffic.of(one).messages > 0) print_fact(out, fmt::format("  {}", name_of(one)), describe(traffic.of(one)));
  }
  print_fact(out, "In a host",
             fmt::format("{} of the bytes, {} of the messages",
                         format_share(part_of(traffic.within_hosts.bytes, traffic.total.bytes)),
                         format_share(part_of(traffic.within_hosts.messages, traffic.total.messages))));
  if (traffic.of_unknown_hosts.messages > 0)
    print_fact(out, "Not told", describe(traffic.of_unknown_hosts) + ", for whose hosts there was no room");
}

// A matrix of few ranks, with sums. The same ranks in rows and columns, so that the diagonal is one.
class Matrix {
 public:
  Matrix(Traffic const& traffic, Measure measure) : traffic_(traffic), measure_(measure) {
    std::set<WorldRank> ranks;
    for (PairTraffic const& pair : traffic.pairs) {
      ranks.insert({pair.from, pair.to});
      if (ranks.size() > most_ranks_of_a_matrix) return;
    }
    ranks_.assign(ranks.begin(), ranks.end());
    for (WorldRank const rank : ranks_) titles_.push_back(format_end(traffic, rank));
    fill();
    std::vector<Columns::Column> columns{{"From\\To", right}};
    for (std::string const& title : titles_) columns.push_back({title, right});
    columns.push_back({"All", right});
    columns_.emplace(0, std::move(columns));
    for (std::vector<std::string> const& line : lines_) columns_->fit(line);
  }

  [[nodiscard]] bool fits(std::optional<std::size_t> width) const {
    return columns_ && (!width || columns_->width() <= *width);
  }

  void print(std::ostream& out) const {
    columns_->print_titles(out);
    for (std::vector<std::string> const& line : lines_) columns_->print(out, line);
  }

 private:
  [[nodiscard]] std::size_t place(WorldRank rank) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ranks_, rank) - ranks_.begin());
  }

  void fill() {
    std::size_t const size = ranks_.size();
    std::vector<Amount> sent(size);
    std::vector<Amount> received(size);
    Amount all;
    std::vector<std::vector<std::string>> cells(size, std::vector<std::string>(size, "-"));
    for (PairTraffic const& pair : traffic_.pairs) {
      cells[place(pair.from)][place(pair.to)] = format(pair.amount);
      sent[place(pair.from)] += pair.amount;
      received[place(pair.to)] += pair.amount;
      all += pair.amount;
    }
    std::vector<std::string> sums{"All"};
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<std::string>& line = lines_.emplace_back(std::move(cells[i]));
      line.insert(line.begin(), titles_[i]);
      line.push_back(format(sent[i]));
      sums.push_back(format(received[i]));
    }
    sums.push_back(format(all));
    lines_.push_back(std::move(sums));
  }

  [[nodiscard]] std::string format(Amount const& amount) const {
    return amount.messages == 0 ? "-" : format_amount(amount.of(measure_), measure_);
  }

  Traffic const& traffic_;
  Measure measure_;
  std::vector<WorldRank> ranks_;
  std::vector<std::string> titles_;
  std::vector<std::vector<std::string>> lines_;
  std::optional<Columns> columns_;
};

void print_remainder(std::ostream& out, Traffic const& traffic, std::size_t shown) {
  if (shown >= traffic.pairs.size()) return;
  fmt::print(out, "\nNot shown: {}. --top N shows more, --matrix-csv FILE writes all.\n",
             format_number_of(traffic.pairs.size() - shown, "pair"));
}

void print_pairs(std::ostream& out, Traffic const& traffic, Measure measure, std::size_t count) {
  std::vector<std::size_t> order = busiest_pairs(traffic, measure);
  order.resize(std::min(order.size(), count));
  auto const cells = [&](std::size_t index) {
    PairTraffic const& pair = traffic.pairs[index];
    return std::vector<std::string>{format_end(traffic, pair.from), format_end(traffic, pair.to),
                                    format_count(pair.amount.messages), format_bytes(pair.amount.bytes),
                                    format_share(part_of(pair.amount.of(measure), traffic.total.of(measure)))};
  };
  Columns columns(0, {{"From", right},
                      {"To", right},
                      {"Messages", right},
                      {"Bytes", right},
                      {measure == Measure::bytes ? "Of all bytes" : "Of all messages", right}});
  for (std::size_t const index : order) columns.fit(cells(index));
  columns.print_titles(out);
  for (std::size_t const index : order) columns.print(out, cells(index));
  print_remainder(out, traffic, order.size());
}

std::vector<std::string> cells(SizeAmount const& one, Amount const& all, Measure measure) {
  return {format_size_bin(one.size), format_count(one.amount.messages), format_bytes(one.amount.bytes),
          format_bar(one.amount.of(measure), all.of(measure))};
}

void print_histograms(std::ostream& out, Traffic const& traffic, Measure measure, std::size_t count) {
  std::vector<std::size_t> order = busiest_pairs(traffic, measure);
  order.resize(std::min(order.size(), count));
  std::vector<SizeAmount> const all = sizes_of_all(traffic);
  Columns columns(2, {{"Size", left},
                      {"Messages", right},
                      {"Bytes", right},
                      {measure == Measure::bytes ? "Part of bytes" : "Part of messages", left}});
  for (SizeAmount const& one : all) columns.fit(cells(one, traffic.total, measure));

  out << "All pairs\n";
  columns.print_titles(out);
  for (SizeAmount const& one : all) columns.print(out, cells(one, traffic.total, measure));
  for (std::size_t const index : order) {
    PairTraffic const& pair = traffic.pairs[index];
    fmt::print(out, "\nFrom {} to {}\n", format_end(traffic, pair.from), format_end(traffic, pair.to));
    columns.print_titles(out);
    for (SizeAmount const& one : sizes_of(traffic, pair)) columns.print(out, cells(one, pair.amount, measure));
  }
  print_remainder(out, traffic, order.size());
}

}  // namespace

std::vector<std::size_t> pairs_to_list(Traffic const& traffic, TrafficLayout const& layout) {
  if (layout.top) {
    std::vector<std::size_t> busiest = busiest_pairs(traffic, layout.by);
    busiest.resize(std::min(busiest.size(), *layout.top));
    return busiest;
  }
  std::vector<std::size_t> all(traffic.pairs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::int64_t rank_number(WorldRank rank) { return rank == other_world ? -1 : static_cast<std::int64_t>(rank); }

std::string field_of_end(Traffic const& traffic, WorldRank end) {
  if (!traffic.is_by_host) return fmt::format("{}", rank_number(end));
  return end == other_world ? "" : traffic.host_names[static_cast<std::size_t>(end)];
}

void print_traffic(std::ostream& out, Traffic const& traffic, TrafficLayout const& layout) {
  if (traffic.pairs.empty()) {
    out << "\nNo messages in this selection.\n";
    return;
  }
  print_facts(out, traffic);
  out << '\n';
  std::size_t const count = layout.top.value_or(pairs_of_a_long_list);
  if (traffic.detail == Detail::message_sizes) return print_histograms(out, traffic, layout.by, count);
  if (!layout.top) {
    Matrix const matrix(traffic, layout.by);
    if (matrix.fits(layout.width)) return matrix.print(out);
  }
  print_pairs(out, traffic, layout.by, count);
}

}  // namespace mpisee_through
