#include "profile/messages.hpp"

#include <algorithm>
#include <tuple>

#include "base/memory.hpp"
#include "profile/profile.hpp"

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

void MessageTotals::add(MessageTotals const& other) {
  for (std::size_t i = 0; i < of_class.size(); ++i) of_class[i] += other.of_class[i];
  to_self += other.to_self;
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
    if (other == context.facts.rank) {
      totals_.to_self += amount;
      continue;
    }
    bool const is_kept = !peer.peer.is_source() && pairs_.push_back({other, amount});
    if (!is_kept) totals_.is_busiest_known = 0;
  }
  std::sort(pairs_.begin(), pairs_.end(), [](Sent const& a, Sent const& b) { return a.to < b.to; });
  join_neighbours(
      pairs_, [](Sent const& a, Sent const& b) { return a.to == b.to; },
      [](Sent& kept, Sent const& one) { kept.amount += one.amount; });
  for (Sent const& one : pairs_) take_pair(totals_.busiest, {context.facts.rank, one.to, one.amount});
}

std::uint64_t OwnPairs::count_about(std::uint64_t most) const {
  return static_cast<std::uint64_t>(
      std::count_if(pairs_.begin(), pairs_.end(), [=](Sent const& one) { return are_about(one.amount.bytes, most); }));
}

namespace {

NameHash host_of(WorldRank rank, HostRanks const& hosts) {
  return rank == WorldRank::elsewhere ? name_hash("") : hosts.host_of(static_cast<std::int32_t>(rank));
}

}  // namespace

// Messages without a pair, for lack of memory or of a known host, are in the totals only.
void HostPairs::take(RowContext const& context, HostRanks const& hosts) {
  NameHash const here = name_hash(context.facts.host);
  NameHash there = NameHash::several;
  WorldRank known = WorldRank::unknown;
  for (PeerRecord const& peer : context.peers) {
    if (peer.world_rank != known) there = host_of(known = peer.world_rank, hosts);
    if (there == NameHash::several) continue;
    bool const is_source = peer.peer.is_source();
    pairs_.push_back({static_cast<std::uint64_t>(peer.peer.message_class()),
                      is_source ? there : here,
                      is_source ? here : there,
                      {peer.messages, peer.bytes}});
  }
  order_rows(pairs_);
  keep_largest();
}

void HostPairs::keep_largest() {
  if (pairs_.size() <= most_pairs) return;
  std::nth_element(pairs_.begin(), pairs_.begin() + most_pairs, pairs_.end(), [](Pair const& a, Pair const& b) {
    return std::tuple(b.amount.bytes, a.key()) < std::tuple(a.amount.bytes, b.key());
  });
  pairs_.resize(most_pairs);
  std::sort(pairs_.begin(), pairs_.end(), [](Pair const& a, Pair const& b) { return a.key() < b.key(); });
}

bool HostPairs::add(HostPairs const& others) {
  bool const is_whole = merge_rows(pairs_, others.pairs_);
  keep_largest();
  return is_whole;
}

std::uint64_t HostPairs::write(MessageTotals const& totals, Texts const& names, TextWriter& out) const {
  auto rest = totals.of_class;
  std::uint64_t rows = 0;
  PageVector<Pair const*> in_order;
  for (Pair const& pair : pairs_) in_order.push_back(&pair);
  std::sort(in_order.begin(), in_order.end(), [&](Pair const* a, Pair const* b) {
    auto const place = [&](Pair const* one) {
      return std::tuple(one->message_class, names.text(one->from), names.text(one->to));
    };
    return place(a) < place(b);
  });
  auto const write = [&](std::size_t message_class, std::string_view from, std::string_view to, MessageAmount amount) {
    write_row<schema::host_pairs_columns>(out, cell<"class">(schema::message_classes[message_class]),
                                          cell<"src_host">(from), cell<"dst_host">(to),
                                          cell<"messages">(amount.messages), cell<"bytes">(amount.bytes));
    ++rows;
  };
  for (Pair const* const pair : in_order) {
    MessageAmount& left = rest[pair->message_class];
    left.messages -= std::min(left.messages, pair->amount.messages);
    left.bytes -= std::min(left.bytes, pair->amount.bytes);
    write(pair->message_class, names.text(pair->from), names.text(pair->to), pair->amount);
  }
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].messages > 0) write(i, schema::several, schema::several, rest[i]);
  return rows;
}

}  // namespace commprof
