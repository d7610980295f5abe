// The traffic between ranks, and what a placement of the ranks does to it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "placement/machine.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// What a rank exchanges with another one.
struct Partner {
  std::uint32_t rank;
  Amount sent, received;

  [[nodiscard]] double exchanged(Measure weight) const {
    return static_cast<double>(sent.of(weight) + received.of(weight));
  }
};

class Work {
 public:
  // Leaves out messages to the sender itself and to other worlds.
  Work(std::vector<PairTraffic> const& pairs, std::size_t ranks);

  [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
  [[nodiscard]] bool empty() const { return partners_.empty(); }
  // In the order of ranks. Empty for ranks from ranks() on: they stand for empty slots.
  [[nodiscard]] std::span<Partner const> of(std::size_t rank) const {
    if (rank >= ranks()) return {};
    return std::span(partners_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Partner> partners_;
};

// What a byte or a message costs whose ends share a place of this level, and none further inside. A byte that leaves
// the host costs five times the most that a byte costs inside it.
[[nodiscard]] double cost_of_level(std::size_t level);

[[nodiscard]] double cost_of(Work const& work, Machine const& machine, Measure weight, Placement const& placement);

// What a placement does to links. Messages within a host, to the sender itself and to other worlds pass none.
struct LinkEffects {
  LinkIndex busiest = no_link;  // no_link if no message goes between hosts; the first of several
  std::uint64_t bytes = 0;      // bytes on the busiest link
  double load = 0;              // of the busiest link: its bytes, over its speed if the speed of every link is known
  std::uint64_t sum = 0;        // bytes summed over all links
  std::size_t used = 0;         // number of links with messages
};

// Ports of a host are dealt to its slots in turn; a rank uses the port of its slot. Throws ProfileError if the
// forwarding tables do not lead to a destination.
[[nodiscard]] LinkEffects link_effects_of(Work const& work, Machine const& machine, FabricHosts const& hosts,
                                          Placement const& placement);

struct Effects {
  std::vector<Amount> by_level;  // by level of the innermost place that both ranks of a pair share
  Amount between_hosts;
  std::uint64_t most_bytes_leaving = 0;  // bytes that leave the host which sends most
  std::string busiest_host;
  double cost = 0;
  std::optional<LinkEffects> links{};  // with hosts on a fabric
};

// hosts: of the machine; may be null.
[[nodiscard]] Effects effects_of(Work const& work, Machine const& machine, Measure weight, FabricHosts const* hosts,
                                 Placement const& placement);

struct SearchInput {
  Work const& work;
  Machine const& machine;
  Measure weight;
  std::optional<Placement> now{};      // only if the machine is that of the run
  FabricHosts const* hosts = nullptr;  // of the machine; null: costs alone count
};

// Looks for the placement whose messages cost least or, with the links of a network, whose busiest link carries least.
// The present placement, blocks, round robin and those that Scotch proposes are judged as they are and after swaps of
// two ranks. So the result is never worse than any of these.
[[nodiscard]] Placement search_placement(SearchInput const& input);

}  // namespace mpisee_through
