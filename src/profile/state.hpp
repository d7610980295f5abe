// What the process is doing: the few words that every wrapper looks at.
#pragma once

#include <atomic>

#include "profile/ids.hpp"
#include "profile/options.hpp"

namespace commprof {

struct State {
  std::atomic<bool> tracking{false};  // between MPI_Init and MPI_Finalize of a process that is to be profiled
  bool threaded = false;  // several threads may call MPI at once
  std::atomic<bool> counting{true};  // false while paused: creations and requests are followed all the same
  std::atomic<RegionIndex> region{RegionIndex::main};
  Options options;

  bool is_tracking() const { return tracking.load(std::memory_order_relaxed); }
  bool is_counting() const { return counting.load(std::memory_order_relaxed); }
  RegionIndex current_region() const { return region.load(std::memory_order_relaxed); }
};

inline State state;

}  // namespace commprof
