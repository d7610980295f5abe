#include "waiting/ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "comm_naming/rank_ranges.hpp"

namespace mpisee_through {
namespace {

struct Range {
  std::int32_t first = 0, last = 0, stride = 1;
};

std::optional<Range> parse_run(std::string_view text) {
  Range range;
  char const* at = text.data();
  char const* const end = at + text.size();
  auto const number = [&](std::int32_t& value) {
    auto const [stopped, error] = std::from_chars(at, end, value);
    at = stopped;
    return error == std::errc{} && value >= 0;
  };
  auto const next_is = [&](char wanted) { return at != end && *at == wanted && (++at, true); };
  if (!number(range.first)) return std::nullopt;
  range.last = range.first;
  if (next_is('-') && !number(range.last)) return std::nullopt;
  if (next_is(':') && (!number(range.stride) || range.stride == 0)) return std::nullopt;
  return at == end && range.last >= range.first ? std::optional(range) : std::nullopt;
}

}  // namespace

std::optional<std::vector<std::int32_t>> parse_ranks(std::string_view text, std::int32_t bound) {
  std::vector<std::int32_t> ranks;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(','), text.size());
    auto const range = parse_run(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!range || range->last >= bound || (!ranks.empty() && range->first <= ranks.back())) return std::nullopt;
    for (std::int64_t rank = range->first; rank <= range->last; rank += range->stride)
      ranks.push_back(static_cast<std::int32_t>(rank));
  }
  return ranks;
}

std::string ranges_of(std::vector<std::int32_t> ranks) {
  commprof::PageVector<char> text;
  commprof::append_rank_ranges(text, ranks.data(), ranks.size());
  return {text.begin(), text.size()};
}

std::string others_than(std::vector<std::int32_t> const& ranks, std::int32_t bound) {
  std::string text;
  auto const add = [&](std::int32_t first, std::int32_t end) {
    if (first < end)
      text += fmt::format("{}{}{}", text.empty() ? "" : ",", first, end - first > 1 ? fmt::format("-{}", end - 1) : "");
  };
  std::int32_t next = 0;
  for (std::int32_t const rank : ranks) {
    add(next, rank);
    next = rank + 1;
  }
  add(next, bound);
  return text;
}

}  // namespace mpisee_through
