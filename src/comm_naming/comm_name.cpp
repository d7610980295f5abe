#include "comm_naming/comm_name.hpp"

#include <charconv>
#include <cstdio>
#include <iterator>
#include <utility>

namespace commprof {

namespace {

constexpr std::size_t max_text_of_tag = 16;

bool is_letter_or_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether a text can stand in a name as it is, in any file and list.
bool is_plain(std::string_view text) {
  return text.size() <= max_text_of_tag && std::all_of(text.begin(), text.end(), is_letter_or_digit);
}

std::uint64_t hash_of(CallTag const& tag) {
  return scattered(commprof::hash_of(tag.text()) ^ static_cast<std::uint32_t>(tag.number));
}

}  // namespace

MembersOfCall MembersOfCall::of(RankSet const& one, RankSet const& other) {
  MembersOfCall call;
  call.group = one;
  call.other_group = other;
  if (other.count() > 0 && other.smallest() < one.smallest()) std::swap(call.group, call.other_group);
  return call;
}

std::uint64_t MembersOfCall::hash() const {
  return scattered(scattered(group.hash() + 1) ^ scattered(other_group.hash() + 2) ^ scattered(hash_of(tag) + 3));
}

void NameWriter::put_ranks(RankSet const& ranks) {
  put_number(ranks.smallest());
  if (ranks.count() <= 1) return;
  if (!ranks.is_range()) {
    put(".");
    return put_number(ranks.short_hash(), 16);
  }
  put("-");
  put_number(ranks.largest());
  if (ranks.stride() == 1) return;
  put(":");
  put_number(ranks.stride());
}

void NameWriter::put_tag(CallTag const& tag) {
  if (tag.number != 0) {
    put(".t");
    put_number(tag.number);
  }
  if (tag.length == 0) return;
  put(".");
  if (is_plain(tag.text())) put(tag.text());
  else put_number(static_cast<std::uint32_t>(hash_of(tag)), 16);
}

void NameWriter::put_members(MembersOfCall const& call) {
  put(".");
  put_ranks(call.group);
  if (call.other_group.count() > 0) {
    put(".");
    put_ranks(call.other_group);
  }
  put_tag(call.tag);
}

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
