#include "profile/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace commprof {

namespace {
std::atomic<std::size_t> mapped{0};
}

void* map_pages(std::size_t bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  mapped.fetch_add(bytes, std::memory_order_relaxed);
  return pages;
}

void unmap_pages(void* pages, std::size_t bytes) {
  if (pages == nullptr) return;
  munmap(pages, bytes);
  mapped.fetch_sub(bytes, std::memory_order_relaxed);
}

std::size_t mapped_bytes() { return mapped.load(std::memory_order_relaxed); }

TextRef TextStore::add(std::string_view text, std::size_t max_length) {
  std::size_t const length = std::min(text.size(), max_length);
  if (length == 0) return {};
  if (used_ + length > capacity_ || count_ == 0) {
    if (count_ == max_chunks) return {};
    std::size_t const bytes = std::max(chunk_bytes, length);
    char* const chunk = static_cast<char*>(map_pages(bytes));
    if (chunk == nullptr) return {};
    chunks_[count_++] = chunk;
    used_ = 0;
    capacity_ = bytes;
  }
  std::memcpy(chunks_[count_ - 1] + used_, text.data(), length);
  TextRef const ref{static_cast<std::uint32_t>(count_ - 1), static_cast<std::uint32_t>(used_),
                    static_cast<std::uint32_t>(length)};
  used_ += length;
  return ref;
}

std::string_view TextStore::view(TextRef ref) const {
  return ref.length == 0 ? std::string_view{} : std::string_view{chunks_[ref.chunk] + ref.offset, ref.length};
}

void* Scratch::grow(std::size_t bytes) {
  release();
  std::size_t const rounded = (bytes * 2 + 4095) / 4096 * 4096;
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
