#include "support/memory_shortage.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <climits>

namespace {
std::atomic<int> maps_left{INT_MAX};
}

extern "C" {
void* __real_mmap(void* address, size_t length, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* address, size_t length, int protection, int flags, int file, off_t offset);

void* __wrap_mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  if (maps_left != INT_MAX && maps_left-- <= 0) {
    maps_left = 0;
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mmap(address, length, protection, flags, file, offset);
}
}

MemoryShortage::MemoryShortage(int pages_left) { maps_left = pages_left; }
MemoryShortage::~MemoryShortage() { maps_left = INT_MAX; }
