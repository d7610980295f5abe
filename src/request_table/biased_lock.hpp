// A lock that costs the thread that owns it next to nothing, for as long as no other thread wants it.
//
// The owner says that it is inside, and looks whether the lock has been revoked: two plain stores and a load. Another
// thread that wants in revokes the lock first: it says so, has the system make every running thread of the process pass
// a memory barrier (membarrier), so that either the owner sees the revocation or we see that it is inside, and waits
// for it to leave. From then on all use an ordinary spin lock. Where the system has no membarrier, they do so from the
// start.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof {

class BiasedLock {
 public:
  // To be called once, before any lock is made that is to have an owner: asks the system for membarrier.
  static void prepare();

  BiasedLock() = default;
  // One without an owner, which is not to be used before it has been opened to all.
  struct WithoutOwner {};
  constexpr explicit BiasedLock(WithoutOwner) : revoked_(false) {}
  void open_to_all() { revoked_.store(true, std::memory_order_relaxed); }

  // By the owner. True: it came in as the owner, which unlock_owner() is to be told.
  bool lock_owner() {
    if (try_lock_owner()) [[likely]]
      return true;
    lock();
    return false;
  }
  // False if the lock has been revoked: then it is not held.
  [[gnu::always_inline]] bool try_lock_owner() {
    inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the system's barrier does the rest
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

  // By any other thread.
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
