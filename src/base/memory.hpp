// Memory of the profiler's own, taken from the system in pages: it never touches the program's allocator, never throws,
// and never moves what was handed out, so other threads and a mapped file may look at it at any time.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/part.hpp"

namespace commprof {

// Zeroed pages, or nullptr when the system has none.
void* map_pages(std::size_t bytes);
// The same for what should outlive the process: pages of the spool file, where there is one and it has room.
void* map_pages(std::size_t bytes, spool::Part part);
// From now on map_pages() asks this function for the pages of a part. It returns nullptr where it has none.
using PagesOfPart = void* (*)(std::size_t bytes, spool::Part part);
void take_pages_from(PagesOfPart source);
void unmap_pages(void* pages, std::size_t bytes);
// Has pages in which there is nothing yet ready to be written to, if they are few: one call of the system instead of a
// fault for each, or two where it is read first, and a fault in a page of a file costs more than one in memory.
void fetch_pages(void* pages, std::size_t bytes);

// Bytes that map_pages has handed out and not taken back.
std::size_t mapped_bytes();

// Fixed-size records, addressed by index. Grows by chunks, each twice as large as the one before, so that the list of
// chunks is short and an arena that holds nothing costs nothing; a record keeps its address. Writers serialise among
// themselves; readers may run beside them.
template <class Record, unsigned first_chunk_bits, unsigned max_chunks>
class Arena {
  static_assert(std::is_trivially_copyable_v<Record> && std::is_trivially_destructible_v<Record>);

 public:
  static constexpr std::size_t first_chunk_size = std::size_t{1} << first_chunk_bits;
  static constexpr std::size_t capacity = first_chunk_size * ((std::size_t{1} << max_chunks) - 1);

  Arena() = default;
  constexpr explicit Arena(spool::Part part) : part_(part) {}
  // To be said before the first record.
  void keep_as(spool::Part part) { part_ = part; }

  // Gives all pages back.
  void release() {
    for (unsigned chunk = 0; chunk < max_chunks; ++chunk) {
      unmap_pages(chunks_[chunk], sizeof(Record) * (first_chunk_size << chunk));
      chunks_[chunk] = nullptr;
    }
    size_ = 0;
    next_ = end_ = nullptr;
  }

  // The new record, value-initialised, or nullptr when memory or indices are used up. Its index is size() - 1.
  Record* append() {
    return append([](Record&) {});
  }
  // The same; begin(record) writes what readers see of it from the start: those that know of its index by size().
  template <class Begin>
  Record* append(Begin&& begin) {
    if (next_ == end_) [[unlikely]] {
      if (!add_chunk()) return nullptr;
    }
    Record* const record = new (next_++) Record{};
    begin(*record);
    size_.store(size_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    return record;
  }

  Record& operator[](std::size_t index) {
    Place const place(index);
    return chunks_[place.chunk][place.offset];
  }
  Record const& operator[](std::size_t index) const { return const_cast<Arena&>(*this)[index]; }
  std::size_t size() const { return size_.load(std::memory_order_acquire); }

 private:
  struct Place {
    unsigned chunk;
    std::size_t offset;
    explicit Place(std::size_t index) {
      std::size_t const from_start = index + first_chunk_size;
      auto const top = static_cast<unsigned>(std::bit_width(from_start)) - 1;
      chunk = top - first_chunk_bits;
      offset = from_start ^ (std::size_t{1} << top);
    }
  };

  // When all chunks are full.
  bool add_chunk() {
    std::size_t const index = size_.load(std::memory_order_relaxed);
    if (index >= capacity) return false;
    unsigned const chunk = Place(index).chunk;
    std::size_t const records = first_chunk_size << chunk;
    chunks_[chunk] = static_cast<Record*>(map_pages(sizeof(Record) * records, {part_.kind, part_.owner, chunk}));
    if (chunks_[chunk] == nullptr) return false;
    next_ = chunks_[chunk];
    end_ = next_ + records;
    return true;
  }

  spool::Part part_{};
  Record* chunks_[max_chunks]{};
  std::atomic<std::size_t> size_{0};
  Record* next_ = nullptr;  // what append() gives next, up to the end of the last chunk
  Record* end_ = nullptr;
};

// Where a text lies in a TextStore; an empty text needs no store.
struct TextRef {
  std::uint32_t chunk = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

// Texts of any length that are written once and kept.
class TextStore {
 public:
  TextStore() = default;
  constexpr explicit TextStore(spool::Kind kind) : kind_(kind) {}

