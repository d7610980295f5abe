// A hash table from 64-bit keys to numbers; readers take no lock. Writers must serialise; readers may run at the same
// time.
//
// A reader that meets a writer may miss an entry, but never returns the value of another key: a writer clears a slot's
// key before it changes the value, and stores the key last.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"

namespace commprof {

class SharedMap {
 public:
  static constexpr std::uint32_t none = 0;

  // The value of a key, which must not be 0; `none` if the key is missing.
  std::uint32_t find(std::uint64_t key) const {
    Table const* const table = table_.load(std::memory_order_acquire);
    if (table == nullptr) return none;
    for (std::uint64_t i = hash(key);; ++i) {
      Slot const& slot = table->slots()[i & table->mask];
      std::uint64_t const found = slot.key.load(std::memory_order_acquire);
      if (found == 0) return none;
      if (found != key) continue;
      if (slot.age.load(std::memory_order_acquire) != age_.load(std::memory_order_relaxed)) return none;
      std::uint32_t const value = slot.value.load(std::memory_order_acquire);
      return slot.key.load(std::memory_order_relaxed) == key ? value : none;
    }
  }

  // Adds a key that is missing, with a value other than `none`. Does nothing if memory is used up.
  void add(std::uint64_t key, std::uint32_t value) {
    Table* table = table_.load(std::memory_order_relaxed);
    if (table == nullptr || 2 * (used_ + 1) > table->mask) {
      if (2 * size_ < used_) clear(*table);
      Table* const larger = used_ > 0 || table == nullptr ? grow(table) : nullptr;
      if (larger == nullptr && (table == nullptr || used_ + 1 >= table->mask)) return;
      if (larger != nullptr) table = larger;
    }
    put(*table, key, value);
    ++size_;
  }

  std::size_t size() const { return size_; }

  // Takes no longer for many entries than for one: entries of another age are forgotten. When most are, the table is
  // cleared, with the few that are not.
  void forget_all() {
    age_.store(age_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    size_ = 0;
  }

  // Frees all memory. There must be no reader.
  void release() {
    for (Table* table = table_.load(std::memory_order_relaxed); table != nullptr;) {
      Table* const before = table->before;
      unmap_pages(table, bytes_of(table->mask + 1));
      table = before;
    }
    table_.store(nullptr, std::memory_order_relaxed);
    used_ = size_ = 0;
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> key;  // 0: empty
    std::atomic<std::uint32_t> value;
    std::atomic<std::uint32_t> age;
  };
  struct Table {
    std::size_t mask;
    Table* before;  // half as large; kept, because readers may still use it

    Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
    Slot const* slots() const { return reinterpret_cast<Slot const*>(this + 1); }
  };
  static_assert(sizeof(Table) % alignof(Slot) == 0);

  static constexpr std::size_t fewest = 512;
  static std::size_t bytes_of(std::size_t slots) { return sizeof(Table) + slots * sizeof(Slot); }
  static std::uint64_t hash(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL >> 32; }

  void put(Table& table, std::uint64_t key, std::uint32_t value) {
    std::uint64_t i = hash(key);
    std::uint64_t found = 0;
    while ((found = table.slots()[i & table.mask].key.load(std::memory_order_relaxed)) != 0 && found != key) ++i;
    Slot& slot = table.slots()[i & table.mask];
    slot.value.store(value, std::memory_order_release);
    slot.age.store(age_.load(std::memory_order_relaxed), std::memory_order_release);
    slot.key.store(key, std::memory_order_release);
    if (found == 0) ++used_;
  }

  void clear(Table& table) {
    for (std::size_t i = 0; i <= table.mask; ++i) table.slots()[i].key.store(0, std::memory_order_release);
    used_ = size_ = 0;
  }

  Table* grow(Table* table) {
    std::size_t const slots = table == nullptr ? fewest : 2 * (table->mask + 1);
    void* const pages = map_pages(bytes_of(slots));
    if (pages == nullptr) return nullptr;
    auto* const larger = new (pages) Table{slots - 1, table};
    used_ = 0;
    for (std::size_t i = 0; table != nullptr && i <= table->mask; ++i) {
      Slot const& slot = table->slots()[i];
      std::uint64_t const key = slot.key.load(std::memory_order_relaxed);
      bool const is_known =
          key != 0 && slot.age.load(std::memory_order_relaxed) == age_.load(std::memory_order_relaxed);
      if (is_known) put(*larger, key, slot.value.load(std::memory_order_relaxed));
    }
    table_.store(larger, std::memory_order_release);
    return larger;
  }

  std::atomic<Table*> table_{nullptr};
  std::atomic<std::uint32_t> age_{1};  // of the entries that are not forgotten
  std::size_t size_ = 0;               // their number
  std::size_t used_ = 0;               // slots with a key
};

}  // namespace commprof
