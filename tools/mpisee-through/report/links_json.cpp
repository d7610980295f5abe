#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "report/json_parts.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t parts_named = 3;

// The largest parts, and the number of the others.
template <class Parts, class Name>
Json parts_json(Parts const& parts, Name const& name) {
  Json list = Json::array();
  std::size_t const named = std::min(parts.size(), parts_named);
  for (std::size_t i = 0; i < named; ++i) list.push_back({{"name", name(parts[i])}, {"bytes", parts[i].amount.bytes}});
  return {{"list", list}, {"further", parts.size() - named}};
}

Json link_json(LinkSums::Link const& link) {
  auto const name = [](LinkFilling::Part const& part) { return part.name; };
  auto const ends = [](PairTraffic const& pair) {
    return fmt::format("{} to {}", static_cast<std::uint32_t>(pair.from), static_cast<std::uint32_t>(pair.to));
  };
  Json one = json_of(link.row);
  one["communicators"] = parts_json(link.filling.communicators, name);
  one["operations"] = parts_json(link.filling.operations, name);
  one["pairs"] = parts_json(link.filling.pairs, ends);
  return one;
}

}  // namespace

Json links_json(LinkSums const& sums) {
  Json facts = Json::array();
  for (auto const& [label, text] : sums.facts) facts.push_back({label, text});
  Json levels = Json::array();
  for (LevelLoad const& level : sums.levels)
    levels.push_back({{"level", level.level},
                      {"links", level.links},
                      {"used", level.used},
                      {"bytes", level.sum.bytes},
                      {"messages", level.sum.messages},
                      {"most_bytes", level.most.bytes},
                      {"most_share", number_or_null(level.most_share)}});
  Json list = Json::array();
  for (LinkSums::Link const& link : sums.busiest) list.push_back(link_json(link));
  return {{"facts", facts}, {"levels", levels}, {"list", list}, {"left_out", sums.left_out}, {"picture", sums.picture}};
}

}  // namespace mpisee_through
