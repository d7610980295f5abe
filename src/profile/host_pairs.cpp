#include "profile/host_pairs.hpp"

#include <algorithm>
#include <tuple>

#include "profile/rows.hpp"

namespace commprof {

auto HostPairs::Pair::ends() const { return std::tuple(message_class, from, to); }

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
  std::sort(pairs_.begin(), pairs_.end(), [](Pair const& a, Pair const& b) { return a.ends() < b.ends(); });
  add_up();
}

// Joins the pairs that have the same ends.
void HostPairs::add_up() {
  std::size_t size = 0;
  Pair* const pairs = pairs_.begin();
  for (Pair const& pair : pairs_) {
    if (size > 0 && pairs[size - 1].ends() == pair.ends()) pairs[size - 1].amount += pair.amount;
    else pairs[size++] = pair;
  }
  pairs_.resize(size);
  keep_largest();
}

void HostPairs::keep_largest() {
  if (pairs_.size() <= most_pairs) return;
  std::nth_element(pairs_.begin(), pairs_.begin() + most_pairs, pairs_.end(), [](Pair const& a, Pair const& b) {
    return std::tuple(b.amount.bytes, a.ends()) < std::tuple(a.amount.bytes, b.ends());
  });
  pairs_.resize(most_pairs);
  std::sort(pairs_.begin(), pairs_.end(), [](Pair const& a, Pair const& b) { return a.ends() < b.ends(); });
}

void HostPairs::merge(HostPairs const& a, HostPairs const& b) {
  if (!pairs_.resize(a.pairs_.size() + b.pairs_.size())) return;
  std::merge(a.pairs_.begin(), a.pairs_.end(), b.pairs_.begin(), b.pairs_.end(), pairs_.begin(),
             [](Pair const& one, Pair const& other) { return one.ends() < other.ends(); });
  add_up();
}

std::uint64_t HostPairs::write(MessageTotals const& totals, SummedNames const& names, TextWriter& out) const {
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
