#include "front/loaded_list.hpp"

#include <sys/mman.h>

#include <cstring>

namespace commprof::front {

LoadedList::LoadedList(bool (*is_wanted)(dl_phdr_info const& object), std::size_t first) {
  struct Copy {
    LoadedList* list;
    bool (*is_wanted)(dl_phdr_info const& object);
    std::size_t to_skip;
    std::size_t room;  // total length of all paths
  };
  auto const add = [](dl_phdr_info* info, std::size_t, void* data) {
    auto& copy = *static_cast<Copy*>(data);
    LoadedList& list = *copy.list;
    if (copy.to_skip > 0) return --copy.to_skip, 0;
    if (info->dlpi_name == nullptr || info->dlpi_name[0] == '\0' || !copy.is_wanted(*info)) return 0;
    std::size_t const length = std::strlen(info->dlpi_name) + 1;
    copy.room += length;
    if (list.length_ + length > list.capacity_) return 0;
    std::memcpy(list.paths_ + list.length_, info->dlpi_name, length);
    list.length_ += length;
    return 0;
  };
  constexpr std::size_t page_bytes = 65536;  // a multiple of the page size on any system
  for (;;) {
    Copy copy{this, is_wanted, first, 0};
    length_ = 0;
    dl_iterate_phdr(add, &copy);
    if (copy.room <= capacity_) return;
    if (paths_ != nullptr) munmap(paths_, capacity_);
    capacity_ = (copy.room + page_bytes - 1) / page_bytes * page_bytes;
    void* const pages = mmap(nullptr, capacity_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    paths_ = pages == MAP_FAILED ? nullptr : static_cast<char*>(pages);
    if (paths_ == nullptr) {
      capacity_ = length_ = 0;
      return;
    }
  }
}

LoadedList::~LoadedList() {
  if (paths_ != nullptr) munmap(paths_, capacity_);
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

LoadedObjects LoadedObjects::now(bool (*is_wanted)(dl_phdr_info const& object)) {
  struct Count {
    LoadedObjects objects;
    bool (*is_wanted)(dl_phdr_info const& object);
  } count{{}, is_wanted};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& so_far = *static_cast<Count*>(data);
        ++so_far.objects.count;
        if (so_far.is_wanted(*info)) ++so_far.objects.wanted;
        return 0;
      },
      &count);
  return count.objects;
}

}  // namespace commprof::front
