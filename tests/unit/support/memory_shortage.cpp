#include "support/memory_shortage.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace {
std::atomic<int> maps_left{INT_MAX};

bool is_used_up() {
  if (maps_left == INT_MAX || maps_left-- > 0) return false;
  maps_left = 0;
  errno = ENOMEM;
  return true;
}
}  // namespace

extern "C" {
void* __real_mmap(void* address, size_t length, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* address, size_t length, int protection, int flags, int file, off_t offset);

void* __wrap_mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  return is_used_up() ? MAP_FAILED : __real_mmap(address, length, protection, flags, file, offset);
}

void* __real_mremap(void* pages, size_t old_length, size_t length, int flags);
void* __wrap_mremap(void* pages, size_t old_length, size_t length, int flags);

void* __wrap_mremap(void* pages, size_t old_length, size_t length, int flags) {
  return is_used_up() ? MAP_FAILED : __real_mremap(pages, old_length, length, flags);
}
}

MemoryShortage::MemoryShortage(int pages_left) { maps_left = pages_left; }
MemoryShortage::~MemoryShortage() { maps_left = INT_MAX; }
