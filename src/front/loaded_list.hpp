// A copy of the paths of loaded objects, for work outside dl_iterate_phdr(), which holds a lock of the dynamic linker.
#pragma once

#include <link.h>

#include <cstddef>

namespace commprof::front {

class LoadedList {
 public:
  // Lists the objects for which is_wanted() returns true, without asking about the first ones. The dynamic linker
  // appends what it loads, so that the last ones are the newest.
  explicit LoadedList(bool (*is_wanted)(dl_phdr_info const& object), std::size_t first = 0);
  LoadedList(LoadedList const&) = delete;
  LoadedList& operator=(LoadedList const&) = delete;
  ~LoadedList();

  // Calls visit(path) for each object except the program, which has no path.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (char const* path = paths_; path != paths_ + length_;) {
      visit(path);
      while (*path++ != '\0') {
      }
    }
  }

 private:
  char* paths_ = nullptr;  // all paths, each ended by a zero
  std::size_t length_ = 0;
  std::size_t capacity_ = 0;
};

// The numbers of objects loaded and unloaded since the process began.
struct LoadCounts {
  unsigned long long loaded = 0;
  unsigned long long unloaded = 0;

  static LoadCounts now();
  friend bool operator==(LoadCounts const&, LoadCounts const&) = default;
};

// The number of loaded objects, the program among them, and of those for which is_wanted() returns true.
struct LoadedObjects {
  std::size_t count = 0;
  std::size_t wanted = 0;

  static LoadedObjects now(bool (*is_wanted)(dl_phdr_info const& object));
};

}  // namespace commprof::front
