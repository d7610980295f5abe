#include <fmt/format.h>

#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "reader/group_by.hpp"
#include "reader/profile_reader.hpp"
#include "report/page.hpp"
#include "summary/selection.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {
namespace {

using table::Kind;

constexpr std::size_t most_cells = std::size_t{1} << 15U;  // on the page, which has 2 MB for them
constexpr std::uint32_t outside = static_cast<std::uint32_t>(other_world);

// Messages of a class on a communicator, between ranks or bins of them.
struct Pair {
  std::uint32_t traffic_class, communicator, from, to;

  auto operator<=>(Pair const&) const = default;
  // The pair of bins that are twice as large. Never joins another world with ranks.
  [[nodiscard]] Pair doubled() const {
    auto const end = [](std::uint32_t rank) { return rank == outside ? rank : rank / 2; };
    return {traffic_class, communicator, end(from), end(to)};
  }
};

using Sums = std::vector<SortedSums<Pair, Amount>::Entry>;

// Joins neighbouring ranks in twos.
Sums joined(Sums const& sums) {
  SortedSums<Pair, Amount> joined;
  for (auto const& [pair, amount] : sums) joined.add(pair.doubled(), amount);
  return joined.take();
}

struct MapLine {
  std::string of;
  std::uint32_t from, to;
  Amount amount;
};

// The sums by what a user can choose: all, a class, a communicator.
std::vector<MapLine> lines_of(Sums const& pairs, std::vector<std::string> const& communicators) {
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t>, Amount> sums;
  std::vector<std::string> choices{"all messages"};
  for (auto const& [one, name] : traffic_classes.rows) choices.push_back(fmt::format("class {}", name));
  std::size_t const first = choices.size();
  for (std::string const& name : communicators) choices.push_back(fmt::format("on {}", name));
  for (auto const& [pair, amount] : pairs)
    for (std::size_t const choice : {std::size_t{0}, std::size_t{1} + pair.traffic_class, first + pair.communicator})
      if (choice < choices.size()) sums[{choice, pair.from, pair.to}] += amount;
  std::vector<MapLine> lines;
  for (auto const& [key, amount] : sums) {
    auto const& [choice, from, to] = key;
    lines.push_back({choices[choice], from, to, amount});
  }
  return lines;
}

}  // namespace

table::Table pair_map(Profile const& profile, Selection const& selection,
                      std::vector<std::string> const& communicators) {
  TextMap<std::uint32_t> places;
  for (std::string const& name : communicators) places.emplace(name, static_cast<std::uint32_t>(places.size()));
  auto const pair_of = [&, known = Memo<std::uint32_t>()](PeerRow const& row) mutable {
    auto const place_of = [&] {
      auto const found = places.find(row.communicator);
      return found == places.end() ? static_cast<std::uint32_t>(places.size()) : found->second;
    };
    return Pair{static_cast<std::uint32_t>(row.traffic_class), known.get(row.communicator, place_of),
                static_cast<std::uint32_t>(row.from), static_cast<std::uint32_t>(row.to)};
  };
  Sums sums =
      group_messages(profile, selection, Grouping(pair_of, amount_of<PeerRow>, SortedSums<Pair, Amount>())).take();
  std::uint64_t width = 1;  // ranks of a bin
  for (; sums.size() > most_cells && width < profile.run().ranks; width *= 2) sums = joined(sums);
  std::vector<MapLine> lines = lines_of(sums, communicators);
  for (; lines.size() > most_cells && width < profile.run().ranks; width *= 2) {
    sums = joined(sums);
    lines = lines_of(sums, communicators);
  }
  auto const end = [width, ranks = profile.run().ranks](std::uint32_t MapLine::*bin) {
    return [=](MapLine const& line) {
      if (line.*bin == outside) return table::Value("other");
      std::uint64_t const rank = line.*bin * width, last = std::min<std::uint64_t>(rank + width, ranks) - 1;
      return table::ordered(rank == last ? fmt::format("{}", rank) : fmt::format("{}-{}", rank, last),
                            static_cast<double>(rank));
    };
  };
  table::View<MapLine> const view{
      .name = "map",
      .columns = {{"of", "Of", Kind::name, &MapLine::of},
                  {"src", "From", Kind::figure, end(&MapLine::from)},
                  {"dst", "To", Kind::figure, end(&MapLine::to)},
                  {"bytes", "Bytes", Kind::bytes, [](MapLine const& line) { return line.amount.bytes; }},
                  {"messages", "Messages", Kind::count, [](MapLine const& line) { return line.amount.messages; }}}};
  table::Table table = table_of(view, std::move(lines));
  table.in = table::In::page;
  table.title = width == 1 ? "From rank to rank" : fmt::format("From rank to rank, {} neighbours together", width);
  table.noun = "pair";
  table.drawing = {{"as", "cells"},
                   {"x", "dst"},
                   {"y", "src"},
                   {"values", {"bytes", "messages"}},
                   {"width", width},
                   {"choose", "of"},
                   {"ranks", profile.run().ranks}};
  return table;
}

}  // namespace mpisee_through
