// What the process is doing: the few words that every wrapper looks at.
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
  Options options;

  bool is_tracking() const { return tracking.load(std::memory_order_relaxed); }
  // May become true while the program is running (run::session_opened), and stays so.
  bool is_threaded() const { return threaded.load(std::memory_order_relaxed); }

  // While paused nothing is counted; creations and requests are followed all the same. Whoever pauses, resumes or
  // changes the region does so one at a time.
  bool is_counting() const { return base_of_details() != paused; }
  void pause() { base_.store(paused, std::memory_order_relaxed); }
  void resume() { base_.store(RecordKey::detail_of(current_region(), Op{}, SizeBin{}), std::memory_order_relaxed); }

  RegionIndex current_region() const { return region_.load(std::memory_order_relaxed); }
  void enter(RegionIndex region) {
    region_.store(region, std::memory_order_relaxed);
    if (is_counting()) resume();
  }

  // The detail of the key in which a call counts now; no key has it while paused.
  std::uint32_t detail_of(Op op, SizeBin bin) const {
    return base_of_details() | RecordKey::detail_of(RegionIndex::main, op, bin);
  }

 private:
  static constexpr std::uint32_t paused = RecordKey::of_nothing;
  std::uint32_t base_of_details() const { return base_.load(std::memory_order_relaxed); }

  std::atomic<std::uint32_t> base_{RecordKey::detail_of(RegionIndex::main, Op{}, SizeBin{})};
  std::atomic<RegionIndex> region_{RegionIndex::main};
};

inline State state;

}  // namespace commprof
