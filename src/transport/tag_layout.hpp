// What an MPI puts into the 64-bit tags of UCX: a communicator, the sender's rank, and the tag of the MPI. Each MPI and
// release has a layout of its own, so it is learned from a few messages at the end of MPI_Init.
//
// Knows no MPI.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace commprof::transport {

// The tags of messages that a process has sent on one communicator.
struct HeardTags {
  std::uint64_t with_tag_0 = 0, with_tag_1 = 0, with_largest_tag = 0;  // of the program's kind
  std::uint64_t first_nonblocking = 0, second_nonblocking = 0;         // of the first two nonblocking collectives
  std::uint64_t blocking = 0, not_blocking = 0;  // all bits that are set, or not set, in one of a blocking collective
};

class TagLayout {
 public:
  // What one process has learned, as bits that all processes combine with a bitwise or.
  static constexpr std::size_t words = 16;
  using Lesson = std::array<std::uint64_t, words>;
  // All bits are zero if these are not the tags of an MPI that the profiler understands.
  static Lesson lesson_of(HeardTags const& heard);

  TagLayout() = default;
  // is_known() is false if no process has learned anything, or if some have learned different things.
  explicit TagLayout(Lesson const& combined);

  bool is_known() const { return collective_bit_ != 0; }
  // Whether the MPI sends the message for a collective.
  bool is_internal(std::uint64_t tag) const { return (tag & collective_bit_) != 0; }
  // The tag as the MPI has numbered it: 0 for the first nonblocking collective on a communicator, 1 for the next;
  // negative for blocking ones.
  std::int64_t number(std::uint64_t tag) const {
    auto const number = static_cast<std::int64_t>((tag & tag_mask_) >> std::countr_zero(tag_mask_)) - first_;
    return is_descending_ ? -number : number;
  }
  // Tells the communicators of a process apart.
  std::uint64_t context(std::uint64_t tag) const { return tag & context_mask_; }

 private:
  std::uint64_t tag_mask_ = 0, collective_bit_ = 0, context_mask_ = 0;
  std::int64_t first_ = 0;
  bool is_descending_ = false;
};

}  // namespace commprof::transport
