// Which ranks have rows of their own in a profile that otherwise holds sums: those with the least and the most of
// something, those in the middle, and those that send most.
#pragma once

#include <algorithm>
#include <cstdint>

#include "profile/profile.hpp"

namespace commprof {

struct DetailedRanks {
  static constexpr int most = 64;

  int count = 0;
  int ranks[most]{};  // ascending

  bool contain(int rank) const { return std::binary_search(ranks, ranks + count, rank); }
  // Does nothing once there are as many as there may be.
  void add(int rank);
};

// What some processes tell of themselves. Trivially copyable, of a size that does not depend on their number.
class Candidates {
 public:
  // most_bytes: to one other process.
  void take(RowContext const& context, std::uint64_t most_bytes);
  void merge(Candidates const& others);
  // sums: those of all ranks.
  void choose(Sums const& sums, DetailedRanks& chosen) const;

 private:
  struct Value {
    std::uint64_t value = 0;
    std::int32_t rank = -1;
  };
  struct Extremes {
    Value least, most;
    void take(Value value);
  };
  // A random sample of the ranks: those with the smallest hashes.
  struct Sampled {
    std::uint64_t hash = 0;
    Value mpi;
  };
  static constexpr int sample_size = 31, most_senders = 8;

  void take(Sampled const& sampled);
  void take_sender(Value bytes);

  Extremes wall_, mpi_, outside_;
  Sampled sample_[sample_size]{};  // ascending by hash
  int sampled_ = 0;
  Value senders_[most_senders]{};  // by the bytes to one process; descending
  int sender_count_ = 0;
};

}  // namespace commprof
