// Numbers that one thread writes and any thread may read, without a lock. For the writer they are as fast as plain
// numbers.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof {

namespace live {

// Reads a number. If the writer stored it with add_last(), the caller also sees what the writer stored before.
inline std::uint64_t read(std::uint64_t const& number) {
  return std::atomic_ref(const_cast<std::uint64_t&>(number)).load(std::memory_order_acquire);
}

// Reads a number of the calling thread's own.
[[gnu::always_inline]] inline std::uint64_t own(std::uint64_t& number) {
  return std::atomic_ref(number).load(std::memory_order_relaxed);
}
[[gnu::always_inline]] inline void set(std::uint64_t& number, std::uint64_t value) {
  std::atomic_ref(number).store(value, std::memory_order_relaxed);
}
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
// One instruction, not atomic for other writers. From an atomic load and store the compiler makes three.
[[gnu::always_inline]] inline void add(std::uint64_t& number, std::uint64_t more) {
  asm volatile("addq %1, %0" : "+m"(number) : "re"(more) : "cc");
}
// A reader that sees the sum also sees everything stored before it: the processor keeps stores in order.
[[gnu::always_inline]] inline void add_last(std::uint64_t& number, std::uint64_t more) {
  std::atomic_signal_fence(std::memory_order_release);
  add(number, more);
}
#else
[[gnu::always_inline]] inline void add(std::uint64_t& number, std::uint64_t more) { set(number, own(number) + more); }
[[gnu::always_inline]] inline void add_last(std::uint64_t& number, std::uint64_t more) {
  std::atomic_ref(number).store(own(number) + more, std::memory_order_release);
}
#endif

// For amounts that are often a compile-time 0: the compiler then removes the call.
[[gnu::always_inline]] inline void add_if_any(std::uint64_t& number, std::uint64_t more) {
  if (more != 0) add(number, more);
}

}  // namespace live

// Marks values in the spool that are being changed: if the process is killed meanwhile, a reader does not use them.
class Changing {
 public:
  explicit Changing(std::uint32_t& depth) : depth_(depth) {
    ++depth_;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  Changing(Changing const&) = delete;
  Changing& operator=(Changing const&) = delete;
  ~Changing() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --depth_;
  }

 private:
  std::uint32_t& depth_;
};

}  // namespace commprof
