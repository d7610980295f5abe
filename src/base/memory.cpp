#include "base/memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

namespace commprof {

namespace {

std::atomic<std::size_t> mapped{0};
std::atomic<PagesOfPart> pages_of_part{nullptr};

constexpr std::size_t page_bytes = 4096;  // the least size of a page
constexpr std::size_t largest_to_fetch = std::size_t{1} << 18;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, missing in older headers

// The cached blocks, by size. A second thread that comes at the same time bypasses the cache.
class Shelf {
 public:
  void open() {
    std::lock_guard const guard(mutex_);
    is_open_ = true;
  }
  void close() {
    std::lock_guard const guard(mutex_);
    is_open_ = false;
    for (std::size_t size = 0; size < sizes; ++size)
      while (counts_[size] > 0) unmap_pages(blocks_[size][--counts_[size]], Block::least_bytes << size);
  }
  void* take(std::size_t bytes) {
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (!lock || counts_[index_of(bytes)] == 0) return nullptr;
    return blocks_[index_of(bytes)][--counts_[index_of(bytes)]];
  }
  bool keep(Block const& block) {
    std::unique_lock const lock(mutex_, std::try_to_lock);
    if (!lock || !is_open_ || counts_[index_of(block.bytes)] == most_of_size) return false;
    blocks_[index_of(block.bytes)][counts_[index_of(block.bytes)]++] = block.begin;
    return true;
  }

 private:
  static constexpr std::size_t sizes = std::bit_width(Block::most_bytes_to_keep / Block::least_bytes);
  static std::size_t index_of(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(bytes / Block::least_bytes)) - 1;
  }

  static constexpr std::size_t most_of_size = 4;

  std::mutex mutex_;
  bool is_open_ = false;
  void* blocks_[sizes][most_of_size]{};
  std::size_t counts_[sizes]{};
};
constinit Shelf shelf;

}  // namespace

void* map_pages(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  mapped.fetch_add(bytes, std::memory_order_relaxed);
  return pages;
}

void take_pages_from(PagesOfPart source) { pages_of_part.store(source, std::memory_order_release); }

void* map_pages(std::size_t bytes, spool::Part part) {
  PagesOfPart const source = part.kind == spool::Kind::none ? nullptr : pages_of_part.load(std::memory_order_acquire);
  void* const in_file = source == nullptr ? nullptr : source(bytes, part);
  if (in_file == nullptr) return map_pages(bytes);
  mapped.fetch_add(bytes, std::memory_order_relaxed);
  return in_file;
}

void unmap_pages(void* pages, std::size_t bytes) {
  if (pages == nullptr) return;
  std::size_t const before = reinterpret_cast<std::uintptr_t>(pages) % page_bytes;  // in a file, a head precedes them
  munmap(static_cast<char*>(pages) - before, bytes + before);
  mapped.fetch_sub(bytes, std::memory_order_relaxed);
}

void fetch_pages(void* pages, std::size_t bytes) {
  if (bytes > largest_to_fetch) return;
  int const errno_of_program = errno;
  if (madvise(pages, bytes, populate_write) != 0 && errno == EINVAL)  // EINVAL: Linux before 5.14
    for (std::size_t offset = 0; offset < bytes; offset += page_bytes) static_cast<char volatile*>(pages)[offset] = 0;
  errno = errno_of_program;
}

Block take_block(std::size_t bytes) {
  std::size_t const size = Block::size_for(bytes);
  void* const kept = size > Block::most_bytes_to_keep ? nullptr : shelf.take(size);
  return {kept != nullptr ? kept : map_pages(size), size};
}

void give_back(Block const& block) {
  if (block.begin == nullptr) return;
  if (block.bytes > Block::most_bytes_to_keep || !shelf.keep(block)) unmap_pages(block.begin, block.bytes);
}

Block grown(Block const& block, std::size_t used, std::size_t bytes) {
  if (block.begin != nullptr && block.bytes > Block::most_bytes_to_keep) {
    // By the system call: UCX intercepts mremap() and forgets the new address.
    long const moved = syscall(SYS_mremap, block.begin, block.bytes, bytes, MREMAP_MAYMOVE);
    if (moved == -1) return {};
    mapped.fetch_add(bytes - block.bytes, std::memory_order_relaxed);
    return {reinterpret_cast<void*>(moved), bytes};
  }
  Block const larger = take_block(bytes);
  if (larger.begin == nullptr) return {};
  if (used > 0) std::memcpy(larger.begin, block.begin, used);
  give_back(block);
  return larger;
}

KeptBlocks::KeptBlocks() { shelf.open(); }
KeptBlocks::~KeptBlocks() { shelf.close(); }

std::size_t mapped_bytes() { return mapped.load(std::memory_order_relaxed); }

TextRef TextStore::add(std::string_view text, std::size_t max_length) {
  TextRef const ref = add_room(std::min(text.size(), max_length));
  if (ref.length > 0) std::memcpy(room(ref), text.data(), ref.length);
  return ref;
}

TextRef TextStore::add_room(std::size_t length) {
  if (length == 0) return {};
  if (used_ + length > capacity_ || count_ == 0) {
    if (count_ == max_chunks) return {};
    std::size_t const bytes = std::max(count_ == 0 ? first_chunk_bytes : chunk_bytes, length);
    char* const chunk = static_cast<char*>(map_pages(bytes, {kind_, 0, static_cast<std::uint32_t>(count_)}));
    if (chunk == nullptr) return {};
    bytes_[count_] = bytes;
    chunks_[count_++] = chunk;
    used_ = 0;
    capacity_ = bytes;
  }
  TextRef const ref{static_cast<std::uint32_t>(count_ - 1), static_cast<std::uint32_t>(used_),
                    static_cast<std::uint32_t>(length)};
  used_ += length;
  return ref;
}

std::string_view TextStore::view(TextRef ref) const {
  return ref.length == 0 ? std::string_view{} : std::string_view{chunks_[ref.chunk] + ref.offset, ref.length};
}

void TextStore::release() {
  for (std::size_t i = 0; i < count_; ++i) unmap_pages(chunks_[i], bytes_[i]);
  count_ = used_ = capacity_ = 0;
}

void* Scratch::grow(std::size_t bytes) {
  release();
  std::size_t const rounded = (bytes * 2 + page_bytes - 1) / page_bytes * page_bytes;
  pages_ = map_pages(rounded);
  bytes_ = pages_ == nullptr ? 0 : rounded;
  return pages_;
}

void Scratch::release() {
  unmap_pages(pages_, bytes_);
  pages_ = nullptr;
  bytes_ = 0;
}

}  // namespace commprof
