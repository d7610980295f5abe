// The profiler's own memory, mapped from the system in pages. It never uses the program's allocator, never throws, and
// never moves allocated records, so that other threads and a mapped file can read them at any time.
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

namespace commprof {

inline constexpr std::size_t page_bytes = 4096;  // the least size of a page

// Identifies the contents of the profiler's pages, so that a reader can tell them apart in a file.
namespace spool {

enum class Kind : std::uint32_t {
  none,  // not needed to write a profile
  head,
  run_json,    // text: run.json as written at the start
  processors,  // text
  home,        // two texts, each ended by a zero: the profile's directory, and %j
  records,
  peers,
  communicators,
  communicator_texts,
  regions,
  region_texts,
  scopes,
  sites,
  modules,
  module_texts,
  requests,
  further_requests,
  started_calls,
  current_calls,
  time_windows,
  message_state,
  streams,
  message_log,
  spanning_calls,
  awaited_messages,
  pending_counts,
  count_
};

// The pages of a table are identified by the thread that they count for, and by their order.
struct Part {
  Kind kind = Kind::none;
  std::uint32_t owner = 0;
  std::uint32_t chunk = 0;
};

}  // namespace spool

// Returns zeroed pages, or nullptr if the system has none.
void* map_pages(std::size_t bytes);
// Returns pages that outlive the process: from the spool file, if it has room; otherwise ordinary ones.
void* map_pages(std::size_t bytes, spool::Part part);
// Makes map_pages() ask `source` for the pages of a part. It returns nullptr if it has none.
using PagesOfPart = void* (*)(std::size_t bytes, spool::Part part);
void take_pages_from(PagesOfPart source);
void unmap_pages(void* pages, std::size_t bytes);
// More pages with the same contents, elsewhere perhaps, in place of those, which may be nullptr. nullptr, and those
// stay, if memory is used up.
void* grown_pages(void* pages, std::size_t bytes, std::size_t wanted);
// Prefetches empty pages for writing, if they are few: one system call in place of a page fault for each, or of two if
// a page is read first. A fault in a page of a file costs more than one in anonymous memory.
void fetch_pages(void* pages, std::size_t bytes);

// Bytes mapped by map_pages() and not unmapped.
std::size_t mapped_bytes();

// An array of fixed-size records that never move. It grows by chunks, each twice as large as the one before: so the
// list of chunks is short, and an empty arena takes no memory. Writers must serialise; readers may run at the same
// time.
template <class Record, unsigned first_chunk_bits, unsigned max_chunks>
class Arena {
  static_assert(std::is_trivially_copyable_v<Record> && std::is_trivially_destructible_v<Record>);

 public:
  static constexpr std::size_t first_chunk_size = std::size_t{1} << first_chunk_bits;
  static constexpr std::size_t capacity = first_chunk_size * ((std::size_t{1} << max_chunks) - 1);

  Arena() = default;
  constexpr explicit Arena(spool::Part part) : part_(part) {}
  // Must be called before the first record is added.
  void keep_as(spool::Part part) { part_ = part; }

  // Unmaps all pages.
  void release() {
    for (unsigned chunk = 0; chunk < max_chunks; ++chunk) {
      unmap_pages(chunks_[chunk], sizeof(Record) * (first_chunk_size << chunk));
      chunks_[chunk] = nullptr;
    }
    size_ = 0;
    next_ = end_ = nullptr;
  }

  // Appends a value-initialised record, or returns nullptr if memory or indices are used up. Its index is size() - 1.
  Record* append() {
    return append([](Record&) {});
  }
  // Appends a record. begin(record) writes what readers must see as soon as size() includes the record.
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

  // Called when all chunks are full.
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
  Record* next_ = nullptr;  // the record that append() returns next, within the last chunk
  Record* end_ = nullptr;
};

// The position of a text in a TextStore; an empty text needs no store.
struct TextRef {
  std::uint32_t chunk = 0;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;
};

// Stores texts of any length; a text changes only if the caller writes into its room.
class TextStore {
 public:
  TextStore() = default;
  constexpr explicit TextStore(spool::Kind kind) : kind_(kind) {}

  // Stores a copy, cut off after max_length bytes. Empty if memory is used up.
  TextRef add(std::string_view text, std::size_t max_length = UINT32_MAX);
  // Reserves zeroed room for a text that changes. Empty if memory is used up.
  TextRef add_room(std::size_t length);
  char* room(TextRef ref) { return chunks_[ref.chunk] + ref.offset; }
  std::string_view view(TextRef ref) const;
  // Unmaps all pages; all references to texts become invalid.
  void release();

