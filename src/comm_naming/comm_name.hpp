// The name of a communicator, as a function of its history: what every member knows about the calls that led to it. See
// docs/design.md, "Names". Knows no MPI and stores nothing. Sets of ranks as text are here, too.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string_view>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "calls/call_table.hpp"

namespace commprof {

// A set of ranks as a name has it: 5, 0-3, or 0-6:2 if the ranks are a range with a stride; else the smallest rank and
// a hash of all, 0.3f2a9c1d. Any two processes that add the same ranks, in whichever order, get the same text.
//
// Stores no ranks, so it needs no memory. A process without memory thus makes the names that others make.
class RankSet {
 public:
  // Each rank once.
  constexpr void add(std::int32_t rank) {
    if (count_ == 0) smallest_ = largest_ = any_ = rank;
    smallest_ = std::min(smallest_, rank);
    largest_ = std::max(largest_, rank);
    std::uint32_t const from_any = distance(any_, rank);
    stride_ = std::gcd(stride_, from_any);
    sum_ += scattered(static_cast<std::uint32_t>(rank) + 1U);
    ++count_;
  }

  constexpr std::uint32_t count() const { return count_; }
  constexpr std::int32_t smallest() const { return smallest_; }
  constexpr std::int32_t largest() const { return largest_; }
  // The distance of neighbours in a range; 0 if there is one rank or none.
  constexpr std::uint32_t stride() const { return stride_; }
  // All ranks differ from one of them by multiples of the stride. So they are a range if there are as many as fit.
  constexpr bool is_range() const {
    return count_ == 1 || (count_ > 1 && std::uint64_t{stride_} * (count_ - 1) == distance(smallest_, largest_));
  }
  constexpr std::uint64_t hash() const { return scattered(sum_ ^ count_); }
  constexpr std::uint32_t short_hash() const { return static_cast<std::uint32_t>(hash() >> 32); }

 private:
  static constexpr std::uint32_t distance(std::int32_t a, std::int32_t b) {
    return a < b ? static_cast<std::uint32_t>(b) - static_cast<std::uint32_t>(a)
                 : static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
  }

  std::uint32_t count_ = 0;
  std::int32_t smallest_ = 0, largest_ = 0;
  std::int32_t any_ = 0;  // the rank that was added first
  std::uint32_t stride_ = 0;
  std::uint64_t sum_ = 0;  // of a hash of each rank
};

// The tag by which threads distinguish concurrent calls on one group: an integer, or the text of
// MPI_Comm_create_from_group.
struct CallTag {
  CallTag() = default;
  CallTag(std::int32_t tag) : number(tag) {}  // NOLINT: stands for the argument
  CallTag(std::string_view tag)               // NOLINT: stands for the argument
      : length(static_cast<std::uint32_t>(tag.size())), begin(tag.data()) {}
  CallTag(char const* tag) : CallTag(tag == nullptr ? std::string_view{} : std::string_view(tag)) {}  // NOLINT
  std::string_view text() const { return {begin, length}; }

  std::int32_t number = 0;
  std::uint32_t length = 0;
  char const* begin = nullptr;
};

// The part of a step for a call that only the members make.
struct MembersOfCall {
  // group: ranks in the parent; of an intercommunicator the group with the smallest rank, and other_group is the other.
  static MembersOfCall of(RankSet const& one, RankSet const& other = {});

  RankSet group;
  RankSet other_group;
  CallTag tag;

  std::uint64_t hash() const;
};

// Writes a name, cut off at the end of the buffer.
class NameWriter {
 public:
  static constexpr std::size_t max_name = 2048;
  // What put_members() writes at most: two ranges of 33 characters and a tag of 17.
  static constexpr std::size_t max_members = 96;

  NameWriter(char* room, std::size_t capacity = max_name) : room_(room), capacity_(capacity) {}

  void put(std::string_view text) {
    for (char const c : text)
      if (length_ < capacity_) room_[length_++] = c;
  }
  template <class Number>
  void put_number(Number number, int base = 10) {
    char digits[24];
    put({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, number, base).ptr - digits)});
  }
  // ordinal: 0 for communicators that share a record.
  void put_step(Letter letter, std::uint32_t ordinal) {
    char const suffix[] = {'_', static_cast<char>(letter)};
    put({suffix, 2});
    if (ordinal == 0) put("*");
    else put_number(ordinal);
  }
  void put_ranks(RankSet const& ranks);
  // Writes what follows the ordinal in the step of a call that only the members make.
  void put_members(MembersOfCall const& call);

  std::string_view view() const { return {room_, length_}; }

 private:
  void put_tag(CallTag const& tag);

  char* room_;
  std::size_t capacity_;
  std::size_t length_ = 0;
};

// A set of ranks in the short form of the profile: ascending, as ranges with stride. 0-63,128-191 or 0-192:64.

// Appends text to a vector; false when memory is used up.
bool append(LastingVector<char>& text, std::string_view part);
bool append_number(LastingVector<char>& text, int number);

// Sorts the ranks, which are a set, and appends their ranges. A stride other than 1 is used from three ranks on; two
// ranks stay apart. False when memory is used up.
bool append_rank_ranges(LastingVector<char>& text, int* ranks, std::size_t count);

// first, first + stride, and so on to last.
struct RankRange {
  std::uint32_t first = 0, last = 0, stride = 1;

  bool operator==(RankRange const&) const = default;
};
// Removes the first range from a list, and the comma after it. Nothing if the list does not begin with a range.
std::optional<RankRange> take_rank_range(std::string_view& list);

// Limits the length. Beyond most_bytes_of_ranges, the text becomes "1000000 ranks, hash 0123456789abcdef", which
// depends only on the ranks. False if memory is used up.
inline constexpr std::size_t most_bytes_of_ranges = 64 * 1024;
inline constexpr std::string_view folded_ranks = " ranks, hash ";
bool fold_long_ranges(LastingVector<char>& text, std::size_t count);

}  // namespace commprof
