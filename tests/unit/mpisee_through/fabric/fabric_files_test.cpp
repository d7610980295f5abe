#include "fabric/fabric_files.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "fabric/fabric_hosts.hpp"
#include "fabric/topology.hpp"
#include "files/profile_error.hpp"
#include "support/small_fabric.hpp"

using namespace mpisee_through;

namespace {

std::string with(std::string text, std::string_view old_text, std::string_view new_text) {
  std::size_t const at = text.find(old_text);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old_text.size(), new_text);
}

std::vector<std::string> const small_hosts{"n1", "n2", "n3", "n4"};

// "n1 1, leaf1 3, …": nodes and the ports that data leaves them through.
std::string route_of(Fabric const& fabric, std::uint32_t from, std::uint32_t to) {
  std::vector<LinkIndex> way;
  FabricHosts(fabric, small_hosts).add_route({HostIndex{from}}, HostIndex{to}, way);
  std::string text;
  for (LinkIndex const link : way) {
    std::string const& name = fabric.node_of(link).name;
    text += (text.empty() ? "" : ", ") + name.substr(0, name.find(' ')) + " " + std::to_string(fabric.link(link).port);
  }
  return text;
}

// The error without the directory's name; empty if all routes exist.
std::string problem_of(TemporaryFabric const& files) {
  try {
    Fabric const fabric = read_fabric(files.path());
    FabricHosts const hosts(fabric, small_hosts);
    std::vector<LinkIndex> way;
    for (std::uint32_t from = 0; from < 4; ++from)
      for (std::uint32_t to = 0; to < 4; ++to)
        if (from != to) hosts.add_route({HostIndex{from}}, HostIndex{to}, way);
    return "";
  } catch (ProfileError const& error) {
    std::string const text = error.what(), directory = files.path().string();
    CHECK(text.find('\n') == std::string::npos);
    return text.starts_with(directory + "/") ? text.substr(directory.size() + 1) : text;
  }
}

std::string problem_of(std::string const& cables, std::string const& tables) {
  TemporaryFabric const files;
  files.write("some file", cables);
  files.write("other file", tables);
  return problem_of(files);
}

}  // namespace

TEST_CASE("routes are those of the forwarding tables") {
  TemporaryFabric const files;
  files.write("a", small_tables);
  files.write("b", small_cables);
  files.write("README", "Not about the fabric.\n");
  Fabric const fabric = read_fabric(files.path());
  CHECK(fabric.has_tables);
  CHECK(route_of(fabric, 0, 1) == "n1 1, leaf1 2");
  CHECK(route_of(fabric, 0, 2) == "n1 1, leaf1 3, spine 2, leaf2 1");
  CHECK(fabric.levels() == 2);
}

TEST_CASE("without tables, routes are the shortest") {
  for (std::string const& text : {small_cables, small_slurm_topology}) {
    TemporaryFabric const files;
    files.write("cables", text);
    Fabric const fabric = read_fabric(files.path() / "cables");
    CHECK_FALSE(fabric.has_tables);
    CHECK(fabric.notes.back().starts_with("Routes are assumed"));
    CHECK(route_of(fabric, 3, 2) == "n4 1, leaf2 1");
    CHECK(route_of(fabric, 0, 3) == "n1 1, leaf1 3, spine 2, leaf2 2");
  }
}

TEST_CASE("destinations share several shortest ways") {
  // Two spines: of the two destinations on the other leaf, each gets one.
  TemporaryFabric const files;
  files.write("topology.conf", small_slurm_topology + "SwitchName=spine2 Switches=leaf[1-2]\n");
  Fabric const fabric = read_fabric(files.path());
  CHECK(route_of(fabric, 0, 2) == "n1 1, leaf1 3, spine 2, leaf2 1");
  CHECK(route_of(fabric, 0, 3) == "n1 1, leaf1 4, spine2 2, leaf2 2");
}

TEST_CASE("a link carries the data of its lanes") {
  CHECK(bytes_per_second("1xSDR") == 2e9 / 8);
  CHECK(bytes_per_second("4xQDR") == 32e9 / 8);
  CHECK(bytes_per_second("4xEDR") == 100e9 / 8);
  CHECK(bytes_per_second("12xNDR") == 1200e9 / 8);
  CHECK(bytes_per_second("4x25") == 100e9 / 8);
  for (std::string_view const text : {"", "4x", "EDR", "4xFOO", "999999xEDR"}) CHECK(bytes_per_second(text) == 0);
}

