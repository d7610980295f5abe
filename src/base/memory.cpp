#include "base/memory.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace commprof {

namespace {

std::atomic<std::size_t> mapped{0};
std::atomic<PagesOfPart> pages_of_part{nullptr};

constexpr std::size_t largest_to_fetch = std::size_t{1} << 18;
constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, missing in older headers

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

void* grown_pages(void* pages, std::size_t bytes, std::size_t wanted) {
  if (pages == nullptr) return map_pages(wanted);
  int const errno_of_program = errno;
  void* const moved = mremap(pages, bytes, wanted, MREMAP_MAYMOVE);
  errno = errno_of_program;
  if (moved != MAP_FAILED) {
    mapped.fetch_add(wanted - bytes, std::memory_order_relaxed);
    return moved;
  }
  void* const copy = map_pages(wanted);  // pages that a network has registered may not move
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, pages, bytes);
  unmap_pages(pages, bytes);
  return copy;
}

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

}  // namespace commprof
