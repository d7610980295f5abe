#include "profile/messages.hpp"

#include <algorithm>
#include <tuple>

#include "base/sorted_rows.hpp"
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
  join_neighbours(
      pairs_, [](Sent const& a, Sent const& b) { return a.to == b.to; },
      [](Sent& kept, Sent const& one) { kept.amount += one.amount; });
  for (Sent const& one : pairs_) take_pair(totals_.busiest, {context.facts.rank, one.to, one.amount});
}

std::uint64_t OwnPairs::count_about(std::uint64_t most) const {
  return static_cast<std::uint64_t>(
      std::count_if(pairs_.begin(), pairs_.end(), [=](Sent const& one) { return are_about(one.amount.bytes, most); }));
}

// Appends a range of higher ranks if it continues the stride.
bool HostRanks::Range::join(Range const& later) {
  std::int32_t const gap = later.first - last();
  bool const goes_on = (count == 1 || stride == gap) && (later.count == 1 || later.stride == gap);
  if (host != later.host || !goes_on) return false;
  count += later.count;
  stride = gap;
  return true;
}

// False if memory is used up.
bool HostRanks::push(Range const& range) {
  if (ranges_.size() < most_ranges) return ranges_.push_back(range);
  is_whole_ = false;
  return true;
}

bool HostRanks::add(HostRanks const& later) {
  HostRanks both;
  both.ranges_.reserve(ranges_.size() + later.ranges_.size());
  both.is_whole_ = is_whole_ && later.is_whole_;
  bool has_memory = true;
  Range const *a = ranges_.begin(), *b = later.ranges_.begin();
  while (a != ranges_.end() || b != later.ranges_.end()) {
    bool const takes_a = b == later.ranges_.end() || (a != ranges_.end() && a->host <= b->host);
    Range const& next = takes_a ? *a++ : *b++;
    if (both.ranges_.size() == 0 || !(both.ranges_.end() - 1)->join(next)) has_memory &= both.push(next);
  }
  ranges_.swap(both.ranges_);
  is_whole_ = both.is_whole_;
  return has_memory;
}

bool HostRanks::order_by_rank() {
  auto const place = [](Range const& range) {
    return std::tuple(range.stride, range.first % range.stride, range.first);
  };
  std::sort(ranges_.begin(), ranges_.end(), [&](Range const& a, Range const& b) { return place(a) < place(b); });
  for (Range const& range : ranges_) {
    bool const is_known = strides_.size() > 0 && *(strides_.end() - 1) == range.stride;
    if (!is_known && !strides_.push_back(range.stride)) return false;
  }
  return true;
}

NameHash HostRanks::host_of(std::int32_t rank) const {
  for (std::int32_t const stride : strides_) {
    auto const wanted = std::tuple(stride, rank % stride, rank);
    Range const* const behind =
        std::upper_bound(ranges_.begin(), ranges_.end(), wanted, [](auto const& place, Range const& range) {
          return place < std::tuple(range.stride, range.first % range.stride, range.first);
        });
    if (behind != ranges_.begin() && behind[-1].stride == stride && behind[-1].contains(rank)) return behind[-1].host;
  }
  return NameHash::several;
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

Placements::Placements(HostRanks const& hosts) {
  struct Host {
    NameHash name;
    std::int32_t first;
    std::int32_t room;
  };
  PageVector<Host> all;
  hosts.for_each_range([&](NameHash name, std::int32_t first, std::int32_t count) { push(all, {name, first, count}); });
  std::sort(all.begin(), all.end(),
            [](Host const& a, Host const& b) { return a.name < b.name || (a.name == b.name && a.first < b.first); });
  join_neighbours(
      all, [](Host const& a, Host const& b) { return a.name == b.name; },
      [](Host& kept, Host const& one) { kept.room += one.room; });
  std::sort(all.begin(), all.end(), [](Host const& a, Host const& b) { return a.first < b.first; });
  std::int32_t start = 0;
  for (Host const& one : all) {
    push(rooms_, one.room);
    push(sorted_rooms_, one.room);
    push(starts_, start);
    start += one.room;
  }
  std::sort(sorted_rooms_.begin(), sorted_rooms_.end());
  std::int64_t sum = 0;
  for (std::int32_t const room : sorted_rooms_) {
    push(room_before_, sum);
    sum += room;
  }
}

std::int32_t Placements::host_in_blocks(std::int32_t rank) const {
  return static_cast<std::int32_t>(std::upper_bound(starts_.begin(), starts_.end(), rank) - starts_.begin()) - 1;
}

// The number of ranks dealt in the rounds before this one.
std::int64_t Placements::dealt_before(std::int32_t round) const {
  auto const full = std::lower_bound(sorted_rooms_.begin(), sorted_rooms_.end(), round) - sorted_rooms_.begin();
  auto const hosts = static_cast<std::ptrdiff_t>(sorted_rooms_.size());
  std::int64_t const in_full =
      full == hosts ? room_before_.end()[-1] + sorted_rooms_.end()[-1] : room_before_.begin()[full];
  return in_full + std::int64_t{round} * (hosts - full);
}

std::int32_t Placements::host_in_turn(std::int32_t rank) const {
  std::int32_t round = 0;  // the last round that begins with this rank or a lower one
  for (std::int32_t rounds = sorted_rooms_.end()[-1]; rounds > 1;) {
    std::int32_t const half = rounds / 2;
    if (dealt_before(round + half) <= rank) {
      round += half;
      rounds -= half;
    } else {
      rounds = half;
    }
  }
  auto place = static_cast<std::int32_t>(rank - dealt_before(round));
  if (round < *sorted_rooms_.begin()) return place;  // all hosts still have room
  std::int32_t host = 0;
  for (; rooms_.begin()[host] <= round || place-- > 0; ++host) continue;
  return host;
}

BytesAcross bytes_across(RowContext const& context, HostRanks const& hosts, Placements const& others) {
  BytesAcross bytes;
  std::int32_t const here = context.facts.rank;
  NameHash const host = hosts.host_of(here);
  std::int32_t const in_blocks = others.host_in_blocks(here), in_turn = others.host_in_turn(here);
  for (PeerRecord const& peer : context.peers) {
    auto const there = static_cast<std::int32_t>(peer.world_rank);
    if (there < 0 || peer.peer.message_class() >= MessageClass::internal) continue;
    if (hosts.host_of(there) != host) bytes.as_placed += peer.bytes;
    if (others.host_in_blocks(there) != in_blocks) bytes.in_blocks += peer.bytes;
    if (others.host_in_turn(there) != in_turn) bytes.in_turn += peer.bytes;
  }
  return bytes;
}

}  // namespace commprof
