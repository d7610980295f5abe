#include "fabric/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "fabric/scanner.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "reader/line_reader.hpp"

namespace mpisee_through {
namespace {

// The data rate of a lane. The line codes carry 8 bits of data in 10 up to QDR, 64 in 66 from FDR10 on; rates from HDR
// on are rates of data already.
struct Speed {
  std::string_view name;
  double gbit_per_s;
};
constexpr std::array speeds{Speed{"SDR", 2},    Speed{"DDR", 4},     Speed{"QDR", 8},
                            Speed{"FDR10", 10}, Speed{"FDR", 13.64}, Speed{"EDR", 25},
                            Speed{"HDR", 50},   Speed{"NDR", 100},   Speed{"XDR", 200}};

// "4xEDR": the bytes of data that a link carries each way in a second, without its line code. 0 for an unknown text.
double bytes_per_second(std::string_view width_and_speed) {
  unsigned lanes = 0;
  auto const [end, error] =
      std::from_chars(width_and_speed.data(), width_and_speed.data() + width_and_speed.size(), lanes);
  auto rest = width_and_speed.substr(static_cast<std::size_t>(end - width_and_speed.data()));
  if (error != std::errc() || !rest.starts_with('x') || lanes > 64) return 0;
  rest.remove_prefix(1);
  auto const* const speed = std::ranges::find(speeds, rest, &Speed::name);
  return speed == speeds.end() ? 0 : lanes * speed->gbit_per_s * 1e9 / 8;
}

constexpr std::uint32_t most_lmc = 7;

// Parses ibnetdiscover: a node is a line with its name, then a line for each port with a cable.
class NetDiscoverParser {
 public:
  NetDiscoverParser(Topology& topology, std::filesystem::path const& path, std::uint32_t file)
      : topology_(topology), reader_({path, path}), place_{file, 0} {}

  void run() {
    while (reader_.next()) {
      ++place_.line;
      read({reader_.line().data(), reader_.line().size()});
    }
  }

 private:
  static constexpr std::array<std::string_view, 3> node_words{"Switch", "Ca", "Rt"};
  // Beginnings of lines that are not about cables.
  static constexpr std::array<std::string_view, 9> other_words{
      "#", "vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid=", "Chassis", "Non-Chassis"};

  void read(std::string_view line) {
    Scanner scanner(line);
    scanner.skip_blanks();
    if (scanner.empty()) return;
    if (scanner.rest().starts_with('[')) return read_port(scanner);
    for (std::string_view const word : node_words)
      if (scanner.take(word)) return read_node(scanner, word == "Switch");
    for (std::string_view const word : other_words)
      if (scanner.rest().starts_with(word)) return;
    topology_.fail(place_, "this is no line of ibnetdiscover");
  }

  // Example: Switch 36 "S-0002c9020040f160"   # "leaf4" base port 0 lid 9 lmc 0
  void read_node(Scanner scanner, bool is_switch) {
    TopologyNode node{.guid = 0, .is_switch = is_switch, .ports = 0, .name = "", .place = place_};
    auto const ports = scanner.number();
    auto const guid = read_guid(scanner);
    if (!ports || !guid || !scanner.take("#")) fail_cut_off();
    auto const name = scanner.between('"', '"');
    if (!name) fail_cut_off();
    node.ports = *ports;
    node.guid = *guid;
    node.name = *name;
    if (is_switch) {
      (void)read_after(scanner, "lid");
      (void)read_after(scanner, "lmc");
    }
    node_ = node.guid;
    is_switch_ = is_switch;
    (void)topology_.add(node);
    known_ = node;
  }

  // [1]  "H-0002c9020040f161"[1](2c9020040f162)   # "node01 HCA-1" lid 16 4xQDR         in a switch
  // [1](2c9020040f162)  "S-0002c9020040f160"[3]   # lid 16 lmc 0 "leaf4" lid 9 4xQDR    in an adapter
  void read_port(Scanner scanner) {
    if (!node_) topology_.fail(place_, "this port is of no node");
    auto const number = read_number(scanner);
    (void)scanner.between('[', ']');  // [ext 3]: the port's number outside the chassis
    TopologyPort port{.place = place_};
    if (auto const own = scanner.between('(', ')')) port.guid = Scanner(*own).number<std::uint64_t>(16).value_or(0);
    auto const peer = read_guid(scanner);
    auto const peer_port = read_number(scanner);
    if (!number || !peer || !peer_port || !scanner.skip_past("#")) fail_cut_off();
    port.peer = *peer;
    port.peer_port = *peer_port;
    if (!is_switch_) {
      port.lid = read_after(scanner, "lid");
      std::uint32_t const lmc = read_after(scanner, "lmc");
      if (lmc > most_lmc) topology_.fail(place_, fmt::format("lmc {} is larger than {}", lmc, most_lmc));
      port.lids = 1U << lmc;
    }
    if (!scanner.skip_past("\"") || !scanner.skip_past("\"")) fail_cut_off();
    (void)read_after(scanner, "lid");
    std::string_view const rate = scanner.word();
    if (rate.empty()) fail_cut_off();
    port.bytes_per_s = bytes_per_second(rate);
    topology_.connect(topology_.add(known_), *number, port);
  }

  std::optional<std::uint32_t> read_number(Scanner& scanner) {
    auto const text = scanner.between('[', ']');
    if (!text) return std::nullopt;
    return Scanner(*text).number();
  }

  // Reads the GUID in "S-0002c9020040f160".
  std::optional<std::uint64_t> read_guid(Scanner& scanner) {
    auto const text = scanner.between('"', '"');
    if (!text || text->size() < 3 || (*text)[1] != '-') return std::nullopt;
    return Scanner(text->substr(2)).number<std::uint64_t>(16);
  }

  std::uint32_t read_after(Scanner& scanner, std::string_view word) {
    scanner.skip_past(word);
    auto const number = scanner.number();
    if (!number) fail_cut_off();
    if (*number > largest_lid) topology_.fail(place_, fmt::format("{} {} is too large", word, *number));
    return *number;
  }

  [[noreturn]] void fail_cut_off() { topology_.fail(place_, "this line of ibnetdiscover is damaged or cut off"); }

  Topology& topology_;
  LineReader reader_;
  FabricPlace place_;
  TopologyNode known_{};
  std::optional<std::uint64_t> node_;  // the node whose ports follow
  bool is_switch_ = false;
};

}  // namespace

TopologyNode& Topology::add(TopologyNode const& node) {
  auto const [known, is_new] = by_guid_.try_emplace(node.guid, nodes_.size());
  if (is_new) {
    if (node.ports > most_ports) fail(node.place, fmt::format("{} ports are too many", node.ports));
    nodes_.push_back(node);
  }
  TopologyNode& there = nodes_[known->second];
  if (there.is_switch != node.is_switch || there.ports != node.ports)
    fail(node.place, fmt::format("this node is another one at {}", where(there.place)));
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

void read_ibnetdiscover(Topology& topology, std::filesystem::path const& path, std::uint32_t file) {
  NetDiscoverParser(topology, path, file).run();
}

}  // namespace mpisee_through