 private:
  static constexpr std::size_t max_chunks = 4096;
  static constexpr std::size_t first_chunk_bytes = 4032;  // a page, with the head that precedes it in a file
  static constexpr std::size_t chunk_bytes = 64 * 1024;
  spool::Kind kind_ = spool::Kind::none;
  char* chunks_[max_chunks]{};
  std::size_t bytes_[max_chunks]{};
  std::size_t count_ = 0;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
};

// A vector of trivially copyable values, on pages of its own. It keeps its contents when it grows, and its memory when
// it is destroyed, as for static objects: a program may call MPI when these have been destroyed.
template <class T>
class LastingVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  LastingVector() = default;
  LastingVector(LastingVector const&) = delete;
  LastingVector& operator=(LastingVector const&) = delete;

  // False if memory is used up; the contents then stay unchanged.
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
  // Frees the memory.
  void release() {
    unmap_pages(data_, bytes());
    data_ = nullptr;
    size_ = capacity_ = 0;
  }
  void pop_back() { --size_; }
  // Reserves capacity. If memory is used up, does nothing.
  void reserve(std::size_t size) {
    if (capacity_ < size) grow(size);
  }
  // New values are uninitialised. False if memory is used up; the contents then stay unchanged.
  bool resize(std::size_t size) {
    while (capacity_ < size)
      if (!grow(size)) return false;
    size_ = size;
    return true;
  }
  void swap(LastingVector& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  static_assert(sizeof(T) <= page_bytes);
  static std::size_t pages_for(std::size_t count) {
    return (count * sizeof(T) + page_bytes - 1) / page_bytes * page_bytes;
  }
  std::size_t bytes() const { return pages_for(capacity_); }
  bool grow(std::size_t least = 1) {
    std::size_t const wanted = pages_for(std::max(capacity_ * 2, least));
    void* const larger = grown_pages(data_, bytes(), wanted);
    if (larger == nullptr) return false;
    data_ = static_cast<T*>(larger);
    capacity_ = wanted / sizeof(T);
    return true;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};
// A vector that frees its memory when it is destroyed. It is a class of its own, because clang before 16 ignores the
// `requires` of a destructor.
template <class T>
class PageVector : public LastingVector<T> {
 public:
  PageVector() = default;
  PageVector(PageVector const&) = delete;
  PageVector& operator=(PageVector const&) = delete;
  ~PageVector() { this->release(); }
  void swap(PageVector& other) { LastingVector<T>::swap(other); }
};

// Joins values that follow each other and are alike: add(kept, other) adds each further one to the first, which stays.
template <class T, class AreAlike, class Add>
void join_neighbours(LastingVector<T>& values, AreAlike are_alike, Add add) {
  std::size_t size = 0;
  T* const kept = values.begin();
  for (T const& one : values) {
    if (size > 0 && are_alike(kept[size - 1], one)) add(kept[size - 1], one);
    else kept[size++] = one;
  }
  values.resize(size);
}

// Arrays of rows that are sorted and added up by their keys. A row has key(), and += for one with an equal key.

// Sorts rows, and adds up those with equal keys by add(row, other).
template <class Row, class Add>
void order_rows(LastingVector<Row>& rows, Add&& add) {
  std::sort(rows.begin(), rows.end(), [](Row const& a, Row const& b) { return a.key() < b.key(); });
  join_neighbours(
      rows, [](Row const& a, Row const& b) { return a.key() == b.key(); }, add);
}
template <class Row>
void order_rows(LastingVector<Row>& rows) {
  order_rows(rows, [](Row& row, Row const& other) { row += other; });
}

// Adds sorted rows to sorted rows, in a time that is linear in both. False if memory is used up: new keys are missing.
template <class Row>
bool merge_rows(LastingVector<Row>& rows, LastingVector<Row> const& others) {
  std::size_t left = rows.size(), fresh = 0;
  Row* own = rows.begin();
  for (Row const& other : others) {
    while (own != rows.end() && own->key() < other.key()) ++own;
    if (own != rows.end() && own->key() == other.key()) *own += other;
    else ++fresh;
  }
  if (!rows.resize(left + fresh)) return false;
  // From the end, where there is room now.
  Row const* other = others.end();
  for (Row* to = rows.end(); fresh > 0;) {
    Row const* const last = left > 0 ? rows.begin() + left - 1 : nullptr;
    if (last != nullptr && other[-1].key() < last->key()) {
      *--to = *last;
      --left;
    } else if (last != nullptr && last->key() == other[-1].key()) {
      --other;  // is added already
    } else {
      *--to = *--other;
      --fresh;
    }
  }
  return true;
}

}  // namespace commprof
