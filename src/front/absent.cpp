#include "front/absent.hpp"

#include <iterator>
#include <utility>

#include "front/entries.hpp"
#include "front/front.hpp"
#include "front/owner.hpp"

namespace commprof::front {

namespace {

struct Search {
  std::size_t numbers[256];
  std::size_t count = 0;

  bool has(std::size_t number) const {
    for (std::size_t i = 0; i < count; ++i)
      if (numbers[i] == number) return true;
    return false;
  }
};

int find_weak(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  DynamicSection(*info).for_each_undefined([&](char const* name, bool is_weak) {
    if (!is_weak) return;
    std::size_t const number = entry_of_mpi(name);
    if (number == entry_count() || search.has(number) || search.count == std::size(search.numbers)) return;
    search.numbers[search.count++] = number;
  });
  return 0;
}

int clear(dl_phdr_info* info, std::size_t, void* data) {
  auto const& absent = *static_cast<Search const*>(data);
  DynamicSection(*info).for_each_import([&](DynamicSection::Import const& import) {
    if (!import.is_weak) return;
    std::size_t const number = entry_of_mpi(import.name);
    if (number != entry_count() && *import.slot == entry_address(number) && absent.has(number))
      write_slot(*info, import.slot, nullptr);
  });
  return 0;
}

}  // namespace

void clear_references_to_absent() {
  Search search;
  dl_iterate_phdr(find_weak, &search);
  std::size_t const count = std::exchange(search.count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    Definition const found = owner(search.numbers[i], nullptr);
    if (found.address == nullptr && !found.is_before_front) search.numbers[search.count++] = search.numbers[i];
  }
  if (search.count > 0) dl_iterate_phdr(clear, &search);
}

bool is_absent_for(LoadedObject const& object, std::size_t number) {
  Definition const found = owner(number, nullptr);
  if (found.address != nullptr || found.is_before_front) return false;
  return !found.is_elsewhere || !finds_behind_front(object, entry_name(number));
}

}  // namespace commprof::front
