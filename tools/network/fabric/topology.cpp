#include "fabric/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "files/profile_error.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

// The name that tools print, the number in OpenSM's list of links (SPD=), and the data rate of a lane. The line codes
// carry 8 bits of data in 10 up to QDR, 64 in 66 from FDR10 on; rates from HDR on are rates of data already.
struct Speed {
  std::string_view name;
  std::string_view number;
  double gbit_per_s;
};
constexpr std::array speeds{Speed{"SDR", "2.5", 2},     Speed{"DDR", "5", 4},      Speed{"QDR", "10", 8},
                            Speed{"FDR10", "10.3", 10}, Speed{"FDR", "14", 13.64}, Speed{"EDR", "25", 25},
                            Speed{"HDR", "50", 50},     Speed{"NDR", "100", 100},  Speed{"XDR", "200", 200}};

}  // namespace

double bytes_per_second(std::string_view width_and_speed) {
  unsigned lanes = 0;
  auto const [end, error] =
      std::from_chars(width_and_speed.data(), width_and_speed.data() + width_and_speed.size(), lanes);
  auto rest = width_and_speed.substr(static_cast<std::size_t>(end - width_and_speed.data()));
  if (error != std::errc() || !rest.starts_with('x') || lanes > 64) return 0;
  rest.remove_prefix(1);
  auto const* const speed =
      std::ranges::find_if(speeds, [&](Speed const& one) { return rest == one.name || rest == one.number; });
  return speed == speeds.end() ? 0 : lanes * speed->gbit_per_s * 1e9 / 8;
}

TopologyNode& Topology::add(TopologyNode const& node) {
  auto const [known, is_new] = by_guid_.try_emplace(node.guid, nodes_.size());
  if (is_new) {
    if (node.ports > most_ports) fail(node.place, fmt::format("{} ports are too many", node.ports));
    nodes_.push_back(node);
  }
  TopologyNode& there = nodes_[known->second];
  if (there.is_switch != node.is_switch || there.ports != node.ports)
    fail(node.place, fmt::format("this node is another one at {}", where(there.place)));
  if (there.lid == 0) there.lid = node.lid;
  return there;
}

void Topology::connect(TopologyNode& node, std::uint32_t number, TopologyPort const& port) {
  if (number == 0 || number > node.ports)
    fail(port.place, fmt::format("{} has no port {}, only {}", visible(node.name), number, node.ports));
  auto const [known, is_new] = node.connected.try_emplace(number, port);
  TopologyPort& there = known->second;
  if (!is_new && (there.peer != port.peer || there.peer_port != port.peer_port))
    fail(port.place,
         fmt::format("port {} of {} leads elsewhere at {}", number, visible(node.name), where(there.place)));
  if (there.lid == 0) there.lid = port.lid;
}

void Topology::fail(FabricPlace place, std::string_view problem) const {
  throw ProfileError(files_[place.file], place.line, problem);
}

std::string Topology::where(FabricPlace place) const {
  return fmt::format("{}:{}", files_[place.file].string(), place.line);
}

TopologyNode const* Topology::find(std::uint64_t guid) const {
  auto const known = by_guid_.find(guid);
  return known == by_guid_.end() ? nullptr : &nodes_[known->second];
}

}  // namespace mpisee_through
