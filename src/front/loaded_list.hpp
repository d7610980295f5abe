// A copy of the paths of loaded objects, so that the caller can work on them outside dl_iterate_phdr(), which holds a
// lock of the dynamic linker.
#pragma once

#include <link.h>

#include <cstddef>

namespace commprof::front {

class LoadedList {
 public:
  // Of the objects for which is_wanted() holds.
  explicit LoadedList(bool (*is_wanted)(dl_phdr_info const& object));
  LoadedList(LoadedList const&) = delete;
  LoadedList& operator=(LoadedList const&) = delete;
  ~LoadedList();

  // Calls visit(path) for each of them. The program itself has no path and is left out.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (char const* path = paths_; path != paths_ + length_;) {
      visit(path);
      while (*path++ != '\0') {
      }
    }
  }

 private:
  char* paths_ = nullptr;  // one after the other, each ended by a zero
  std::size_t length_ = 0;
  std::size_t capacity_ = 0;
};

// How many objects have been loaded and unloaded since the process began.
struct LoadCounts {
  unsigned long long loaded = 0;
  unsigned long long unloaded = 0;

  static LoadCounts now();
  friend bool operator==(LoadCounts const&, LoadCounts const&) = default;
};

}  // namespace commprof::front
