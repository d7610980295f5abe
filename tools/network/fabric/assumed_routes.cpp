#include "fabric/assumed_routes.hpp"

#include <algorithm>
#include <limits>

namespace mpisee_through {
namespace {

constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();

class Assumption {
 public:
  explicit Assumption(Fabric& fabric) : fabric_(fabric), destinations_used_(fabric.links.size()) {
    std::uint32_t highest = 0;
    for (FabricLink const& one : fabric_.links) highest = std::max(highest, one.lid + one.lids - 1);
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i)
      if (fabric_.nodes[i].is_switch) fabric_.tables[i].ports.assign(highest + 1, ForwardingTable::no_port);
  }

  // Computes the routes from each switch to all that is connected to it.
  void run() {
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      if (!fabric_.nodes[i].is_switch) continue;
      std::vector<LinkIndex> const adapters = adapters_of(fabric_.nodes[i]);
      if (adapters.empty()) continue;
      measure(NodeIndex{static_cast<std::uint32_t>(i)});
      for (LinkIndex const down : adapters) add(NodeIndex{static_cast<std::uint32_t>(i)}, down);
    }
  }

 private:
  [[nodiscard]] std::vector<LinkIndex> adapters_of(FabricNode const& node) const {
    std::vector<LinkIndex> found;
    for (std::uint32_t k = 0; k < node.ports; ++k) {
      LinkIndex const link{node.first_link + k};
      if (fabric_.link(link).back != no_link && !fabric_.peer_of(link).is_switch) found.push_back(link);
    }
    return found;
  }

  // Finds the distance of each switch to the destination, and its ports that lead one step nearer.
  void measure(NodeIndex destination) {
    steps_.assign(fabric_.nodes.size(), far);
    nearer_.assign(fabric_.nodes.size(), {});
    reached_.assign(1, destination);
    steps_[static_cast<std::size_t>(destination)] = 0;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      FabricNode const& here = fabric_.node(reached_[i]);
      std::uint32_t const step = steps_[static_cast<std::size_t>(reached_[i])] + 1;
      for (std::uint32_t k = 0; k < here.ports; ++k) {
        LinkIndex const back = fabric_.links[here.first_link + k].back;
        if (back == no_link || !fabric_.node_of(back).is_switch) continue;
        auto const there = static_cast<std::size_t>(fabric_.link(back).node);
        if (steps_[there] == far) {
          steps_[there] = step;
          reached_.push_back(fabric_.link(back).node);
        }
        if (steps_[there] == step) nearer_[there].push_back(back);
      }
    }
  }

  void add(NodeIndex leaf, LinkIndex down) {
    FabricLink const& destination = fabric_.link(fabric_.link(down).back);
    if (destination.lid == 0) return;
    for (std::uint32_t i = 0; i < destination.lids; ++i) {
      std::uint32_t const lid = destination.lid + i;
      enter(leaf, lid, down);
      for (std::size_t k = 1; k < reached_.size(); ++k) {
        auto const& ways = nearer_[static_cast<std::size_t>(reached_[k])];
        LinkIndex const best = *std::ranges::min_element(
            ways, {}, [this](LinkIndex one) { return destinations_used_[static_cast<std::size_t>(one)]; });
        enter(reached_[k], lid, best);
      }
    }
  }

  void enter(NodeIndex node, std::uint32_t lid, LinkIndex link) {
    ++destinations_used_[static_cast<std::size_t>(link)];
    fabric_.tables[static_cast<std::size_t>(node)].ports[lid] = static_cast<std::uint16_t>(fabric_.link(link).port);
  }

  Fabric& fabric_;
  std::vector<std::uint32_t> destinations_used_;  // by link
  std::vector<std::uint32_t> steps_;              // by node
  std::vector<std::vector<LinkIndex>> nearer_;
  std::vector<NodeIndex> reached_;
};

}  // namespace

void assume_tables(Fabric& fabric) { Assumption(fabric).run(); }

}  // namespace mpisee_through
