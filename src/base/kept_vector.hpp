// A vector whose values outlive a process that is killed, if they fit into the spool file.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/memory.hpp"

namespace commprof {

// Like LastingVector, on pages of a kind of its own. Each time it grows it takes new pages, with the next number; their
// contents begin with the number of values. A reader takes those of the newest pages that have any. Values are stored
// before their number, so it finds whole ones, unless the process was just reordering them.
template <class T>
class KeptVector {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::uint64_t));

 public:
  struct Head {
    std::uint64_t size = 0;
  };

  constexpr explicit KeptVector(spool::Kind kind) : kind_(kind) {}
  KeptVector(KeptVector const&) = delete;
  KeptVector& operator=(KeptVector const&) = delete;

  // False if memory is used up; the contents then stay unchanged.
  bool push_back(T const& value) {
    if (size() == capacity_ && !grow()) return false;
    *end() = value;
    set_size(size() + 1);
    return true;
  }
  T* begin() { return head_ == nullptr ? nullptr : reinterpret_cast<T*>(head_ + 1); }
  T* end() { return begin() + size(); }
  T const* begin() const { return const_cast<KeptVector&>(*this).begin(); }
  T const* end() const { return begin() + size(); }
  std::size_t size() const { return head_ == nullptr ? 0 : head_->size; }
  // size: not larger than it is.
  void shrink(std::size_t size) {
    if (head_ != nullptr) set_size(size);
  }

 private:
  static constexpr std::size_t bytes_before = 64;  // in a file, they follow the head of a segment
  static std::size_t bytes_of(std::uint32_t pages) { return (page_bytes << pages) - bytes_before; }

  // If the process is killed now, the old number or the new one is found: not one without its values.
  void set_size(std::size_t size) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    head_->size = size;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  [[gnu::noinline, gnu::cold]] bool grow() {
    while (bytes_of(blocks_) < sizeof(Head) + sizeof(T)) ++blocks_;
    auto* const larger = static_cast<Head*>(map_pages(bytes_of(blocks_), {kind_, 0, blocks_}));
    if (larger == nullptr) return false;
    Head* const before = head_;
    std::copy_n(begin(), size(), reinterpret_cast<T*>(larger + 1));
    head_ = larger;
    if (before != nullptr) {
      set_size(before->size);
      before->size = 0;
      unmap_pages(before, bytes_of(blocks_ - 1));
    }
    capacity_ = (bytes_of(blocks_++) - sizeof(Head)) / sizeof(T);
    return true;
  }

  spool::Kind kind_;
  std::uint32_t blocks_ = 0;  // log2 of the number of pages that it takes next
  Head* head_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace commprof
