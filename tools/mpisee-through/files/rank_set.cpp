#include "files/rank_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace mpisee_through {
namespace {

using Range = RankSet::Range;

std::optional<std::vector<Range>> parse_ranges(std::string_view text) {
  std::vector<Range> ranges;
  while (!text.empty()) {
    auto const range = commprof::take_rank_range(text);
    if (!range) return std::nullopt;
    ranges.push_back(*range);
  }
  return ranges;
}

bool reach_into(Range const& before, Range const& after) { return after.first <= before.last; }

bool ascend(std::vector<Range> const& ranges) { return std::ranges::adjacent_find(ranges, reach_into) == ranges.end(); }

std::uint64_t size_of(Range const& range) { return (range.last - range.first) / range.stride + 1; }

}  // namespace

std::optional<RankSet> RankSet::parse(std::string_view text) {
  auto ranges = parse_ranges(text);
  return ranges ? sorted(*std::move(ranges)) : std::nullopt;
}

std::optional<RankSet> RankSet::parse_ascending(std::string_view text) {
  auto ranges = parse_ranges(text);
  return ranges && ascend(*ranges) ? sorted(*std::move(ranges)) : std::nullopt;
}

std::optional<RankSet> RankSet::union_of(std::span<RankSet const> sets) {
  std::vector<Range> ranges;
  for (RankSet const& one : sets) ranges.insert(ranges.end(), one.ranges_.begin(), one.ranges_.end());
  return sorted(std::move(ranges));
}

std::optional<RankSet> RankSet::sorted(std::vector<Range> ranges) {
  RankSet set;
  bool const is_sorted = ascend(ranges);
  set.ranges_ = std::move(ranges);
  if (is_sorted) return set;
  auto numbers = set.numbers();
  if (!numbers) return std::nullopt;
  std::ranges::sort(*numbers);
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
  set.ranges_.clear();
  for (std::int32_t const number : *numbers) set.append(WorldRank{static_cast<std::uint32_t>(number)});
  return set;
}

bool RankSet::contains(WorldRank rank) const {
  auto const number = static_cast<std::uint32_t>(rank);
  auto const range = std::ranges::lower_bound(ranges_, number, {}, &Range::last);
  return range != ranges_.end() && number >= range->first && (number - range->first) % range->stride == 0;
}

void RankSet::append(RankSet const& later) {
  for (Range const& range : later.ranges_) append(range);
}

void RankSet::append(Range const& range) {
  bool const continues =
      !ranges_.empty() && ranges_.back().stride == 1 && range.stride == 1 && ranges_.back().last + 1 == range.first;
  if (continues) ranges_.back().last = range.last;
  else ranges_.push_back(range);
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

std::optional<std::vector<std::int32_t>> RankSet::numbers() const {
  if (size() > most_numbers) return std::nullopt;
  std::vector<std::int32_t> numbers;
  numbers.reserve(size());
  for (Range const& range : ranges_)
    for (std::uint64_t number = range.first; number <= range.last; number += range.stride)
      numbers.push_back(static_cast<std::int32_t>(number));
  return numbers;
}

std::uint64_t RankSet::count_in(RankSet const& other) const {
  if (other.size() < size()) return other.count_in(*this);
  std::uint64_t ranks = 0;
  for (Range const& range : ranges_)
    for (std::uint64_t number = range.first; number <= range.last; number += range.stride)
      ranks += other.contains(WorldRank{static_cast<std::uint32_t>(number)}) ? 1 : 0;
  return ranks;
}

std::string ranges_of(std::vector<std::int32_t> ranks) {
  commprof::PageVector<char> text;
  commprof::append_rank_ranges(text, ranks.data(), ranks.size());
  return {text.begin(), text.size()};
}

std::string others_than(std::vector<std::int32_t> const& ranks, std::int32_t bound) {
  RankSet others;
  std::int32_t next = 0;
  auto const add_below = [&](std::int32_t end) {
    if (next < end) others.append({static_cast<std::uint32_t>(next), static_cast<std::uint32_t>(end - 1), 1});
    next = end + 1;
  };
  for (std::int32_t const rank : ranks) add_below(rank);
  add_below(bound);
  return others.to_string();
}

std::string shorten_members(std::string_view members) {
  constexpr std::size_t room = 40;
  if (members.size() <= room) return std::string(members);
  // members.size() > room, and no range is that long: so there is a comma before the end of the room.
  std::size_t const head_end = members.rfind(',', room);
  std::size_t const tail_begin = members.rfind(',');
  if (head_end == members.npos || head_end >= tail_begin) return std::string(members);
  return fmt::format("{},...{}", members.substr(0, head_end), members.substr(tail_begin));
}

}  // namespace mpisee_through
