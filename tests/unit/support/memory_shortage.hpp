// A system that has no more pages to give: the linker hands the mmap calls of the code under test to
// memory_shortage.cpp.
#pragma once

class MemoryShortage {
 public:
  // From now on, and as long as this lives, the system gives pages the stated number of times and then none.
  explicit MemoryShortage(int pages_left = 0);
  MemoryShortage(MemoryShortage const&) = delete;
  MemoryShortage& operator=(MemoryShortage const&) = delete;
  ~MemoryShortage();
};
