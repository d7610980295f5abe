// The name of a communicator, as a function of its history: what every member knows about the calls that led to it.
//
// A name is the parent's name and one step. A call that is collective over the parent has a place in the order of these
// calls, the ordinal, which all members count alike: _s2.0. A call that only the members of the new communicator make
// has no common place among the parent's calls. But each member makes all calls that create a communicator of exactly
// these members. So the ordinal counts those, and the members are part of the step: _u1.0-3, or _i1.0-1.2-3 for the two
// groups of an intercommunicator. Threads may make these calls at the same time with different tags, so each tag has a
// count of its own and, unless it is 0, is part of the step: _u1.0-3.t5.
//
// Knows no MPI and stores nothing.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "calls/letter.hpp"
#include "comm_naming/rank_set.hpp"

namespace commprof {

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

}  // namespace commprof
