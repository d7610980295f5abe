#include "placement/link_effects.hpp"

namespace mpisee_through {

LinkEffects link_effects_of(std::vector<PairTraffic> const& pairs, SlotRoutes& routes, Placement const& placement) {
  std::vector<std::uint64_t> bytes(routes.fabric().links.size(), 0);
  for (PairTraffic const& pair : pairs) {
    if (pair.from == other_world || pair.to == other_world) continue;
    SlotIndex const from = placement[static_cast<std::size_t>(pair.from)];
    for (LinkIndex const link : routes.between(from, placement[static_cast<std::size_t>(pair.to)]))
      bytes[static_cast<std::size_t>(link)] += pair.amount.bytes;
  }
  LinkEffects effects;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    LinkIndex const link{static_cast<std::uint32_t>(i)};
    ++effects.used;
    effects.sum += bytes[i];
    double const load = static_cast<double>(bytes[i]) * routes.load_of_byte(link);
    if (load > effects.load) effects.busiest = link, effects.bytes = bytes[i], effects.load = load;
  }
  return effects;
}

}  // namespace mpisee_through
