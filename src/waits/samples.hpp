// A sample of the collective calls on each communicator: when this process entered a call, and how long the call took.
//
// All members of a communicator make its collective calls in one order. So call n of an operation is call n of each
// member, and all members sample the same calls without a message. Call n is kept if a hash of n is below a threshold.
// When an operation has the maximum of samples, its threshold is halved, and samples above it are freed. A stride in
// place of the hash would always hit the same call of a program that alternates between calls.
//
// Samples are records without pointers on pages of the spool. A call that is not kept costs one addition and one
// comparison. A call that is kept takes a lock if several threads may call MPI. Does not know MPI.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"

namespace commprof {

// One call of this process.
struct WaitSample {
  std::uint64_t call : 63;  // its number among the calls of the sampler
  std::uint64_t is_root : 1;
  Ticks entry;
  Ticks elapsed;
  std::uint32_t sampler;  // index + 1 of its sampler; 0: free
  std::uint32_t before;   // index + 1 of the sample before it in the list of its sampler or in the list of free ones
};
static_assert(sizeof(WaitSample) == 32);

// The samples of one operation on one communicator.
struct alignas(64) Sampler {
  std::uint64_t calls = 0;          // so far: the number of the next one
  std::uint64_t next = UINT64_MAX;  // the next call that may be kept
  CommIndex comm = CommIndex::unknown;
  Op op{};
  std::int32_t own_root = 0;  // root argument that names this process
  std::uint32_t level = 0;    // one in 2^level calls is kept
  std::uint32_t kept = 0;     // number of samples
  std::uint32_t latest = 0;   // index + 1 of the latest sample
  std::uint32_t number = 0;   // its own index + 1

  // Called when a call is over.
  [[gnu::always_inline]] void count(Interval interval) {
    std::uint64_t const call = live::own(calls);
    live::set(calls, call + 1);
    if (call == live::own(next)) [[unlikely]]
      keep(call, interval);
  }
  // Counts a call that is not to be kept.
  void pass();

 private:
  void keep(std::uint64_t call, Interval interval);
};

// The sampler of calls that are not sampled.
extern constinit Sampler no_sampler;

class WaitSamples {
 public:
  // The most samples of one operation on one communicator. From as many calls on, at least about half of them are kept.
  static constexpr std::uint32_t most_of_one = 2048;

  // The sampler of a communicator and an operation, made at its first use; no_sampler when memory is used up.
  Sampler* find_or_add(CommIndex comm, Op op, std::int32_t own_root);

  // Keeps a call if it is in the sample, and sets sampler.next.
  void keep(Sampler& sampler, std::uint64_t call, Interval interval, bool is_root);
  // Sets sampler.next without keeping the call.
  void pass(Sampler& sampler, std::uint64_t call);

  std::size_t size() const { return samplers_.size(); }
  Sampler const& operator[](std::size_t i) const { return samplers_[i]; }
  // Visits the samples of a sampler, the latest first.
  template <class Visitor>
  void for_each(Sampler const& sampler, Visitor&& visit) const {
    for (std::uint32_t i = sampler.latest; i != 0; i = samples_[i - 1].before) visit(samples_[i - 1]);
  }

  std::mutex mutex;

 private:
  void halve(Sampler& sampler);
  WaitSample* room_for_one(std::uint32_t& place);

  Arena<Sampler, 5, 20> samplers_{spool::Part{spool::Kind::samplers}};
  Arena<WaitSample, 7, 11> samples_{spool::Part{spool::Kind::wait_samples}};  // 8 MiB at most
  Index<std::uint64_t, Sampler*> index_;                                      // by communicator and operation
  std::uint32_t free_ = 0;                                                    // index + 1 of the first free sample
};

namespace waits {

inline constinit WaitSamples samples;

// Whether a call is in a sample of that level.
constexpr bool is_sampled(std::uint64_t call, std::uint32_t level) {
  return level == 0 || (level < 64 && scattered(call) >> (64 - level) == 0);
}

}  // namespace waits
}  // namespace commprof
