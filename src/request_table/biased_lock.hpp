// A biased lock: its owner locks and unlocks it without an atomic read-modify-write or a memory barrier, as long as no
// other thread needs it.
//
// The owner stores inside_, loads state_ and, at the end, stores inside_ again. Another thread first revokes the bias:
// it stores `leaving` and calls membarrier, by which every running thread of the process executes a memory barrier. So
// either the owner sees the revocation, or the other thread sees that the owner is inside and waits for it to leave.
// From then on all threads use an ordinary spin lock. On a system without membarrier they do so from the start. A
// thread that visits all locks, as a snapshot does, gives the bias back.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace commprof {

class BiasedLock {
 public:
  // Registers the process for membarrier. Call it once, before the first lock with an owner is constructed.
  static void prepare();

  BiasedLock() = default;
  // A lock without an owner: call open_to_all() before it is used.
  struct WithoutOwner {};
  constexpr explicit BiasedLock(WithoutOwner) : state_(State::owned) {}
  void open_to_all() { state_.store(State::shared, std::memory_order_relaxed); }

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
    if (state_.load(std::memory_order_relaxed) == State::owned) [[likely]]
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
    if (!is_shared()) revoke([this](auto const& visit) { visit(*this); });
    lock();
  }
  void unlock_other() { unlock(); }

  // Calls visit(one) for each while its lock is held; owners have their bias back afterwards. One membarrier in all.
  // for_each(visit) calls visit(lock, one) for each. visit() must need no other lock.
  template <class ForEach, class Visitor>
  static void visit_all(ForEach&& for_each, Visitor&& visit) {
    std::lock_guard const guard(revocation_mutex);
    bool has_owner = false;
    for_each([&](BiasedLock& lock, auto&) {
      if (lock.is_shared()) return;
      lock.state_.store(State::leaving, std::memory_order_relaxed);
      has_owner = true;
    });
    if (has_owner) wait_for_barriers();
    for_each([&](BiasedLock& lock, auto& one) {
      while (lock.inside_.load(std::memory_order_acquire)) sched_yield();
      lock.lock();
      visit(one);
      // Other threads that need the lock wait for the mutex, so it is shared by none.
      if (!lock.is_shared()) lock.state_.store(State::owned, std::memory_order_release);
      lock.unlock();
    });
  }

  // Takes the locks from their owners, all with one membarrier. for_each(visit) calls visit(lock) for each.
  template <class ForEach>
  static void revoke(ForEach&& for_each) {
    std::lock_guard const guard(revocation_mutex);
    bool has_owner = false;
    for_each([&](BiasedLock& lock) {
      if (lock.is_shared()) return;
      lock.state_.store(State::leaving, std::memory_order_relaxed);
      has_owner = true;
    });
    if (!has_owner) return;
    wait_for_barriers();
    for_each([](BiasedLock& lock) {
      if (lock.state_.load(std::memory_order_relaxed) == State::leaving) lock.end_ownership();
    });
  }

 private:
  enum class State : std::uint8_t { owned, leaving, shared };

  bool is_shared() const { return state_.load(std::memory_order_acquire) == State::shared; }
  void lock();
  void unlock() { locked_.store(false, std::memory_order_release); }
  void end_ownership();
  static void wait_for_barriers();

  static std::mutex revocation_mutex;
  static std::atomic<bool> has_membarrier;

  std::atomic<bool> inside_{false};
  std::atomic<State> state_{has_membarrier.load(std::memory_order_relaxed) ? State::owned : State::shared};
  std::atomic<bool> locked_{false};
};

}  // namespace commprof
