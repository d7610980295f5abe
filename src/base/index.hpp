// The hash table of the profiler: from keys to small values, by open addressing with linear probing, in pages of its
// own.
//
// A key is an integer, an enumerator, or has a member index_bits(); its bits must not all be 0. Where a key is longer,
// its hash is the key, and a predicate compares the values: several of them may have one key.
//
// Callers serialise. But with Policy::has_readers, threads may search meanwhile: they may miss a key that is just being
// added, but do not find another one's value. The slots before a table grew then stay mapped.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/memory.hpp"

namespace commprof {

struct IndexPolicy {
  static constexpr bool has_readers = false;
  static constexpr bool grows = true;                     // by itself
  static constexpr bool are_scattered = false;            // the upper bits of keys are those of a hash
  static constexpr spool::Kind kind = spool::Kind::none;  // of the pages
};
struct IndexWithReaders : IndexPolicy {
  static constexpr bool has_readers = true;
};
struct IndexByHash : IndexPolicy {
  static constexpr bool are_scattered = true;
};

template <class Key, class Value, class Policy = IndexPolicy>
class Index {
  static_assert(std::is_trivially_copyable_v<Value>);
  struct IsAny {
    constexpr bool operator()(Value const&) const { return true; }
  };

 public:
  // As readers of the spool find it.
  struct Slot {
    std::uint64_t key;  // 0: free
    Value value;
  };

  static constexpr std::size_t slots_at_start = 256;

  std::size_t size() const { return size_; }
  std::size_t slots() const { return is_none() ? 0 : mask(shift()) + 1; }

  // The value of a key for which is_it() holds; nullptr if it is missing.
  template <class IsIt = IsAny>
  [[gnu::always_inline]] Value* find(Key key, IsIt&& is_it = {}) const {
    Slot* const slot = slot_of(key, is_it);
    return slot == nullptr ? nullptr : &slot->value;
  }
  // The value, which is empty if the key was missing; nullptr if there is no room for it.
  template <class IsIt = IsAny>
  Value* find_or_add(Key key, IsIt&& is_it = {}) {
    Value* const known = find(key, is_it);
    return known != nullptr ? known : add(key);
  }
  // For readers: a copy of the value, which is not that of a key that took the slot meanwhile.
  Value value_of(Key key, Value otherwise) const {
    Slot* const slot = slot_of(key, IsAny{});
    if (slot == nullptr) return otherwise;
    Value const copy = std::atomic_ref(slot->value).load(std::memory_order_acquire);
    return std::atomic_ref(slot->key).load(std::memory_order_relaxed) == bits_of(key) ? copy : otherwise;
  }

  // Adds a key that is missing. nullptr: there is no room. Doubles the slots when half of them are in use; without
  // memory for that, uses all but one.
  [[gnu::noinline, gnu::cold]] Value* add(Key key, Value const& value = {}) {
    bool const has_room =
        2 * (size_ + 1) <= slots() || (Policy::grows && reserve(is_none() ? slots_at_start : 2 * slots()));
    if (!has_room && size_ + 1 >= slots()) return nullptr;
    ++size_;
    return put(bits_of(key), value);
  }
  // add() or find() while other threads do so, too. Does not grow.
  Value* find_or_add_among_threads(Key key) {
    std::atomic_ref const size(size_);
    if (2 * size.load(std::memory_order_relaxed) >= slots()) return find(key);
    std::uint64_t const bits = bits_of(key);
    for (std::uint64_t i = place_of(bits, shift());; i = (i + 1) & mask(shift())) {
      std::uint64_t found = 0;
      if (std::atomic_ref(at(i).key).compare_exchange_strong(found, bits, std::memory_order_relaxed)) {
        size.fetch_add(1, std::memory_order_relaxed);
        return &at(i).value;
      }
      if (found == bits) return &at(i).value;
    }
  }

  // Removes the values for which is_it(key bits, value) holds. Not with readers. Others move up, so that searches still
  // find them. Begins behind a free slot.
  template <class IsIt>
  void erase_if(IsIt&& is_it) {
    if (is_none()) return;
    std::uint64_t begin = 0;
    while (at(begin).key != 0) ++begin;
    for (std::uint64_t k = 1; k < slots(); ++k) {
      std::uint64_t const i = (begin + k) & mask(shift());
      while (at(i).key != 0 && is_it(at(i).key, at(i).value)) erase_at(i);
    }
  }
  void erase(Value& value) {
    auto const offset = reinterpret_cast<std::byte*>(&value) - reinterpret_cast<std::byte*>(&at(0));
    erase_at(static_cast<std::uint64_t>(offset) / sizeof(Slot));
  }

  // Calls visit(key bits, value) for each. Among threads, keys that are added meanwhile may be missing.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::uint64_t i = 0, n = slots(); i < n; ++i)
      if (std::uint64_t const key = std::atomic_ref(at(i).key).load(std::memory_order_relaxed); key != 0)
        visit(key, at(i).value);
  }

  void clear() {
    for (std::uint64_t i = 0; i < slots(); ++i) std::atomic_ref(at(i).key).store(0, std::memory_order_release);
    size_ = 0;
  }
  // Unmaps the pages. There must be no reader.
  void release() {
    if (!is_none()) unmap_pages(&at(0), slots() * sizeof(Slot));
    held_.store(none, most_shift);
    size_ = 0;
  }

