#include "fabric/topology_files.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "fabric/scanner.hpp"
#include "reader/line_reader.hpp"

namespace mpisee_through {
namespace {

std::string_view text_of(LineReader const& reader) { return {reader.line().data(), reader.line().size()}; }

constexpr std::uint32_t most_lmc = 7;

// Parses ibnetdiscover: a node is a line with its name, then a line for each port with a cable.
class NetDiscoverParser {
 public:
  NetDiscoverParser(Topology& topology, std::filesystem::path const& path, std::uint32_t file)
      : topology_(topology), reader_({path, path}), place_{file, 0} {}

  void run() {
    while (reader_.next()) {
      ++place_.line;
      read(text_of(reader_));
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
      node.lid = read_after(scanner, "lid");
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

// { CA Ports:01 … NodeGUID:0000000000100000 PortGUID:… {node01} LID:0001 PN:01 } { SW … } PHY=4x LOG=ACT SPD=2.5
class LinkListParser {
 public:
  LinkListParser(Topology& topology, std::filesystem::path const& path, std::uint32_t file)
      : topology_(topology), reader_({path, path}), place_{file, 0} {}

  void run() {
    while (reader_.next()) {
      ++place_.line;
      Scanner scanner(text_of(reader_));
      scanner.skip_blanks();
      if (scanner.empty() || scanner.rest().starts_with('#')) continue;
      read(scanner);
    }
  }

 private:
  struct End {
    TopologyNode node;
    std::uint32_t number;
    TopologyPort port;
  };

  void read(Scanner scanner) {
    End first = read_end(scanner), second = read_end(scanner);
    if (!scanner.take("PHY=")) fail();
    std::string rate(scanner.word());
    if (!scanner.skip_past("SPD=")) fail();
    rate += scanner.word();
    connect(first, second, bytes_per_second(rate));
    connect(second, first, bytes_per_second(rate));
  }

  End read_end(Scanner& scanner) {
    if (!scanner.take("{")) fail();
    bool const is_switch = scanner.rest().starts_with(" SW");
    auto const ports = read(scanner, "Ports:", 16);
    auto const guid = read(scanner, "NodeGUID:", 16), port_guid = read(scanner, "PortGUID:", 16);
    if (!scanner.skip_past("Rev:") || !scanner.skip_past(" ")) fail();
    auto const name = scanner.between('{', '}');
    if (!name) fail();
    auto const lid = read(scanner, "LID:", 16), number = read(scanner, "PN:", 16);
    if (!scanner.take("}")) fail();
    if (lid > largest_lid || ports > most_ports || number > most_ports) fail();
    return {{.guid = guid,
             .is_switch = is_switch,
             .ports = static_cast<std::uint32_t>(ports),
             .name = std::string(*name),
             .lid = is_switch ? static_cast<std::uint32_t>(lid) : 0,
             .place = place_},
            static_cast<std::uint32_t>(number),
            {.guid = port_guid, .lid = static_cast<std::uint32_t>(is_switch ? 0 : lid), .place = place_}};
  }

  std::uint64_t read(Scanner& scanner, std::string_view word, int base) {
    if (!scanner.skip_past(word)) fail();
    auto const number = scanner.number<std::uint64_t>(base);
    if (!number) fail();
    return *number;
  }

  void connect(End const& from, End const& to, double bytes_per_s) {
    TopologyPort port = from.port;
    port.bytes_per_s = bytes_per_s;
    port.peer = to.node.guid;
    port.peer_port = to.number;
    topology_.connect(topology_.add(from.node), from.number, port);
  }

  [[noreturn]] void fail() { topology_.fail(place_, "this line of a list of links is damaged or cut off"); }

  Topology& topology_;
  LineReader reader_;
  FabricPlace place_;
};

}  // namespace

void read_ibnetdiscover(Topology& topology, std::filesystem::path const& path, std::uint32_t file) {
  NetDiscoverParser(topology, path, file).run();
}

void read_link_list(Topology& topology, std::filesystem::path const& path, std::uint32_t file) {
  LinkListParser(topology, path, file).run();
}

}  // namespace mpisee_through
