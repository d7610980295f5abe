#include "reader/rank_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "files/number_in.hpp"

namespace mpisee_through {
namespace {

// MPI counts ranks in an int.
constexpr std::uint32_t max_rank = std::numeric_limits<std::int32_t>::max();

std::optional<std::uint32_t> parse_number(std::string_view text) {
  auto const number = number_in<std::uint32_t>(text);
  return number && *number <= max_rank ? number : std::nullopt;
}

std::optional<RankSet::Range> parse_range(std::string_view text) {
  std::size_t const dash = text.find('-');
  auto const first = parse_number(text.substr(0, dash));
  if (!first) return std::nullopt;
  if (dash == std::string_view::npos) return RankSet::Range{*first, *first, 1};

  std::string_view const rest = text.substr(dash + 1);
  std::size_t const colon = rest.find(':');
  auto const last = parse_number(rest.substr(0, colon));
  auto const stride = colon == std::string_view::npos ? 1U : parse_number(rest.substr(colon + 1));
  if (!last || !stride || *last < *first || *stride == 0) return std::nullopt;
  return RankSet::Range{*first, *last - (*last - *first) % *stride, *stride};
}

std::uint64_t size_of(RankSet::Range const& range) { return (range.last - range.first) / range.stride + 1; }

}  // namespace

std::optional<RankSet> RankSet::parse(std::string_view text) {
  RankSet set;
  while (!text.empty()) {
    std::size_t const comma = text.find(',');
    auto const range = parse_range(text.substr(0, comma));
    if (!range) return std::nullopt;
    set.ranges_.push_back(*range);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;  // a trailing comma
  }
  return set;
}

bool RankSet::contains(WorldRank rank) const {
  auto const number = static_cast<std::uint32_t>(rank);
  return std::any_of(ranges_.begin(), ranges_.end(), [number](Range const& range) {
    return number >= range.first && number <= range.last && (number - range.first) % range.stride == 0;
  });
}

bool RankSet::is_ascending() const {
  return std::adjacent_find(ranges_.begin(), ranges_.end(), [](Range const& before, Range const& after) {
           return after.first <= before.last;
         }) == ranges_.end();
}

void RankSet::append(RankSet const& later) {
  for (Range const& range : later.ranges_) {
    bool const continues =
        !ranges_.empty() && ranges_.back().stride == 1 && range.stride == 1 && ranges_.back().last + 1 == range.first;
    if (continues) {
      ranges_.back().last = range.last;
    } else {
      ranges_.push_back(range);
    }
  }
}

std::string RankSet::to_string() const {
  std::string text;
  for (Range const& range : ranges_) {
    if (!text.empty()) text += ',';
    text += fmt::format("{}", range.first);
    if (range.last != range.first) text += fmt::format("-{}", range.last);
    if (range.stride != 1) text += fmt::format(":{}", range.stride);
  }
  return text;
}

std::uint64_t RankSet::size() const {
  std::uint64_t ranks = 0;
  for (Range const& range : ranges_) ranks += size_of(range);
  return ranks;
}

WorldRank RankSet::highest() const {
  std::uint32_t highest = 0;
  for (Range const& range : ranges_) highest = std::max(highest, range.last);
  return WorldRank{highest};
}

std::uint64_t RankSet::count_in(RankSet const& other) const {
  std::uint64_t ranks = 0;
  for (Range const& range : ranges_) {
    for (std::uint64_t rank = range.first; rank <= range.last; rank += range.stride) {
      if (other.contains(static_cast<WorldRank>(rank))) ++ranks;
    }
  }
  return ranks;
}

}  // namespace mpisee_through