  // Moves all into so many slots, a power of two that is large enough. False without memory.
  // keeps_old: another thread may be searching the slots, so they stay mapped.
  bool reserve(std::size_t slots_wanted, bool keeps_old = Policy::has_readers) {
    spool::Part const part{Policy::kind, 0, tables_};
    auto* const pages = static_cast<std::byte*>(map_pages(slots_wanted * sizeof(Slot), part));
    if (pages == nullptr) return false;
    if (Policy::kind == spool::Kind::none) fetch_pages(pages, slots_wanted * sizeof(Slot));
    auto const shift_wanted = static_cast<unsigned>(64 - std::countr_zero(slots_wanted));
    Table const larger{reinterpret_cast<Slot*>(pages), shift_wanted};
    Slot* const old = &at(0);
    std::size_t const old_slots = slots();
    for (Slot* slot = old; slot != old + old_slots; ++slot)
      if (std::uint64_t const key = std::atomic_ref(slot->key).load(std::memory_order_relaxed); key != 0)
        *free_slot(larger, key) = {key, slot->value};
    held_.store(pages, shift_wanted);
    ++tables_;
    if (!keeps_old && old_slots > 0) unmap_pages(old, old_slots * sizeof(Slot));
    return true;
  }

 private:
  static constexpr unsigned most_shift = 63;
  struct Table {
    Slot* first;
    unsigned shift;  // of a hash, to the index of its slot
  };
  // Two slots that are always free.
  alignas(64) static constexpr std::byte none[64]{};
  static_assert(2 * sizeof(Slot) <= sizeof none && alignof(Slot) <= 64);

  // For readers, the shift is in the lower bits of the address: both come with one load. Pages begin at multiples of 64
  // bytes, also in a file.
  class HeldForReaders {
   public:
    Table load() const {
      auto const bits = reinterpret_cast<std::uintptr_t>(table_.load(std::memory_order_acquire));
      return {reinterpret_cast<Slot*>(bits & ~std::uintptr_t{most_shift}), static_cast<unsigned>(bits & most_shift)};
    }
    void store(std::byte const* pages, unsigned shift) { table_.store(pages + shift, std::memory_order_release); }

   private:
    std::atomic<std::byte const*> table_{none + most_shift};
  };
  class HeldAlone {
   public:
    // Threads may begin during a search: the slots of a larger table, with the shift of the one before, are in it.
    Table load() const {
      unsigned const shift = shift_.load(std::memory_order_acquire);
      return {reinterpret_cast<Slot*>(const_cast<std::byte*>(pages_.load(std::memory_order_acquire))), shift};
    }
    void store(std::byte const* pages, unsigned shift) {
      pages_.store(pages, std::memory_order_release);
      shift_.store(shift, std::memory_order_release);
    }

   private:
    std::atomic<std::byte const*> pages_{none};
    std::atomic<unsigned> shift_{most_shift};
  };

  static std::uint64_t bits_of(Key key) {
    if constexpr (requires { key.index_bits(); }) return key.index_bits();
    else return static_cast<std::uint64_t>(key);
  }
  static std::uint64_t place_of(std::uint64_t bits, unsigned shift) {
    return (Policy::are_scattered ? bits : bits * 0x9E3779B97F4A7C15ULL) >> shift;
  }
  static std::uint64_t mask(unsigned shift) { return UINT64_MAX >> shift; }
  unsigned shift() const { return held_.load().shift; }
  Slot& at(std::uint64_t i) const { return held_.load().first[i]; }
  bool is_none() const { return shift() == most_shift; }

  // Apart from slot_of(), so that a search which ends at its first slot is short.
  template <class IsIt>
  static Slot* slot_behind(Table table, std::uint64_t place, std::uint64_t wanted, IsIt&& is_it) {
    for (std::uint64_t const all = mask(table.shift);;) {
      place = (place + 1) & all;
      std::uint64_t const found = std::atomic_ref(table.first[place].key).load(std::memory_order_acquire);
      if (found == wanted && is_it(table.first[place].value)) return &table.first[place];
      if (found == 0) return nullptr;
    }
  }
  template <class IsIt>
  [[gnu::always_inline]] Slot* slot_of(Key key, IsIt&& is_it) const {
    Table const table = held_.load();
    std::uint64_t const wanted = bits_of(key), place = place_of(wanted, table.shift);
    Slot* const slot = table.first + place;
    std::uint64_t const found = std::atomic_ref(slot->key).load(std::memory_order_acquire);
    if (found == wanted && is_it(slot->value)) [[likely]]
      return slot;
    return found == 0 ? nullptr : slot_behind(table, place, wanted, is_it);
  }
  static Slot* free_slot(Table table, std::uint64_t bits) {
    std::uint64_t i = place_of(bits, table.shift);
    while (table.first[i].key != 0) i = (i + 1) & mask(table.shift);
    return table.first + i;
  }
  // A reader that sees the key sees the value.
  Value* put(std::uint64_t bits, Value const& value) {
    Slot* const slot = free_slot(held_.load(), bits);
    if constexpr (Policy::has_readers && sizeof(Value) <= 8) {
      std::atomic_ref(slot->value).store(value, std::memory_order_release);
    } else {
      slot->value = value;
    }
    std::atomic_ref(slot->key).store(bits, std::memory_order_release);
    return &slot->value;
  }
  void erase_at(std::uint64_t hole) {
    static_assert(!Policy::has_readers);
    std::uint64_t const all = mask(shift());
    for (std::uint64_t next = (hole + 1) & all; at(next).key != 0; next = (next + 1) & all) {
      if (((next - place_of(at(next).key, shift())) & all) < ((next - hole) & all)) continue;
      at(hole) = at(next);
      hole = next;
    }
    at(hole) = {};
    --size_;
  }

  std::conditional_t<Policy::has_readers, HeldForReaders, HeldAlone> held_;
  std::size_t size_ = 0;
  std::uint32_t tables_ = 0;  // that there have been
};

}  // namespace commprof
