// Marks values in the spool that are being changed: if the process is killed meanwhile, a reader does not use them.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof {

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
