#include "request_table/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace commprof {

namespace {

// The holder needs some hundred instructions. It takes longer only while the system has suspended it.
constexpr int most_spins = 100;

bool membarrier(int command) { return syscall(SYS_membarrier, command, 0U, 0) == 0; }

}  // namespace

constinit std::mutex BiasedLock::revocation_mutex;
constinit std::atomic<bool> BiasedLock::has_membarrier{false};

void BiasedLock::prepare() { has_membarrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

void BiasedLock::lock() {
  while (locked_.exchange(true, std::memory_order_acquire)) {
    for (int spins = 0; locked_.load(std::memory_order_relaxed); ++spins)
      if (spins >= most_spins) sched_yield();
  }
}

void BiasedLock::wait_for_barriers() { membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

void BiasedLock::end_ownership() {
  while (inside_.load(std::memory_order_acquire)) sched_yield();
  state_.store(State::shared, std::memory_order_release);
}

}  // namespace commprof
