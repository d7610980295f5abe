// Numbers that one thread writes while any thread may read them, without a lock. To the writer they cost what plain
// ones do.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof::live {

// What the writer stored before the value that this returns is visible to the caller, if the writer stored that by
// add_last().
inline std::uint64_t read(std::uint64_t const& number) {
  return std::atomic_ref(const_cast<std::uint64_t&>(number)).load(std::memory_order_acquire);
}

// By the writer.
[[gnu::always_inline]] inline std::uint64_t own(std::uint64_t& number) {
  return std::atomic_ref(number).load(std::memory_order_relaxed);
}
[[gnu::always_inline]] inline void set(std::uint64_t& number, std::uint64_t value) {
  std::atomic_ref(number).store(value, std::memory_order_relaxed);
}
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
// One instruction, of which others see the result alone: from an atomic load and store the compiler makes three.
[[gnu::always_inline]] inline void add(std::uint64_t& number, std::uint64_t more) {
  asm volatile("addq %1, %0" : "+m"(number) : "re"(more) : "cc");
}
// Whoever reads the sum sees all that was stored before: the processor keeps stores in order.
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

// For what is often 0, which the compiler mostly knows: then nothing is left of it.
[[gnu::always_inline]] inline void add_if_any(std::uint64_t& number, std::uint64_t more) {
  if (more != 0) add(number, more);
}

}  // namespace commprof::live
