// The messages between hosts by what they belong to, the load that they put on the links of a fabric, and the command
// that shows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "fabric/fabric.hpp"
#include "summary/overview.hpp"
#include "summary/traffic.hpp"
#include "table/document.hpp"

namespace mpisee_through {

enum class StreamIndex : std::uint32_t {};

// What messages have in common, apart from their ends. Names are visible text.
struct MessageStream {
  std::string region;
  std::string communicator;
  std::string operation;  // the operation of internal messages; the class of other messages: "p2p", "rma"
};

struct StreamTraffic {
  WorldRank from;
  WorldRank to;
  StreamIndex stream;
  Amount amount;
};

struct LinkMessages {
  std::vector<MessageStream> streams;
  std::vector<StreamTraffic> between_hosts;  // sorted by from, to, stream
  Amount total;                              // all selected messages
  Amount on_links;
  Amount within_hosts;
  Amount other_worlds;        // messages with an end in another world: the profile does not have its hosts
  Amount unknown_hosts;       // messages with an end of which the profile has nothing
  bool has_internal = false;  // the MPI itself sent some
};

// Reads the profile to its end. Throws ProfileError and SelectionError.
[[nodiscard]] LinkMessages read_link_messages(Profile const& profile, Selection const& selection,
                                              Overview const& overview);

struct LevelLoad {
  std::string level;  // the result of level_of()
  std::size_t links = 0;
  std::size_t used = 0;
  Amount sum{};
  Amount most{};  // the most messages and the most bytes of a link
  std::optional<double> most_share{};
};

// A route leads from one port of a host to one of another. The congestion of a link is the number of routes through it;
// the congestion of a route is the highest one of its links. ORCS calls the sum over routes sum_max_cong.
struct Congestion {
  std::uint64_t routes = 0;
  std::uint64_t sum_max = 0, most = 0;

  [[nodiscard]] double mean() const {
    return routes == 0 ? 0 : static_cast<double>(sum_max) / static_cast<double>(routes);
  }
};

struct LinkLoads {
  std::vector<Amount> of_link;           // by LinkIndex
  std::vector<std::uint32_t> routes_of;  // by LinkIndex
  std::vector<LevelLoad> levels;         // only links that hosts of the run can use; upwards before downwards
  Congestion congestion;
  double wall_s = 0;

  [[nodiscard]] Amount const& of(LinkIndex link) const { return of_link[static_cast<std::size_t>(link)]; }
};

// Finds the routes between ranks. Ranks of a host use its ports in turn.
class RankRoutes {
 public:
  RankRoutes(FabricHosts const& hosts, Overview const& overview);

  [[nodiscard]] FabricHosts::Ends ends(WorldRank from, WorldRank to) const;
  [[nodiscard]] std::vector<LinkIndex> find(FabricHosts::Ends ends) const { return fabric().route(ends.from, ends.to); }
  [[nodiscard]] Fabric const& fabric() const { return hosts_.fabric(); }

 private:
  FabricHosts const& hosts_;
  std::vector<HostPort> port_of_rank_;
};

[[nodiscard]] LinkLoads load_links(RankRoutes const& routes, LinkMessages const& messages, double wall_s);

// The share of what the link could have carried in the wall time. Nothing if its speed is not known.
[[nodiscard]] std::optional<double> share_of(Fabric const& fabric, LinkLoads const& loads, LinkIndex link);

// Links with messages, descending by the measure; ties in the order of the fabric.
[[nodiscard]] std::vector<LinkIndex> busiest_links(LinkLoads const& loads, Measure measure);

// What the messages on a link belong to; each list descends by the measure.
struct LinkFilling {
  struct Part {
    std::string name;
    Amount amount;
  };
  std::vector<Part> communicators, operations, regions;
  std::vector<PairTraffic> pairs;
};
// One result for each of the links.
[[nodiscard]] std::vector<LinkFilling> fill(RankRoutes const& routes, LinkMessages const& messages,
                                            std::span<LinkIndex const> links, Measure measure);

struct LinksLayout {
  Measure by = Measure::bytes;
  std::size_t top = 10;
  bool has_picture = false;  // of the network, for a page
};

// The command, and its document: the load that messages put on the links of a network. Throws ProfileError and
// SelectionError.
[[nodiscard]] std::unique_ptr<Command> make_links();
[[nodiscard]] Document read_links(Profile const& profile, Selection const& selection,
                                  std::filesystem::path const& fabric, LinksLayout const& layout = {});

}  // namespace mpisee_through
