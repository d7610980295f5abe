#include "transport/tag_layout.hpp"

#include <cstddef>

namespace commprof::transport {

namespace {

// The words of a lesson. What all processes must agree on comes first, each value as it is and inverted. After a
// bitwise or over all processes, no bit is set in both only if the values were equal.
enum Word : std::size_t { tag_mask, collective_bit, first, step, equal_words };
// Bits of the rest of a tag, which has the sender's rank, that are set on one process and not set on another.
constexpr std::size_t set_in_rest = 2 * equal_words, not_set_in_rest = set_in_rest + 1;
// Bits in which the communicator of a blocking collective differs from that of a nonblocking one, on any process: an
// MPI may have communicators of its own within one.
constexpr std::size_t inner = not_set_in_rest + 1;
static_assert(inner < TagLayout::words);

bool is_one_field(std::uint64_t mask) { return std::has_single_bit((mask >> std::countr_zero(mask)) + 1); }

}  // namespace

TagLayout::Lesson TagLayout::lesson_of(HeardTags const& heard) {
  std::uint64_t const mask = heard.with_tag_0 ^ heard.with_largest_tag, lowest = heard.with_tag_0 ^ heard.with_tag_1;
  if (mask == 0 || !is_one_field(mask) || lowest != (mask & -mask)) return {};
  std::uint64_t const rest = heard.with_tag_0 & ~mask, bit = (heard.first_nonblocking ^ rest) & ~mask;
  if (!std::has_single_bit(bit)) return {};
  auto const number = [&](std::uint64_t tag) { return (tag & mask) >> std::countr_zero(mask); };
  std::uint64_t const one = number(heard.first_nonblocking), other = number(heard.second_nonblocking);
  if (((heard.second_nonblocking ^ heard.first_nonblocking) & ~mask) != 0 || (other != one + 1 && one != other + 1))
    return {};
  Lesson lesson{};
  std::uint64_t const equal[equal_words]{mask, bit, one, other > one ? 1U : 2U};
  for (std::size_t i = 0; i < equal_words; ++i) {
    lesson[2 * i] = equal[i];
    lesson[2 * i + 1] = ~equal[i];
  }
  lesson[set_in_rest] = rest;
  lesson[not_set_in_rest] = ~mask & ~rest;
  lesson[inner] = (heard.blocking & ~heard.first_nonblocking) | (heard.not_blocking & heard.first_nonblocking);
  return lesson;
}

TagLayout::TagLayout(Lesson const& combined) {
  for (std::size_t i = 0; i < equal_words; ++i)
    if (~combined[2 * i] != combined[2 * i + 1]) return;
  tag_mask_ = combined[2 * tag_mask];
  collective_bit_ = combined[2 * collective_bit];
  first_ = static_cast<std::int64_t>(combined[2 * first]);
  is_descending_ = combined[2 * step] != 1;
  std::uint64_t const rank = combined[set_in_rest] & combined[not_set_in_rest];
  context_mask_ = ~(tag_mask_ | collective_bit_ | rank | combined[inner]);
}

}  // namespace commprof::transport
