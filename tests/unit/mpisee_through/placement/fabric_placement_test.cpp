// Tests place --fabric on small networks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>

#include "placement/link_effects.hpp"
#include "placement/link_search.hpp"
#include "placement/link_swaps.hpp"
#include "support/run_tool.hpp"
#include "support/small_fabric.hpp"

using namespace mpisee_through;

namespace {

// n1 and n2 are below leaf1, n3 and n4 below leaf2; both leaves are below two spines. Cables to spines are slow: 0.25e9
// B/s of 1xSDR instead of 1e9 B/s. leaf1 sends all upward traffic to spine1; leaf2 sends traffic for n1 to spine1, and
// traffic for n2 to spine2.
constexpr char const* crooked_cables = R"(
switchguid=0xa01(a01)
Switch	4 "S-0000000000000a01"		# "leaf1" base port 0 lid 11 lmc 0
[1]	"H-0000000000000c01"[1](d01) 		# "n1" lid 1 4xSDR
[2]	"H-0000000000000c02"[1](d02) 		# "n2" lid 2 4xSDR
[3]	"S-0000000000000b01"[1]		# "spine1" lid 13 1xSDR
[4]	"S-0000000000000b02"[1]		# "spine2" lid 14 1xSDR

switchguid=0xa02(a02)
Switch	4 "S-0000000000000a02"		# "leaf2" base port 0 lid 12 lmc 0
[1]	"H-0000000000000c03"[1](d03) 		# "n3" lid 3 4xSDR
[2]	"H-0000000000000c04"[1](d04) 		# "n4" lid 4 4xSDR
[3]	"S-0000000000000b01"[2]		# "spine1" lid 13 1xSDR
[4]	"S-0000000000000b02"[2]		# "spine2" lid 14 1xSDR

Switch	2 "S-0000000000000b01"		# "spine1" base port 0 lid 13 lmc 0
[1]	"S-0000000000000a01"[3]		# "leaf1" lid 11 1xSDR
[2]	"S-0000000000000a02"[3]		# "leaf2" lid 12 1xSDR

Switch	2 "S-0000000000000b02"		# "spine2" base port 0 lid 14 lmc 0
[1]	"S-0000000000000a01"[4]		# "leaf1" lid 11 1xSDR
[2]	"S-0000000000000a02"[4]		# "leaf2" lid 12 1xSDR

Ca	1 "H-0000000000000c01"		# "n1"
[1](d01) 	"S-0000000000000a01"[1]		# lid 1 lmc 0 "leaf1" lid 11 4xSDR

Ca	1 "H-0000000000000c02"		# "n2"
[1](d02) 	"S-0000000000000a01"[2]		# lid 2 lmc 0 "leaf1" lid 11 4xSDR

Ca	1 "H-0000000000000c03"		# "n3"
[1](d03) 	"S-0000000000000a02"[1]		# lid 3 lmc 0 "leaf2" lid 12 4xSDR

Ca	1 "H-0000000000000c04"		# "n4"
[1](d04) 	"S-0000000000000a02"[2]		# lid 4 lmc 0 "leaf2" lid 12 4xSDR
)";

constexpr char const* crooked_tables = R"(Unicast lids [0x0-0x4] of switch Lid 11 guid 0x0000000000000a01 (leaf1):
0x0001 001 : (Channel Adapter portguid 0x0000000000000d01: 'n1')
0x0002 002 : (Channel Adapter portguid 0x0000000000000d02: 'n2')
0x0003 003 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 003 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
Unicast lids [0x0-0x4] of switch Lid 12 guid 0x0000000000000a02 (leaf2):
0x0001 003 : (Channel Adapter portguid 0x0000000000000d01: 'n1')
0x0002 004 : (Channel Adapter portguid 0x0000000000000d02: 'n2')
0x0003 001 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 002 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
Unicast lids [0x0-0x4] of switch Lid 13 guid 0x0000000000000b01 (spine1):
0x0001 001 : (Channel Adapter portguid 0x0000000000000d01: 'n1')
0x0002 001 : (Channel Adapter portguid 0x0000000000000d02: 'n2')
0x0003 002 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 002 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
Unicast lids [0x0-0x4] of switch Lid 14 guid 0x0000000000000b02 (spine2):
0x0001 001 : (Channel Adapter portguid 0x0000000000000d01: 'n1')
0x0002 001 : (Channel Adapter portguid 0x0000000000000d02: 'n2')
0x0003 002 : (Channel Adapter portguid 0x0000000000000d03: 'n3')
0x0004 002 : (Channel Adapter portguid 0x0000000000000d04: 'n4')
4 valid lids dumped 
)";

