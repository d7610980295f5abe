// What the messages of a profile put on the links of a fabric.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric_hosts.hpp"
#include "fabric/link_messages.hpp"

namespace mpisee_through {

// How messages choose, where the fabric leaves a choice.
struct RouteChoice {
  std::optional<std::uint32_t>
      rail{};             // of hosts with several ports, all use this one, from 0; else each rank the next
  std::uint32_t lid = 0;  // of a port with several lids, from 0
};

struct LevelLoad {
  std::string level;  // as level_of() has it
  std::size_t links = 0;
  std::size_t used = 0;
  Amount sum{};
  Amount most{};  // the maximum of each
  std::optional<double> most_share{};
};

// A route is a way of messages from one port of a host to one of another. The congestion of a link is the number of
// routes through it, that of a route the most of its links: ORCS calls their sum sum_max_cong, and how many routes have
// which one hist_max_cong.
struct Congestion {
  std::uint64_t routes = 0;
  std::uint64_t sum_max = 0;
  std::uint64_t most = 0;
  std::map<std::uint64_t, std::uint64_t> routes_with{};  // by congestion

  [[nodiscard]] double mean() const {
    return routes == 0 ? 0 : static_cast<double>(sum_max) / static_cast<double>(routes);
  }
};

struct LinkLoads {
  std::vector<Amount> of_link;           // by LinkIndex
  std::vector<std::uint32_t> routes_of;  // by LinkIndex
  std::vector<LevelLoad> levels;         // with links that hosts of the run can use; up before down
  Congestion congestion;
  double wall_s = 0;

  [[nodiscard]] Amount const& of(LinkIndex link) const { return of_link[static_cast<std::size_t>(link)]; }
};

// Routes of ranks.
class RankRoutes {
 public:
  RankRoutes(FabricHosts const& hosts, Overview const& overview, RouteChoice const& choice);

  [[nodiscard]] FabricHosts::Ends ends(WorldRank from, WorldRank to) const;
  // Instead of what is in it. Valid until the next call.
  [[nodiscard]] std::span<LinkIndex const> find(WorldRank from, WorldRank to);
  [[nodiscard]] std::span<LinkIndex const> find(FabricHosts::Ends ends);
  [[nodiscard]] Fabric const& fabric() const { return hosts_.fabric(); }

 private:
  FabricHosts const& hosts_;
  Overview const& overview_;
  std::vector<std::uint32_t> rail_of_rank_;
  std::uint32_t lid_;
  std::vector<LinkIndex> way_;
};

[[nodiscard]] LinkLoads load_links(RankRoutes& routes, LinkMessages const& messages, double wall_s);

// A part of what the link could have carried in the wall time. Nothing if its speed is not known.
[[nodiscard]] std::optional<double> share_of(Fabric const& fabric, LinkLoads const& loads, LinkIndex link);

// Links with messages, descending by the measure; equal ones in the order of the fabric.
[[nodiscard]] std::vector<LinkIndex> busiest_links(LinkLoads const& loads, Measure measure);

// What fills a link, each list descending by the measure.
struct LinkFilling {
  struct Part {
    std::string name;
    Amount amount;
  };
  std::vector<Part> communicators, operations, regions;
  std::vector<PairTraffic> pairs;
};
// Of each of the links.
[[nodiscard]] std::vector<LinkFilling> fill(RankRoutes& routes, LinkMessages const& messages,
                                            std::span<LinkIndex const> links, Measure measure);

}  // namespace mpisee_through