TEST_CASE("damaged files of a fabric are told with their line") {
  CHECK(problem_of(small_cables, small_tables).empty());
  CHECK(problem_of("nothing\n", small_tables)
            .ends_with("no cables: neither ibnetdiscover's output, nor a list of links, nor topology.conf"));
  CHECK(problem_of(with(small_cables, "[2]\t\"H-", "[2]\t\"H"), small_tables) ==
        "some file:5: this line of ibnetdiscover is damaged or cut off");
  CHECK(problem_of(with(small_cables, "vendid", "vend id"), small_tables) ==
        "some file:18: this is no line of ibnetdiscover");
  CHECK(problem_of(small_cables.substr(0, small_cables.find("Ca\t1")), small_tables) ==
        "some file:5: the node 0000000000000c02 at the other end is not in the file");
  CHECK(problem_of(with(small_cables, "\"S-0000000000000b01\"[1]", "\"S-0000000000000b01\"[2]"), small_tables) ==
        "some file:6: port 2 of spine # 1 does not lead back");
  CHECK(problem_of(with(small_cables, "[3]\t", "[5]\t"), small_tables) == "some file:6: leaf1 has no port 5, only 4");
  CHECK(problem_of(small_cables, small_tables.substr(0, small_tables.size() - 22)) ==
        "other file:23: the table that begins in line 17 is cut off");
  CHECK(problem_of(small_cables, with(small_tables, "0x0003 002", "0x0003 z02")) ==
        "other file:22: this entry of a table is damaged or cut off");
}

TEST_CASE("tables that lead nowhere are told with the line of the entry") {
  CHECK(problem_of(small_cables, with(small_tables, "0x0003 003", "0x0003 255")) ==
        "other file:6: on leaf1, lid 3 has no entry, thus no way to n3");
  CHECK(problem_of(small_cables, with(small_tables, "0x0003 003", "0x0003 004")) ==
        "other file:6: on leaf1, lid 3 leads to n3 through port 4, which has no cable");
  CHECK(problem_of(small_cables, with(small_tables, "0x0003 003", "0x0003 009")) ==
        "other file:6: leaf1 has no port 9, only 4");
  CHECK(problem_of(small_cables, with(small_tables, "0x0003 003", "0x0003 002")) ==
        "other file:6: on leaf1, lid 3 leads to n2 mlx5_0, but is of n3");
  CHECK(problem_of(small_cables, with(small_tables, "0x0003 002", "0x0003 001")) ==
        "other file:22: on spine # 1, lid 3 leads to n3 in a loop");
  std::string const without_spine =
      small_tables.substr(0, small_tables.find("Unicast lids [0x0-0x4] of switch Lid 13"));
  CHECK(problem_of(small_cables, without_spine) ==
        "some file:14: spine # 1 has no table; on spine # 1, lid 3 has no entry, thus no way to n3");
  CHECK(problem_of(small_cables, with(small_tables, "guid 0x0000000000000a01", "guid 0x0000000000000a09")) ==
        "other file:1: switch 0000000000000a09 is not among the cables");
  CHECK(problem_of(small_cables, small_tables + small_tables).find(":25: 0x0000000000000a01 has a table at ") !=
        std::string::npos);
}

TEST_CASE("hosts of a profile are found by description, without their domains, or by name in a file") {
  TemporaryFabric const files;
  files.write("cables", small_cables);
  Fabric const fabric = read_fabric(files.path());
  auto const name_of_port = [&](std::vector<std::string> const& hosts,
                                std::optional<std::filesystem::path> const& names, std::size_t host) {
    FabricHosts const found(fabric, hosts, names);
    return fabric.node_of(found.ports(HostIndex{static_cast<std::uint32_t>(host)}).front()).name;
  };
  CHECK(name_of_port({"n2.cluster"}, std::nullopt, 0) == "n2 mlx5_0");
  files.write("names", "# exceptions\nlogin n1 HCA-1\nsomewhere n3\ncompute 0xc04\nother 0xd02  # a port\n");
  auto const names = files.path() / "names";
  CHECK(name_of_port({"login", "compute", "other", "n3"}, names, 0) == "n1 HCA-1");
  CHECK(name_of_port({"login", "compute", "other", "n3"}, names, 1) == "n4");
  CHECK(name_of_port({"login", "compute", "other", "n3"}, names, 2) == "n2 mlx5_0");
  CHECK(name_of_port({"login", "compute", "other", "n3"}, names, 3) == "n3");
  CHECK_THROWS_WITH(FabricHosts(fabric, small_hosts).ports(HostIndex{0}).size() == 1 &&
                        FabricHosts(fabric, std::vector<std::string>{"n1", "n5", "n6.b"}).most_ports() == 1,
                    Catch::EndsWith("2 hosts have no port here: n5, n6.b; --fabric-hosts FILE can name them"));
  files.write("names", "login n9\n");
  CHECK_THROWS_WITH(FabricHosts(fabric, std::vector<std::string>{"login"}, names),
                    Catch::EndsWith("names:1: no node of the fabric is \"n9\""));
}

TEST_CASE("no damage of a fabric's files does more than end in one line") {
  std::mt19937 random(20);
  std::vector<std::string> const texts{small_cables, small_tables, small_slurm_topology};
  std::size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> damaged = texts;
    std::string& text = damaged[i % 3];
    for (unsigned k = 0; k < 3; ++k) {
      if (text.empty()) text = "[";
      std::size_t const at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:
          text.erase(at, random() % 20);
          break;
        case 2:
          text.insert(at, text.substr(random() % text.size(), random() % 40));
          break;
        default:
          text.resize(std::max<std::size_t>(at, 1));
          break;
      }
    }
    TemporaryFabric const files;
    files.write("cables", i % 3 == 2 ? damaged[2] : damaged[0]);
    if (i % 3 != 2) files.write("tables", damaged[1]);
    if (!problem_of(files).empty()) ++refused;
  }
  CHECK(refused > 1000);
}
