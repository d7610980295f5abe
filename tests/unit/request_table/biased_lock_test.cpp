#include "request_table/biased_lock.hpp"

#include <catch2/catch.hpp>
#include <thread>

using namespace commprof;

namespace {

struct Counted {
  BiasedLock lock;
  std::uint64_t a = 0, b = 0;  // equal while the lock is not held

  void count(bool is_owner) {
    bool const as_owner = is_owner && lock.lock_owner();
    if (!is_owner) lock.lock_other();
    ++a;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    ++b;
    if (is_owner) lock.unlock_owner(as_owner);
    else lock.unlock_other();
  }
};

}  // namespace

TEST_CASE("a lock that a thread has visited is biased to its owner again") {
  BiasedLock::prepare();
  Counted one, other;
  auto const all = [&](auto&& visit) {
    visit(one.lock, one);
    visit(other.lock, other);
  };
  bool const was_biased = one.lock.try_lock_owner();
  if (was_biased) one.lock.unlock_owner(true);
  std::thread([&] { other.count(false); }).join();  // needs the lock, and so ends the bias
  std::thread visitor([&] {
    for (int i = 0; i < 2000; ++i)
      BiasedLock::visit_all(all, [](Counted& visited) {
        if (visited.a != visited.b) visited.a = UINT64_MAX / 2;
      });
  });
  std::thread needs_other([&] {
    for (int i = 0; i < 2000; ++i) other.count(false);
  });
  for (int i = 0; i < 100'000; ++i) {
    one.count(true);
    other.count(true);
  }
  visitor.join();
  needs_other.join();
  CHECK(one.a == 100'000);
  CHECK(one.b == 100'000);
  CHECK(other.a == 102'001);
  CHECK(other.b == 102'001);
  bool const is_biased = one.lock.try_lock_owner();
  CHECK(is_biased == was_biased);
  if (is_biased) one.lock.unlock_owner(true);
  CHECK_FALSE(other.lock.try_lock_owner());
}
