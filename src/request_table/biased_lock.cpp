#include "request_table/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mutex>

namespace commprof {

namespace {

// Revocations are rare, and the first one does all the work.
std::mutex revocation_mutex;

bool membarrier(int command) { return syscall(SYS_membarrier, command, 0U, 0) == 0; }

}  // namespace

constinit std::atomic<bool> BiasedLock::has_membarrier{false};

void BiasedLock::prepare() { has_membarrier = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED); }

void BiasedLock::lock() {
  while (locked_.exchange(true, std::memory_order_acquire))
    while (locked_.load(std::memory_order_relaxed)) sched_yield();
}

void BiasedLock::revoke() {
  std::lock_guard const guard(revocation_mutex);
  if (revoked_.load(std::memory_order_relaxed)) return;
  // Holding the spin lock keeps out threads that see the revocation before the owner has left.
  lock();
  revoked_.store(true, std::memory_order_relaxed);
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  while (inside_.load(std::memory_order_acquire)) sched_yield();
  unlock();
}

}  // namespace commprof
