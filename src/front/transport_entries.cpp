#include "front/transport_entries.hpp"

#include <algorithm>
#include <string_view>

#include "front/entries.hpp"

namespace commprof::front {

void* transport_target(std::size_t number, Definition const& found, TransportUse const& use) {
  bool const is_observed = use.flavour != nullptr && is_transport_observed.load(std::memory_order_relaxed);
  if (!found.is_for_all() || !is_observed) return found.address;
  NextDefinition* const end = use.services.end_of_next;
  NextDefinition* const next = std::find_if(use.services.first_next, end, [&](NextDefinition const& one) {
    return std::string_view(one.symbol) == entry_name(number);
  });
  DynamicSection const flavour(use.flavour->l_addr, use.flavour->l_ld);
  void* const wrapper = flavour.find(entry_name(number), entry_hash(number)).address;
  if (next == end || wrapper == nullptr) return found.address;
  std::atomic_ref(next->address).store(found.address, std::memory_order_release);
  return wrapper;
}

void lead_transport(TransportUse const& use) {
  std::size_t end = 0;
  for (std::size_t first = 0; first < entry_count(); first = end + 1) {  // names are in order
    for (end = first; end < entry_count() && is_of_transport(entry_name(end));) ++end;
    if (end == first) continue;
    Owners const owners(first, end, use.mpi);
    for (std::size_t number = first; number < end; ++number)
      if (owners[number].is_for_all()) lead_entry(number, transport_target(number, owners[number], use));
  }
}

}  // namespace commprof::front
