#include "comm_naming/rank_ranges.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>

#include "base/hash.hpp"

namespace commprof {

bool append(LastingVector<char>& text, std::string_view part) {
  return std::all_of(part.begin(), part.end(), [&](char c) { return text.push_back(c); });
}

bool append_number(LastingVector<char>& text, int number) {
  char digits[12];
  char const* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  return append(text, {digits, static_cast<std::size_t>(end - digits)});
}

bool append_rank_ranges(LastingVector<char>& text, int* ranks, std::size_t count) {
  std::sort(ranks, ranks + count);
  count = static_cast<std::size_t>(std::unique(ranks, ranks + count) - ranks);
  bool fits = true;
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    int const stride = first + 1 < count ? ranks[first + 1] - ranks[first] : 0;
    while (last + 1 < count && ranks[last + 1] - ranks[last] == stride) ++last;
    bool const is_range = last > first && (stride == 1 || last - first >= 2);
    if (!is_range) last = first;
    if (first > 0) fits &= append(text, ",");
    fits &= append_number(text, ranks[first]);
    if (is_range) {
      fits &= append(text, "-") && append_number(text, ranks[last]);
      if (stride != 1) fits &= append(text, ":") && append_number(text, stride);
    }
    first = last + 1;
  }
  return fits;
}

std::optional<RankRange> take_rank_range(std::string_view& list) {
  RankRange range;
  std::uint32_t* const numbers[] = {&range.first, &range.last, &range.stride};
  char const *at = list.data(), *const end = at + list.size();
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    auto const [next, error] = std::from_chars(at, end, *numbers[i]);
    if (error != std::errc{} || *numbers[i] > INT32_MAX) return std::nullopt;  // MPI counts ranks in an int
    at = next;
    if (i == 0) range.last = range.first;
    if (at == end || *at != (i == 0 ? '-' : ':')) break;
    ++at;
  }
  if (range.last < range.first || range.stride == 0) return std::nullopt;
  range.last -= (range.last - range.first) % range.stride;
  if (range.last == range.first) range.stride = 1;
  if (at != end && (*at++ != ',' || at == end)) return std::nullopt;
  list.remove_prefix(static_cast<std::size_t>(at - list.data()));
  return range;
}

bool fold_long_ranges(LastingVector<char>& text, std::size_t count) {
  if (text.size() <= most_bytes_of_ranges) return true;
  char folded[64];
  int const length = std::snprintf(folded, sizeof folded, "%zu%s%016llx", count, folded_ranks.data(),
                                   static_cast<unsigned long long>(hash_of({text.begin(), text.size()})));
  text.clear();
  return append(text, {folded, static_cast<std::size_t>(length)});
}

}  // namespace commprof
