#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "fabric/topology_files.hpp"
#include "files/switch_line.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "reader/line_reader.hpp"

namespace mpisee_through {
namespace {

// Parses a line for each switch: SwitchName=leaf1 Nodes=node[01-16], SwitchName=spine Switches=leaf[1-4]. The file has
// no numbers of ports and cables, so each host or switch below a switch gets one of its ports, in the order of the
// file.
class SlurmTopology {
 public:
  SlurmTopology(Topology& topology, std::filesystem::path const& path, std::uint32_t file)
      : topology_(topology), reader_({path, path}), place_{file, 0} {}

  void run() {
    while (reader_.next()) {
      ++place_.line;
      std::string_view const line(reader_.line().data(), reader_.line().size());
      read(line.substr(0, line.find('#')));
    }
    check();
    write();
  }

 private:
  struct Node {
    std::string name;
    bool is_switch;
    std::vector<std::size_t> below{};
    std::vector<std::size_t> above{};
    FabricPlace place;
    bool is_described = false;
  };

  void read(std::string_view text) {
    if (words_of(text).empty()) return;
    add(parse_switch_line(text, [&](std::string const& problem) { topology_.fail(place_, problem); }));
  }

  void add(SwitchLine const& line) {
    std::size_t const here = node(line.name, true);
    if (nodes_[here].is_described) topology_.fail(place_, fmt::format("switch {} is there twice", visible(line.name)));
    nodes_[here].is_described = true;
    nodes_[here].place = place_;
    for (auto const& [one, is_switch] : line.below) {
      std::size_t const there = node(one, is_switch);
      nodes_[here].below.push_back(there);
      nodes_[there].above.push_back(here);
    }
  }

  std::size_t node(std::string const& name, bool is_switch) {
    auto const [known, is_new] = by_name_.try_emplace({is_switch, name}, nodes_.size());
    if (is_new) nodes_.push_back({.name = name, .is_switch = is_switch, .place = place_});
    return known->second;
  }

  void check() const {
    for (Node const& one : nodes_) {
      if (one.is_switch && !one.is_described)
        topology_.fail(one.place, fmt::format("switch {} has no line of its own", visible(one.name)));
      if (one.below.size() + one.above.size() > most_ports)
        topology_.fail(one.place, fmt::format("switch {} has too much below it", visible(one.name)));
    }
  }

  // Numbers the ports of a node: first those down, then those up.
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
  LineReader reader_;
  FabricPlace place_;
  std::uint32_t lids_ = 0;
  std::vector<Node> nodes_;
  std::map<std::pair<bool, std::string>, std::size_t> by_name_;
};

}  // namespace

void read_slurm_topology(Topology& topology, std::filesystem::path const& path, std::uint32_t file) {
  SlurmTopology(topology, path, file).run();
}

}  // namespace mpisee_through
