#include "mpi_messages/operation_tags.hpp"

namespace commprof::mpi_messages {

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

OperationTags::Sequence* OperationTags::find(std::uint64_t comm) const {
  Sequence* const* const found = comm == 0 ? nullptr : sequences_.find(comm);
  return found == nullptr ? nullptr : *found;
}

OperationTags::Sequence* OperationTags::find_or_make(std::uint64_t comm) {
  Sequence* const found = find(comm);
  if (found != nullptr || comm == 0 || sequences_.size() == most_comms) return found;
  auto* const made = static_cast<Sequence*>(map_pages(sizeof(Sequence)));
  if (made == nullptr || sequences_.add(comm, made) == nullptr) return nullptr;
  made->next = first_;
  return made;
}

void OperationTags::issue(std::uint64_t comm, Cause cause) {
  Sequence* const sequence = find_or_make(comm);
  if (sequence == nullptr) return;
  sequence->at(sequence->next) = {sequence->next, cause};
  --sequence->next;
}

void OperationTags::expect(std::uint64_t comm, int tag) {
  Sequence* const sequence = find_or_make(comm);
  if (sequence != nullptr && !sequence->holds(tag) && sequence->may_come_next(tag)) sequence->next = tag;
}

Cause OperationTags::cause_of(int tag, std::uint64_t comm, CallOnComm const& call) {
  if (!may_be_of_operation(tag)) return call.cause;
  if (comm == 0) comm = call.comm;
  // Messages on a communicator that the MPI made for itself say nothing about the program's communicators.
  bool const is_on_comm_of_call = comm == call.comm && comm != 0;
  Sequence* const sequence = is_on_comm_of_call ? find_or_make(comm) : find(comm);
  if (sequence == nullptr) return call.cause;
  if (sequence->holds(tag)) return sequence->at(tag).cause;
  // Another thread may be issuing the operation, and call issue() in a moment.
  if (!sequence->may_come_next(tag) || !is_on_comm_of_call) return call.cause;
  sequence->at(tag) = {tag, call.cause};
  sequence->next = tag - 1;
  return call.cause;
}

void OperationTags::reset(std::uint64_t comm) {
  Sequence* const sequence = find(comm);
  if (sequence == nullptr) return;
  *sequence = {};
  sequence->next = first_;
}

}  // namespace commprof::mpi_messages
