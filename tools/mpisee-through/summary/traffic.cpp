#include "summary/traffic.hpp"

#include <algorithm>
#include <map>

#include "summary/row_filter.hpp"
#include "summary/sorted_sums.hpp"

namespace mpisee_through {
namespace {

struct Ends {
  WorldRank from;
  WorldRank to;
  auto operator<=>(Ends const&) const = default;
};

struct SizedEnds {
  Ends ends;
  SizeBin size;
  auto operator<=>(SizedEnds const&) const = default;
};

class TrafficCounter {
 public:
  TrafficCounter(Profile const& profile, Selection const& selection, Detail detail)
      : profile_(profile), selection_(selection), filter_(profile, selection) {
    traffic_.detail = detail;
  }

  Traffic run() {
    static_cast<Overview&>(traffic_) = read_overview(profile_, selection_);
    check_ranks("--from", selection_.from, traffic_.run);
    check_ranks("--to", selection_.to, traffic_.run);
    add_messages();
    filter_.check(profile_);
    take_pairs();
    return std::move(traffic_);
  }

 private:
  void add_messages() {
    Amount all;
    PeerRows rows(profile_);
    while (PeerRow const* row = rows.next()) {
      // Every other sum is a part of this one, so none of them can overflow.
      if (__builtin_add_overflow(all.messages, row->messages, &all.messages) ||
          __builtin_add_overflow(all.bytes, row->bytes, &all.bytes)) {
        rows.fail("the numbers add up to more than can be counted");
      }
      if (filter_.selects(*row)) add(*row);
    }
  }

  void add(PeerRow const& row) {
    Amount const amount{row.messages, row.bytes};
    Ends const ends{row.from, row.to};
    pairs_.add(ends, amount);
    if (traffic_.detail == Detail::message_sizes) sizes_.add({ends, row.size}, amount);
    traffic_.total += amount;
    traffic_.by_class[static_cast<std::size_t>(row.traffic_class)] += amount;
    if (are_on_one_host(row.from, row.to)) traffic_.within_hosts += amount;
  }

  [[nodiscard]] bool are_on_one_host(WorldRank from, WorldRank to) const {
    if (from == other_world || to == other_world) return false;
    auto const host = [this](WorldRank rank) { return traffic_.host_of_rank[static_cast<std::size_t>(rank)]; };
    return host(from) == host(to);
  }

  void take_pairs() {
    for (auto const& [ends, amount] : pairs_.take()) traffic_.pairs.push_back({ends.from, ends.to, amount});
    for (auto const& [key, amount] : sizes_.take()) {
      traffic_.sizes.push_back({key.ends.from, key.ends.to, key.size, amount});
    }
  }

  Profile const& profile_;
  Selection const& selection_;
  Traffic traffic_;
  MessageFilter filter_;
  SortedSums<Ends, Amount> pairs_;
  SortedSums<SizedEnds, Amount> sizes_;
};

}  // namespace

Amount& Amount::operator+=(Amount const& other) {
  messages += other.messages;
  bytes += other.bytes;
  return *this;
}

Traffic add_up_traffic(Profile const& profile, Selection const& selection, Detail detail) {
  return TrafficCounter(profile, selection, detail).run();
}

std::vector<std::size_t> busiest_pairs(Traffic const& traffic, Measure measure) {
  struct Place {
    std::uint64_t amount;
    std::size_t pair;
  };
  std::vector<Place> places;  // with the amounts, since sorting by an index would miss the cache at each comparison
  places.reserve(traffic.pairs.size());
  for (PairTraffic const& pair : traffic.pairs) places.push_back({pair.amount.of(measure), places.size()});
  std::ranges::sort(places, [](Place const& left, Place const& right) {
    return left.amount != right.amount ? left.amount > right.amount : left.pair < right.pair;
  });
  std::vector<std::size_t> order;
  order.reserve(places.size());
  for (Place const& place : places) order.push_back(place.pair);
  return order;
}

std::vector<SizeAmount> sizes_of_all(Traffic const& traffic) {
  std::map<SizeBin, Amount> sums;
  for (SizedTraffic const& one : traffic.sizes) sums[one.size] += one.amount;
  std::vector<SizeAmount> sizes;
  for (auto const& [size, amount] : sums) sizes.push_back({size, amount});
  return sizes;
}

std::vector<SizeAmount> sizes_of(Traffic const& traffic, PairTraffic const& pair) {
  Ends const ends{pair.from, pair.to};
  auto const ends_of = [](SizedTraffic const& one) { return Ends{one.from, one.to}; };
  std::vector<SizeAmount> sizes;
  for (auto one = std::ranges::lower_bound(traffic.sizes, ends, {}, ends_of);
       one != traffic.sizes.end() && ends_of(*one) == ends; ++one)
    sizes.push_back({one->size, one->amount});
  return sizes;
}

}  // namespace mpisee_through
