#include <fmt/format.h>
#include <strings.h>

#include <map>
#include <unordered_map>
#include <utility>

#include "fabric/topology.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

bool is_key(std::string_view text, std::string_view key) {
  return text.size() == key.size() && strncasecmp(text.data(), key.data(), key.size()) == 0;
}

SlurmSwitch parse_switch(std::filesystem::path const& file, TextLine const& line) {
  SlurmSwitch result{.line = line.number};
  for (std::string_view const word : words_of(line.text)) {
    auto const equals = word.find('=');
    std::string_view const key = word.substr(0, equals);
    std::string_view const value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    bool const has_switches = is_key(key, "Switches");
    if (is_key(key, "SwitchName")) {
      result.name = value;
    } else if (has_switches || is_key(key, "Nodes")) {
      auto names = expand_host_list(value);
      if (!names)
        throw ProfileError(file, line.number,
                           fmt::format("\"{}\" is no list of names like node[01-16]", visible(value)));
      (has_switches ? result.switches : result.hosts) = std::move(*names);
    } else if (!is_key(key, "LinkSpeed")) {
      throw ProfileError(file, line.number,
                         fmt::format("\"{}\" is not SwitchName=, Nodes=, Switches= or LinkSpeed=", visible(word)));
    }
  }
  if (result.name.empty()) throw ProfileError(file, line.number, "no SwitchName=");
  return result;
}

// The nodes of a topology.conf, which has no numbers of ports: each host or switch below a switch gets one of its
// ports, in the order of the file. Ports of a node are first those down, then those up.
class SlurmNodes {
 public:
  SlurmNodes(Topology& topology, std::uint32_t file) : topology_(topology), file_(file) {}

  void add(SlurmSwitch const& line) {
    place_ = {file_, static_cast<std::uint32_t>(line.line)};
    std::size_t const here = find(line.name, true);
    nodes_[here].place = place_;
    for (bool const is_switch : {false, true}) {
      for (std::string const& name : is_switch ? line.switches : line.hosts) {
        std::size_t const there = find(name, is_switch);
        nodes_[here].below.push_back(there);
        nodes_[there].above.push_back(here);
      }
    }
    if (nodes_[here].below.size() > most_ports)
      topology_.fail(place_, fmt::format("switch {} has too much below it", visible(line.name)));
  }

  void write() {
    std::vector<std::size_t> next(nodes_.size());  // number of ports taken so far; the next one leads up
    for (std::size_t i = 0; i < nodes_.size(); ++i) next[i] = nodes_[i].below.size();
    for (std::size_t i = 0; i < nodes_.size(); ++i) (void)topology_.add(to_node(i));
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (std::size_t k = 0; k < nodes_[i].below.size(); ++k) {
        std::size_t const there = nodes_[i].below[k];
        connect(i, k + 1, there, next[there] + 1);
        connect(there, ++next[there], i, k + 1);
      }
    }
  }

 private:
  struct Node {
    std::string name;
    bool is_switch;
    FabricPlace place;
    std::vector<std::size_t> below{}, above{};
  };

  std::size_t find(std::string const& name, bool is_switch) {
    auto const [known, is_new] = by_name_.try_emplace({is_switch, name}, nodes_.size());
    if (is_new) nodes_.push_back({.name = name, .is_switch = is_switch, .place = place_});
    return known->second;
  }

  [[nodiscard]] TopologyNode to_node(std::size_t index) const {
    Node const& one = nodes_[index];
    return {.guid = index + 1,
            .is_switch = one.is_switch,
            .ports = static_cast<std::uint32_t>(one.below.size() + one.above.size()),
            .name = one.name,
            .place = one.place};
  }

  // The file has no addresses, so each port of a host gets one.
  void connect(std::size_t from, std::size_t port, std::size_t to, std::size_t to_port) {
    topology_.connect(topology_.add(to_node(from)), static_cast<std::uint32_t>(port),
                      {.guid = from + 1,
                       .lid = nodes_[from].is_switch ? 0 : ++lids_,
                       .peer = to + 1,
                       .peer_port = static_cast<std::uint32_t>(to_port),
                       .place = nodes_[from].place});
  }

  Topology& topology_;
  std::uint32_t file_;
  FabricPlace place_{};
  std::uint32_t lids_ = 0;
  std::vector<Node> nodes_;
  std::map<std::pair<bool, std::string>, std::size_t> by_name_;
};

}  // namespace

std::vector<SlurmSwitch> read_slurm_switches(std::filesystem::path const& file) {
  std::vector<SlurmSwitch> switches;
  std::unordered_map<std::string, std::size_t> line_of;
  for (TextLine const& line : read_text_lines(file, true)) {
    switches.push_back(parse_switch(file, line));
    if (!line_of.emplace(switches.back().name, line.number).second)
      throw ProfileError(file, line.number,
                         fmt::format("switch {} for the second time", visible(switches.back().name)));
  }
  for (SlurmSwitch const& one : switches)
    for (std::string const& below : one.switches)
      if (!line_of.contains(below))
        throw ProfileError(file, one.line, fmt::format("switch {} has no line of its own", visible(below)));
  return switches;
}

void read_slurm_topology(Topology& topology, std::filesystem::path const& path, std::uint32_t file) {
  SlurmNodes nodes(topology, file);
  for (SlurmSwitch const& one : read_slurm_switches(path)) nodes.add(one);
  nodes.write();
}

}  // namespace mpisee_through
