// A biased lock: its owner locks and unlocks it without an atomic read-modify-write or a memory barrier, as long as no
// other thread needs it.
//
// The owner stores inside_, loads revoked_ and, at the end, stores inside_ again. Another thread first revokes the
// bias: it stores revoked_ and calls membarrier, by which every running thread of the process executes a memory
// barrier. So either the owner sees the revocation, or the other thread sees that the owner is inside and waits for it
// to leave. From then on all threads use an ordinary spin lock. On a system without membarrier they do so from the
// start.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof {

class BiasedLock {
 public:
  // Registers the process for membarrier. Call it once, before the first lock with an owner is constructed.
  static void prepare();

  BiasedLock() = default;
  // A lock without an owner: call open_to_all() before it is used.
  struct WithoutOwner {};
  constexpr explicit BiasedLock(WithoutOwner) : revoked_(false) {}
  void open_to_all() { revoked_.store(true, std::memory_order_relaxed); }

  // Must be called by the owner. Pass the result to unlock_owner(). False: the lock has been revoked, and the spin lock
  // is held.
  bool lock_owner() {
    if (try_lock_owner()) [[likely]]
      return true;
    lock();
    return false;
  }
  // False: the lock has been revoked, and is not held.
  [[gnu::always_inline]] bool try_lock_owner() {
    inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // for the compiler; membarrier orders the processor
    if (!revoked_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    inside_.store(false, std::memory_order_release);
    return false;
  }
  void unlock_owner(bool as_owner) {
    if (as_owner) [[likely]]
      inside_.store(false, std::memory_order_release);
    else unlock();
  }

  // Must be called by a thread other than the owner.
  void lock_other() {
    if (!revoked_.load(std::memory_order_acquire)) revoke();
    lock();
  }
  void unlock_other() { unlock(); }

  bool is_revoked() const { return revoked_.load(std::memory_order_relaxed); }

 private:
  void lock();
  void unlock() { locked_.store(false, std::memory_order_release); }
  void revoke();

  static std::atomic<bool> has_membarrier;

  std::atomic<bool> inside_{false};
  std::atomic<bool> revoked_{!has_membarrier.load(std::memory_order_relaxed)};
  std::atomic<bool> locked_{false};
};

}  // namespace commprof