class CrookedFabric : public TemporaryFabric {
 public:
  CrookedFabric() {
    write("cables", crooked_cables);
    write("tables", crooked_tables);
  }
};

// Rank 0 on n1, 1 on n2, 2 on n3, 3 on n4.
constexpr char const* spread_ranks =
    "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,n1,1,0,1,10,2\n1,n2,1,0,1,10,2\n2,n3,1,0,1,10,2\n3,n4,1,0,1,10,2\n";

// A network of hosts with this many slots each.
struct Placed {
  Placed(TemporaryFabric const& fabric, std::vector<std::string> const& hosts, std::size_t slots)
      : network(fabric.path()), machine(machine_of(network, hosts, slots)), routes(network, machine) {}

  static Machine machine_of(Network const& network, std::vector<std::string> const& hosts, std::size_t slots) {
    SwitchTree const tree = network.switches_above(hosts);
    std::vector<MachineHost> all;
    for (std::string const& name : hosts)
      all.push_back({name, tree.switches_of_host.at(name), std::vector<SlotPlace>(slots)});
    return Machine(std::move(all));
  }

  Network network;
  Machine machine;
  SlotRoutes routes;
};

PairTraffic some(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  return {WorldRank{from}, WorldRank{to}, {1, bytes}};
}

}  // namespace

// Pairs that share a leaf cost 20 a byte, others 40. Ranks 0 and 1 exchange 1,500 B, and so do 2 and 3; 1,000 B go from
// 0 to 2 and from 1 to 3. So the cost is least with {0,1} below one leaf and {2,3} below the other: 3,000 * 20 + 2,000
// * 40. But from leaf1 to leaf2, the 2,000 B between the pairs share one cable; from leaf2 to leaf1, each 1,000 B has a
// cable of its own. No link from or to a host is as loaded: 2,500 B at four times the speed.
TEST_CASE("place --fabric tells placements of one cost by their busiest link") {
  TemporaryProfile const profile(
      {.ranks = 4,
       .peers = std::vector<std::string>{"main,W,p2p,0,1,1024,2047,1,1500,", "main,W,p2p,2,3,1024,2047,1,1500,",
                                         "main,W,p2p,0,2,512,1023,1,1000,", "main,W,p2p,1,3,512,1023,1,1000,"}});
  profile.write("ranks.csv", spread_ranks);
  CrookedFabric const fabric;
  std::string const command = "place " + profile.path().string() + " --fabric " + fabric.path().string();
  ToolRun const run = run_tool(command + " --json");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  auto const answer = nlohmann::json::parse(run.out);
  CHECK(answer["today"]["cost"] == 3000 * 20 + 2000 * 40);
  CHECK(answer["proposed"]["cost"] == answer["today"]["cost"]);
  auto const &today = answer["today"]["links"], &proposed = answer["proposed"]["links"];
  CHECK(today["most_bytes"] == 2000);
  CHECK(today["most_load"].get<double>() == Approx(2000 / 0.25e9));
  CHECK(today["busiest"]["level"] == "leaf-spine");
  CHECK(proposed["most_bytes"] == 1000);
  CHECK(proposed["most_load"].get<double>() == Approx(1000 / 0.25e9));
  CHECK(answer["link_gain"].get<double>() == Approx(0.5));
  auto const& start = answer["starts_by_links"][0];
  CHECK(start["start"] == "now");
  CHECK(start["most_load"] == today["most_load"]);
  CHECK(start["most_load_after_swaps"] == proposed["most_load"]);
  // Two links below a leaf, four through a spine.
  CHECK(today["sum_bytes"] == 3000 * 2 + 2000 * 4);
  CHECK(proposed["sum_bytes"] == today["sum_bytes"]);
  for (std::size_t rank = 0; rank < 4; ++rank) {
    std::string const host = answer["mapping"][rank]["host"];
    CHECK((host == "n3" || host == "n4") == (rank < 2));
  }
  std::string const text = run_tool(command).out;
  INFO(text);
  CHECK(
      contains(text, "The busiest link is 50.0 % less loaded than today, at the same cost; 4 ranks of 4 would move."));
  CHECK(contains(text, "Most on one link"));
  CHECK(contains(text, "Sum over links"));
  CHECK(contains(text, "Fabric     Cables from cables (ibnetdiscover)\n"));
}