  // The stored copy, cut off after max_length bytes; empty when memory is used up.
  TextRef add(std::string_view text, std::size_t max_length = UINT32_MAX);
  std::string_view view(TextRef ref) const;
  // Gives all pages back; what refers to a text there is void.
  void release();

 private:
  static constexpr std::size_t max_chunks = 4096;
  static constexpr std::size_t first_chunk_bytes = 4032;  // with what precedes it in a file, a page
  static constexpr std::size_t chunk_bytes = 64 * 1024;
  spool::Kind kind_ = spool::Kind::none;
  char* chunks_[max_chunks]{};
  std::size_t bytes_[max_chunks]{};
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
};

// A plain array that only ever grows, its contents lost when it does: room for the values of one call.
class Scratch {
 public:
  // Room for count values, or nullptr when memory is used up.
  template <class T>
  T* room(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    return count * sizeof(T) <= bytes_ ? static_cast<T*>(pages_) : static_cast<T*>(grow(count * sizeof(T)));
  }
  void release();

 private:
  void* grow(std::size_t bytes);

  void* pages_ = nullptr;
  std::size_t bytes_ = 0;
};

// Room for a PageVector. What is in it may be left from another.
struct Block {
  static constexpr std::size_t least_bytes = 4096;
  static constexpr std::size_t most_bytes_to_keep = std::size_t{1} << 17;

  void* begin = nullptr;
  std::size_t bytes = 0;

  // Of the block that is taken for so many bytes, and for the most values that it has room for.
  static constexpr std::size_t size_for(std::size_t bytes) {
    return bytes > most_bytes_to_keep ? bytes : std::bit_ceil(std::max(bytes, least_bytes));
  }
};
// begin is nullptr when memory is used up.
Block take_block(std::size_t bytes);
void give_back(Block const& block);

// While there is one, blocks that are given back are kept, up to a MiB, and handed out again: who makes and drops
// hundreds of vectors would else pay two calls of the system and the faults of new pages for each. Not nested.
class KeptBlocks {
 public:
  KeptBlocks();
  KeptBlocks(KeptBlocks const&) = delete;
  KeptBlocks& operator=(KeptBlocks const&) = delete;
  ~KeptBlocks();
};

// A trivially copyable sequence on pages of its own that keeps its contents when it grows.
template <class T>
class PageVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PageVector() = default;
  PageVector(PageVector const&) = delete;
  PageVector& operator=(PageVector const&) = delete;
  ~PageVector() { give_back(block()); }

  // False when memory is used up; the contents stay as they were.
  bool push_back(T const& value) {
    if (size_ == capacity_ && !grow()) return false;
    data_[size_++] = value;
    return true;
  }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T const* begin() const { return data_; }
  T const* end() const { return data_ + size_; }
  std::size_t size() const { return size_; }
  void clear() { size_ = 0; }
  // Gives the pages back.
  void release() { PageVector().swap(*this); }
  void pop_back() { --size_; }
  // Room for so many, so that it grows at once. Without memory, it grows later, if there is some then.
  void reserve(std::size_t size) {
    if (capacity_ < size) grow(size);
  }
  // What is new is not initialised. False when memory is used up; the contents stay as they were.
  bool resize(std::size_t size) {
    while (capacity_ < size)
      if (!grow(size)) return false;
    size_ = size;
    return true;
  }
  void swap(PageVector& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  Block block() const { return {data_, Block::size_for(capacity_ * sizeof(T))}; }
  bool grow(std::size_t least = 1) {
    std::size_t const wanted = std::max(capacity_ * 2, least);
    Block const larger = take_block(wanted * sizeof(T));
    if (larger.begin == nullptr) return false;
    if (size_ > 0) std::memcpy(larger.begin, data_, size_ * sizeof(T));
    give_back(block());
    data_ = static_cast<T*>(larger.begin);
    capacity_ = larger.bytes / sizeof(T);
    return true;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace commprof
