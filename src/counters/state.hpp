// The state of the process, which every wrapper reads.
#pragma once

#include <atomic>

#include "base/ids.hpp"
#include "counters/shards.hpp"
#include "options/options.hpp"

namespace commprof {

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
  void pause() { base_.store(paused, std::memory_order_relaxed); }
  void resume() {
    ScopeIndex const scope = scope_.load(std::memory_order_relaxed);
    base_.store(RecordKey::detail_of(scope, Op{}, SizeBin{}), std::memory_order_relaxed);
  }

  RegionIndex current_region() const { return region_.load(std::memory_order_relaxed); }
  // scope: that of the region.
  void enter(RegionIndex region, ScopeIndex scope) {
    region_.store(region, std::memory_order_relaxed);
    scope_.store(scope, std::memory_order_relaxed);
    if (is_counting()) resume();
  }

  // The detail of a call's key, without the site of the call; RecordKey::of_nothing in a pause.
  std::uint32_t detail_of(Op op, SizeBin bin) const {
    return base_of_details() | RecordKey::detail_of(ScopeIndex::main, op, bin);
  }

  // A number that combines the site, the current region and the pause. User-space addresses have at most 48 bits.
  std::uint64_t place_of(void const* site) const { return place_of(site, base_of_details()); }
  // The place where the thread's current call counts, and the detail of its key without operation and size. Both come
  // from one load, so they agree even if another thread changes the region.
  struct Here {
    std::uint64_t place;
    std::uint32_t base;
  };
  [[gnu::always_inline]] Here here() const {
    std::uint32_t const base = base_of_details();
    std::uint64_t const place = place_of(this_thread.site, base);
    PlaceCaches const* const caches = this_thread.valid_caches();
    std::uint32_t const* const known = caches == nullptr ? nullptr : caches->scopes.find(place);
    return {place, known != nullptr ? *known : base_anew(place, base)};
  }
  [[gnu::always_inline]] std::uint32_t detail_of_call(Op op, SizeBin bin) const {
    return here().base | RecordKey::detail_of(ScopeIndex::main, op, bin);
  }

 private:
  static std::uint64_t place_of(void const* site, std::uint32_t base) {
    return reinterpret_cast<std::uintptr_t>(site) ^ static_cast<std::uint64_t>(base) << 32;
  }
  static constexpr std::uint32_t paused = RecordKey::of_nothing;
  std::uint32_t base_of_details() const { return base_.load(std::memory_order_relaxed); }

  // Looks the scope up and caches it. base: the detail without site.
  std::uint32_t base_anew(std::uint64_t place, std::uint32_t base) const;

  std::atomic<std::uint32_t> base_{RecordKey::detail_of(ScopeIndex::main, Op{}, SizeBin{})};
  std::atomic<RegionIndex> region_{RegionIndex::main};
  std::atomic<ScopeIndex> scope_{ScopeIndex::main};  // of the region
};

inline State state;

}  // namespace commprof