TEST_CASE("place --fabric counts on the links of today what links counts") {
  TemporaryProfile const profile(small_run());
  profile.write("ranks.csv", small_ranks);
  TemporaryFabric const fabric;
  fabric.write("cables", small_cables);
  fabric.write("tables", small_tables);
  std::string const options = " --json " + profile.path().string() + " --fabric " + fabric.path().string();
  auto const links = nlohmann::json::parse(run_tool("links --top 100" + options).out)["links"];
  auto const today = nlohmann::json::parse(run_tool("place" + options).out)["today"]["links"];
  std::uint64_t sum = 0;
  for (auto const& link : links) sum += link["bytes"].get<std::uint64_t>();
  CHECK(today["sum_bytes"] == sum);
  CHECK(today["used"] == links.size());
  CHECK(today["most_bytes"] == links[0]["bytes"]);
  for (char const* const key : {"node", "port", "peer", "peer_port", "level"})
    CHECK(today["busiest"][key] == links[0][key]);
}

TEST_CASE("place --fabric knows the switches above hosts") {
  CrookedFabric const fabric;
  Placed const placed(fabric, {"n1", "n3", "n2"}, 1);
  Machine const& machine = placed.machine;
  auto const level = [&](std::size_t one, std::size_t other) {
    return machine.name_of_level(machine.level_between(machine.slot(one, 0), machine.slot(other, 0)));
  };
  CHECK(level(0, 2) == "switch1");
  CHECK(level(0, 1) == "switch2");  // two spines, as one
}

TEST_CASE("a choice by links is never worse than the placement of the run") {
  CrookedFabric const fabric;
  Placed placed(fabric, {"n1", "n2", "n3", "n4"}, 3);
  constexpr std::uint32_t ranks = 11;  // and one empty slot
  std::mt19937 random(5);
  std::size_t better = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<PairTraffic> pairs;
    for (int i = 0; i < 25; ++i)
      pairs.push_back(some(static_cast<std::uint32_t>(random() % ranks), static_cast<std::uint32_t>(random() % ranks),
                           random() % 1000));
    Placement now(placed.machine.slots().size());
    std::iota(now.begin(), now.end(), SlotIndex{0});
    for (std::size_t i = now.size(); i-- > 1;) std::swap(now[i], now[random() % (i + 1)]);
    Work const work(pairs, ranks);
    Costs const costs(PlacementWeight::bytes, placed.machine.levels());
    std::vector<std::optional<SlotIndex>> kept(ranks);
    kept[4] = now[4];
    SearchInput const input{work, placed.machine, costs, now, kept};
    SearchResult found = search_placement(input);
    double const of_cost = link_effects_of(pairs, placed.routes, found.placement).load;
    double const load = choose_by_links(found, input, pairs, placed.network).load;
    CHECK(load == link_effects_of(pairs, placed.routes, found.placement).load);
    CHECK(load <= link_effects_of(pairs, placed.routes, now).load);
    CHECK(load <= of_cost * 1.01);
    if (load < of_cost * 0.99) ++better;
    CHECK(found.placement[4] == now[4]);
    CHECK(found.cost == Approx(cost_of(work, placed.machine, costs, found.placement)));
    std::ranges::sort(found.placement);
    std::ranges::sort(now);
    CHECK(found.placement == now);
  }
  CHECK(better > 0);
}

TEST_CASE("place --fabric says what it cannot do") {
  TemporaryProfile const profile(small_run());
  profile.write("ranks.csv", small_ranks);
  TemporaryFabric const fabric;
  fabric.write("cables", small_cables);
  fabric.write("tables", small_tables);
  std::string const command = "place " + profile.path().string() + " --fabric " + fabric.path().string();
  std::string const cables = fabric.path().string() + "/cables";
  profile.replace("ranks.csv", "n3", "m3");
  check_refused(run_tool(command), 1,
                "mpisee-through: " + cables + ": 1 host has no port here: m3; --fabric-hosts FILE can name them");
  fabric.write("names", "m3 n3\n");
  CHECK(run_tool(command + " --fabric-hosts " + fabric.path().string() + "/names").exit_code == 0);
  fabric.write("hosts", "n[1-5]\n");
  check_refused(run_tool(command + " --fabric-hosts " + fabric.path().string() + "/names --hosts " +
                         fabric.path().string() + "/hosts"),
                1, "mpisee-through: " + cables + ": 1 host has no port here: n5; --fabric-hosts FILE can name them");
  CHECK(run_tool(command + " --topology " + cables).exit_code == 2);
  CHECK(run_tool("place " + profile.path().string() + " --fabric-hosts " + cables).exit_code == 2);
}
