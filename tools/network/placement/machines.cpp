#include "placement/machines.hpp"

#include <fmt/format.h>

#include <span>
#include <unordered_map>
#include <utility>

#include "fabric/topology.hpp"
#include "files/number_in.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_switch_levels = 16;
constexpr std::size_t most_slots = 1'000'000;

class HostFileReader {
 public:
  explicit HostFileReader(std::filesystem::path const& file) : file_(file) {}

  std::vector<HostLine> run() {
    for (TextLine const& line : read_text_lines(file_)) {
      line_ = line.number;
      read(line.text);
    }
    if (hosts_.empty()) throw ProfileError(file_, std::nullopt, "names no host");
    return std::move(hosts_);
  }

 private:
  static constexpr std::string_view slots_key = "slots=";

  void read(std::string_view text) {
    auto const words = words_of(text);
    std::string_view names = words.front();
    HostLine line;
    auto const colon = names.rfind(':');
    if (colon != std::string_view::npos) {
      line.slots = number(names.substr(colon + 1), names);
      names = names.substr(0, colon);
    }
    for (std::string_view const word : std::span(words).subspan(1)) {
      if (!word.starts_with(slots_key)) fail(fmt::format("\"{}\" is not slots=N", word));
      line.slots = number(word.substr(slots_key.size()), word);
    }
    auto const hosts = expand_host_list(names);
    if (!hosts) fail(fmt::format("\"{}\" is no name of a host, and no list like node[01-16]", names));
    for (std::string const& name : *hosts) add(name, line);
  }

  void add(std::string const& name, HostLine line) {
    slots_ += line.slots;
    auto const [known, is_new] = index_.emplace(name, hosts_.size());
    if (is_new) {
      line.name = name;
      hosts_.push_back(std::move(line));
    } else {
      hosts_[known->second].slots += line.slots;
    }
    if (slots_ > most_slots) fail("more than a million slots");
  }

  std::size_t number(std::string_view text, std::string_view word) const {
    auto const number = number_in<std::size_t>(text);
    if (!number || *number == 0 || *number > most_slots) fail(fmt::format("\"{}\" has no number from 1 on", word));
    return *number;
  }

  [[noreturn]] void fail(std::string_view problem) const { throw ProfileError(file_, line_, problem); }

  std::filesystem::path const& file_;
  std::size_t line_ = 0, slots_ = 0;
  std::vector<HostLine> hosts_;
  std::unordered_map<std::string, std::size_t> index_;
};

std::vector<std::string> const& find_switches(Surroundings const& surroundings, std::string const& host) {
  auto const& known = surroundings.switches.switches_of_host;
  auto found = known.find(host);
  if (found == known.end()) found = known.find(host.substr(0, host.find('.')));
  if (found == known.end()) throw ProfileError(surroundings.file, std::nullopt, fmt::format("has no host {}", host));
  return found->second;
}

}  // namespace

std::vector<RankPlace> read_rank_places(Profile const& profile) {
  if (profile.run().lacks_ranks())
    throw ProfileError(profile.directory(), std::nullopt,
                       fmt::format("the profile has nothing of ranks {}: no placement without them",
                                   profile.run().unfinished->missing.to_string()));
  std::vector<RankPlace> places;
  RankRows rows(profile);
  while (RankRow const* row = rows.next())
    places.push_back(
        {visible(row->host),
         {std::string(row->package), std::string(row->numa), std::string(row->core), std::string(row->cpus)}});
  return places;
}

std::vector<HostLine> read_host_file(std::filesystem::path const& file) { return HostFileReader(file).run(); }

SwitchTree read_switch_tree(std::filesystem::path const& file) {
  std::unordered_map<std::string, std::string> leaf_of_host, above;
  std::unordered_map<std::string, std::size_t> line_of;
  for (SlurmSwitch const& one : read_slurm_switches(file)) {
    line_of.emplace(one.name, one.line);
    auto const add = [&](auto& known, char const* what, std::string const& name) {
      if (!known.emplace(name, one.name).second)
        throw ProfileError(file, one.line, fmt::format("{} {} for the second time", what, name));
    };
    for (std::string const& host : one.hosts) add(leaf_of_host, "host", host);
    for (std::string const& below : one.switches) add(above, "switch", below);
  }
  if (leaf_of_host.empty()) throw ProfileError(file, std::nullopt, "has no switch with Nodes=");
  SwitchTree tree;
  for (auto const& [host, leaf] : leaf_of_host) {
    std::vector<std::string>& switches = tree.switches_of_host[host];
    switches.push_back(leaf);
    for (auto at = above.find(leaf); at != above.end(); at = above.find(at->second)) {
      if (switches.size() == most_switch_levels)
        throw ProfileError(
            file, line_of.at(at->first),
            fmt::format("switch {} is below itself, or more than {} others", at->first, most_switch_levels));
      switches.push_back(at->second);
    }
    tree.levels = std::max(tree.levels, switches.size());
  }
  // A host below fewer switches repeats its highest one at the missing levels.
  for (auto& [host, switches] : tree.switches_of_host) switches.resize(tree.levels, switches.back());
  return tree;
}

MachinePlacement Surroundings::present(std::vector<RankPlace> const& ranks) const {
  std::vector<MachineHost> hosts;
  std::unordered_map<std::string, std::size_t> number_of;
  std::vector<std::pair<std::size_t, std::size_t>> where;  // host, and number of the slot on it
  for (RankPlace const& rank : ranks) {
    auto const [host, is_new] = number_of.emplace(rank.host, hosts.size());
    if (is_new) hosts.push_back({rank.host});
    auto& slots = hosts[host->second].slots;
    where.emplace_back(host->second, slots.size());
    auto const by_node = node ? node->place_of(rank.place.cpus) : std::nullopt;
    slots.push_back(by_node.value_or(rank.place));
  }
  MachinePlacement placed{finish(std::move(hosts)), {}};
  for (auto const& [host, number] : where) placed.placement.push_back(placed.machine.slot(host, number));
  return placed;
}

Machine Surroundings::machine_of(std::vector<HostLine> const& lines) const {
  std::vector<MachineHost> hosts;
  for (HostLine const& line : lines) {
    hosts.push_back({line.name});
    for (std::size_t i = 0; i < line.slots; ++i)
      hosts.back().slots.push_back(node ? node->slot(i, line.slots) : SlotPlace());
  }
  return finish(std::move(hosts));
}

Machine Surroundings::finish(std::vector<MachineHost> hosts) const {
  if (switches.levels > 0)
    for (MachineHost& host : hosts) host.switches = find_switches(*this, host.name);
  return Machine(std::move(hosts));
}

}  // namespace mpisee_through
