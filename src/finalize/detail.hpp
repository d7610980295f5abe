// Chooses the ranks that have rows of their own in a profile that otherwise has sums: ranks with extreme values, ranks
// in the middle, and those that send most.
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
  // Ignores ranks beyond the limit.
  void add(int rank);
};

// Candidates for these ranks among some of the processes. Trivially copyable; its size does not depend on the number of
// processes.
class Candidates {
 public:
  // most_bytes: the most that this process sent to another one.
  void take(RowContext const& context, std::uint64_t most_bytes);
  void merge(Candidates const& others);
  // sums: over all ranks.
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
  // A random sample of the ranks: the ranks with the smallest hashes.
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
  Value senders_[most_senders]{};  // descending by bytes to one process
  int sender_count_ = 0;
};

}  // namespace commprof
