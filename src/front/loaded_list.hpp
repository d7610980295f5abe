// A copy of the paths of loaded objects, for work outside dl_iterate_phdr(), which holds a lock of the dynamic linker.
#pragma once

#include <link.h>

#include <cstddef>

namespace commprof::front {

// The numbers of objects loaded and unloaded since the process began.
struct LoadCounts {
  unsigned long long loaded = 0;
  unsigned long long unloaded = 0;

  static LoadCounts now();
  friend bool operator==(LoadCounts const&, LoadCounts const&) = default;
};

class LoadedList {
 public:
  // Lists the objects for which is_wanted() returns true, without asking about the first ones. The dynamic linker
  // appends what it loads, so that the last ones are the newest.
  template <class Predicate>
  explicit LoadedList(Predicate is_wanted, std::size_t first = 0) {
    auto const ask = [](void const* predicate, dl_phdr_info const& object) -> bool {
      return (*static_cast<Predicate const*>(predicate))(object);
    };
    fill(ask, &is_wanted, first);
  }
  LoadedList(LoadedList const&) = delete;
  LoadedList& operator=(LoadedList const&) = delete;
  ~LoadedList();

  // The number of objects that were loaded at that moment: the program, and those that were not asked about, count.
  std::size_t loaded_objects() const { return loaded_objects_; }
  // LoadCounts::now() at that moment.
  LoadCounts counts() const { return counts_; }

  bool is_empty() const { return length_ == 0; }
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
  using Ask = bool (*)(void const* predicate, dl_phdr_info const& object);
  void fill(Ask ask, void const* predicate, std::size_t first);
  void release();

  char few_[2048];      // without system calls where few objects are listed, as after most calls of dlopen()
  char* paths_ = few_;  // all paths, each ended by a zero
  std::size_t length_ = 0;
  std::size_t capacity_ = sizeof few_;
  std::size_t loaded_objects_ = 0;
  LoadCounts counts_;
};

}  // namespace commprof::front
