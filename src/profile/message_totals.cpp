#include "profile/message_totals.hpp"

#include <algorithm>
#include <tuple>

#include "profile/rows.hpp"

namespace commprof {

namespace {

void take_pair(MessageTotals::Pair& busiest, MessageTotals::Pair const& pair) {
  // -1, another world, sorts last.
  auto const place = [](MessageTotals::Pair const& one) { return std::tuple(one.from, static_cast<unsigned>(one.to)); };
  std::uint64_t const most = busiest.amount.bytes, bytes = pair.amount.bytes;
  if (bytes > most || (bytes == most && bytes > 0 && place(pair) < place(busiest))) busiest = pair;
}

}  // namespace

MessageAmount MessageTotals::all() const {
  MessageAmount sum;
  for (MessageClass one : {MessageClass::p2p, MessageClass::rma, MessageClass::internal})
    sum += of_class[static_cast<std::size_t>(one)];
  return sum;
}

void BytesAcross::add(BytesAcross const& other) {
  as_placed += other.as_placed;
  in_blocks += other.in_blocks;
  in_turn += other.in_turn;
}

void MessageTotals::add(MessageTotals const& other) {
  for (std::size_t i = 0; i < of_class.size(); ++i) of_class[i] += other.of_class[i];
  take_pair(busiest, other.busiest);
  others += other.others;
  is_busiest_known = std::min(is_busiest_known, other.is_busiest_known);
}

OwnPairs::OwnPairs(RowContext const& context) {
  for (PeerRecord const& peer : context.peers) {
    MessageAmount const amount{peer.messages, peer.bytes};
    totals_.of_class[static_cast<std::size_t>(peer.peer.message_class())] += amount;
    if (peer.peer.message_class() == MessageClass::network) continue;
    auto const other = static_cast<std::int32_t>(peer.world_rank);
    if (other == context.facts.rank) continue;  // messages of a process to itself are in no pair
    bool const is_kept = !peer.peer.is_source() && pairs_.push_back({other, amount});
    if (!is_kept) totals_.is_busiest_known = 0;
  }
  std::sort(pairs_.begin(), pairs_.end(), [](Sent const& a, Sent const& b) { return a.to < b.to; });
  std::size_t size = 0;
  Sent* const pairs = pairs_.begin();
  for (Sent const& one : pairs_) {
    if (size > 0 && pairs[size - 1].to == one.to) pairs[size - 1].amount += one.amount;
    else pairs[size++] = one;
  }
  pairs_.resize(size);
  for (Sent const& one : pairs_) take_pair(totals_.busiest, {context.facts.rank, one.to, one.amount});
}

std::uint64_t OwnPairs::count_about(std::uint64_t most) const {
  return static_cast<std::uint64_t>(
      std::count_if(pairs_.begin(), pairs_.end(), [=](Sent const& one) { return are_about(one.amount.bytes, most); }));
}

}  // namespace commprof
