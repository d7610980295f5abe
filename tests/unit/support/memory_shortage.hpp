// Simulates a system without free pages: the linker redirects the mmap calls of the code under test to
// memory_shortage.cpp.
#pragma once

class MemoryShortage {
 public:
  // During its lifetime, the system provides pages the given number of times, and then none.
  explicit MemoryShortage(int pages_left = 0);
  MemoryShortage(MemoryShortage const&) = delete;
  MemoryShortage& operator=(MemoryShortage const&) = delete;
  ~MemoryShortage();
};
