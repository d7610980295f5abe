#include "front/loaded_list.hpp"

#include <sys/mman.h>

#include <cstring>

#include "front/loaded_object.hpp"

namespace commprof::front {

void LoadedList::fill(Ask ask, void const* predicate, std::size_t first) {
  std::size_t room = 0;  // total length of all paths
  auto const add = [&](dl_phdr_info const& object) {
    counts_ = {object.dlpi_adds, object.dlpi_subs};
    if (loaded_objects_++ < first) return;
    if (object.dlpi_name == nullptr || object.dlpi_name[0] == '\0' || !ask(predicate, object)) return;
    std::size_t const length = std::strlen(object.dlpi_name) + 1;
    room += length;
    if (length_ + length > capacity_) return;
    std::memcpy(paths_ + length_, object.dlpi_name, length);
    length_ += length;
  };
  constexpr std::size_t page_bytes = 65536;  // a multiple of the page size on any system
  for (;;) {
    room = length_ = loaded_objects_ = 0;
    is_any_loaded([&](dl_phdr_info const& object) { return add(object), false; });
    if (room <= capacity_) return;
    release();
    capacity_ = (room + page_bytes - 1) / page_bytes * page_bytes;
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
  is_any_loaded([&](dl_phdr_info const& any) {
    counts = {any.dlpi_adds, any.dlpi_subs};
    return true;
  });
  return counts;
}

}  // namespace commprof::front
