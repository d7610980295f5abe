// A lock that is taken only if several threads may call MPI at once.
#pragma once

#include <mutex>

#include "counters/state.hpp"

namespace commprof {

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

}  // namespace commprof
