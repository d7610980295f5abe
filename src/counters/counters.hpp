// Counts the calls of a process. Here is what every wrapper reads: whether and in which region calls count. Other
// folders include only this header.
#pragma once

#include <atomic>
#include <mutex>

#include "base/ids.hpp"
#include "base/process.hpp"
#include "counters/records.hpp"
#include "counters/regions.hpp"
#include "counters/shards.hpp"
#include "options/options.hpp"

namespace commprof {

// The state of the process, which every wrapper reads.
class State {
 public:
  std::atomic<bool> tracking{false};  // between MPI_Init and MPI_Finalize of a process that is to be profiled
  std::atomic<bool> threaded{false};  // several threads may call MPI at once
  Options options{};

  bool is_tracking() const { return tracking.load(std::memory_order_relaxed); }
  // May become true while the program is running (run::session_opened), and stays so.
  bool is_threaded() const { return threaded.load(std::memory_order_relaxed); }

  // In a pause nothing is counted, but creations and requests are tracked. Callers of pause(), resume() and enter()
  // serialise.
  bool is_counting() const { return base_of_details() != paused; }
  void pause() { change(paused); }
  void resume() { change(RecordKey::detail_of(scope_of_region(), Op{}, SizeBin{})); }

  ScopeIndex scope_of_region() const { return scope_.load(std::memory_order_relaxed); }
  // scope: that of the region that is entered.
  void enter(ScopeIndex scope) {
    scope_.store(scope, std::memory_order_relaxed);
    if (is_counting()) resume();
  }

  // The detail of a call's key, without the site of the call; RecordKey::of_nothing in a pause.
  std::uint32_t detail_of(Op op, SizeBin bin) const {
    return base_of_details() | RecordKey::detail_of(ScopeIndex::main, op, bin);
  }

  // Makes all threads look their sites up again, because a library may be about to be unloaded. Waits for nobody.
  void forget_sites() {
    std::uint64_t word = now();
    while (!word_.compare_exchange_weak(word, (word & upper_half) | static_cast<std::uint32_t>(word + 0x9E3779B1U)))
      continue;
  }

  // A number that combines the site, the current region and the pause.
  std::uint64_t place_of(void const* site) const { return place_of(site, now()); }
  // The place where the thread's current call counts, and the detail of its key without operation and size. Both come
  // from one load, so they agree even if another thread changes the region.
  struct Here {
    std::uint64_t place;
    std::uint32_t base;
  };
  [[gnu::always_inline]] Here here() const {
    std::uint64_t const word = now(), place = place_of(this_thread.site, word);
    Shard const* const shard = this_thread.shard;
    std::uint32_t const* const known = shard == nullptr ? nullptr : shard->caches.scopes.find(place);
    return {place, known != nullptr ? *known : base_anew(place, static_cast<std::uint32_t>(word >> 32))};
  }
  [[gnu::always_inline]] std::uint32_t detail_of_call(Op op, SizeBin bin) const {
    return here().base | RecordKey::detail_of(ScopeIndex::main, op, bin);
  }

 private:
  static std::uint64_t place_of(void const* site, std::uint64_t word) {
    return reinterpret_cast<std::uintptr_t>(site) ^ word;
  }
  static constexpr std::uint32_t paused = RecordKey::of_nothing;
  static constexpr std::uint64_t upper_half = 0xFFFFFFFF00000000U;
  std::uint64_t now() const { return word_.load(std::memory_order_relaxed); }
  std::uint32_t base_of_details() const { return static_cast<std::uint32_t>(now() >> 32); }
  void change(std::uint32_t base) {
    std::uint64_t word = now();
    while (!word_.compare_exchange_weak(word, std::uint64_t{base} << 32 | (word & ~upper_half))) continue;
  }

  // Looks the scope up and caches it. base: the detail without site.
  std::uint32_t base_anew(std::uint64_t place, std::uint32_t base) const;

  // The detail of keys, without operation and size, in the upper half. In the lower one the age of what is known of
  // sites.
  std::atomic<std::uint64_t> word_{std::uint64_t{RecordKey::detail_of(ScopeIndex::main, Op{}, SizeBin{})} << 32};
  std::atomic<ScopeIndex> scope_{ScopeIndex::main};  // of the region
};

inline State state;

// A lock that is taken only if several threads may call MPI at once.
class Guard {
 public:
  explicit Guard(std::mutex& mutex) : mutex_(state.is_threaded() ? &mutex : nullptr) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  Guard(Guard const&) = delete;
  Guard& operator=(Guard const&) = delete;
  ~Guard() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

 private:
  std::mutex* mutex_;
};

// The key, without size, of a request that the current call begins.
inline RecordKey key_of_begun(CommIndex comm, Op op) {
  return RecordKey::of(comm, state.detail_of_call(op, SizeBin{}));
}

// Keeps in the spool what the system has counted for the process, so that the profile of a killed job has it. Events
// that are rare, but come again and again, refresh it: a collective call at an instant, a region that begins, a
// snapshot, MPI_Abort. Other calls pay nothing.
namespace use_so_far {

void begin();
// The use since begin(). with_limits: also throttled_ns and stolen_ns, which read_limits() needs long for.
ProcessorUse now(bool with_limits);
// Refreshes what the spool has if it is older than a second or a twentieth of the run, in at most one in 500 parts of
// the time. Any thread may call it.
void refresh();
// Refreshes it in any case.
void keep();

}  // namespace use_so_far
}  // namespace commprof
