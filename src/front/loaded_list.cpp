#include "front/loaded_list.hpp"

#include <sys/mman.h>

#include <cstring>

namespace commprof::front {

void LoadedList::fill(Ask ask, void const* predicate, std::size_t first) {
  struct Copy {
    LoadedList* list;
    Ask ask;
    void const* predicate;
    std::size_t to_skip;
    std::size_t room;  // total length of all paths
  };
  auto const add = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& copy = *static_cast<Copy*>(data);
    LoadedList& list = *copy.list;
    list.counts_ = {info->dlpi_adds, info->dlpi_subs};
    if (list.loaded_objects_++ < copy.to_skip) return 0;
    if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0' || !copy.ask(copy.predicate, *info)) return 0;
    std::size_t const length = std::strlen(info->dlpi_name) + 1;
    copy.room += length;
    if (list.length_ + length > list.capacity_) return 0;
    std::memcpy(list.paths_ + list.length_, info->dlpi_name, length);
    list.length_ += length;
    return 0;
  };
  constexpr std::size_t page_bytes = 65536;  // a multiple of the page size on any system
  for (;;) {
    Copy copy{this, ask, predicate, first, 0};
    length_ = loaded_objects_ = 0;
    dl_iterate_phdr(add, &copy);
    if (copy.room <= capacity_) return;
    release();
    capacity_ = (copy.room + page_bytes - 1) / page_bytes * page_bytes;
    void* const pages = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    paths_ = pages == MAP_FAILED ? nullptr : static_cast<char*>(pages);
    if (paths_ == nullptr) {
      capacity_ = length_ = 0;
      return;
    }
  }
}

LoadedList::~LoadedList() { release(); }

void LoadedList::release() {
  if (paths_ != nullptr && paths_ != few_) munmap(paths_, capacity_);
}

LoadCounts LoadCounts::now() {
  LoadCounts counts;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        *static_cast<LoadCounts*>(data) = {info->dlpi_adds, info->dlpi_subs};
        return 1;
      },
      &counts);
  return counts;
}

bool is_any_loaded(bool (*is_wanted)(dl_phdr_info const& object)) {
  auto const is_found = [](dl_phdr_info* info, std::size_t, void* data) {
    return (*static_cast<decltype(is_wanted)*>(data))(*info) ? 1 : 0;
  };
  return dl_iterate_phdr(is_found, &is_wanted) != 0;
}

}  // namespace commprof::front
