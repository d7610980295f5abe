#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "fabric/fabric.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

std::string without_domain(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

std::string first_word(std::string_view description) {
  auto const words = words_of(description);
  return words.empty() ? "" : std::string(words.front());
}

// Compares without domains unless both names have one.
bool are_one_host(std::string_view name, std::string_view other) {
  bool const both_have_domains = name.find('.') != std::string_view::npos && other.find('.') != std::string_view::npos;
  return both_have_domains ? name == other : without_domain(name) == without_domain(other);
}

}  // namespace

FabricHosts::FabricHosts(Fabric const& fabric, std::span<std::string const> hosts)
    : fabric_(fabric), ports_(hosts.size()) {
  std::error_code error;
  if (auto const path = fabric.path / "hosts"; std::filesystem::exists(path, error)) read_exceptions(path, hosts);
  match_descriptions(hosts);
  check(hosts);
}

void FabricHosts::add_ports(std::size_t host, FabricNode const& node) {
  for (LinkIndex const port : fabric_.cables_of(node))
    if (fabric_.link(port).lid != 0) ports_[host].push_back(port);
}

void FabricHosts::read_exceptions(std::filesystem::path const& path, std::span<std::string const> hosts) {
  for (TextLine const& line : read_text_lines(path)) {
    auto const words = words_of(line.text);
    if (words.size() < 2) throw ProfileError(path, line.number, "this line has no description or GUID behind the host");
    std::string const wanted(words[1].data());  // to the end of the line
    auto const host = std::ranges::find(hosts, words.front());
    if (host == hosts.end()) continue;  // the file may name hosts of other runs
    auto& ports = ports_[static_cast<std::size_t>(host - hosts.begin())];
    std::uint64_t const guid =
        wanted.starts_with("0x") ? std::strtoull(wanted.c_str(), nullptr, 16) : 0;  // 0: not a GUID
    std::size_t const before = ports.size();
    for (FabricNode const& node : fabric_.nodes)
      if (!node.is_switch)
        for (LinkIndex const port : fabric_.cables_of(node))
          if (guid == 0 ? node.name == visible(wanted) : node.guid == guid || fabric_.link(port).guid == guid)
            ports.push_back(port);
    if (ports.size() == before)
      throw ProfileError(path, line.number, fmt::format("no node of the fabric is \"{}\"", visible(wanted)));
  }
}

void FabricHosts::match_descriptions(std::span<std::string const> hosts) {
  std::unordered_multimap<std::string, FabricNode const*> by_short_name;
  for (FabricNode const& node : fabric_.nodes) {
    if (!node.is_switch) by_short_name.emplace(without_domain(first_word(node.name)), &node);
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!ports_[i].empty()) continue;
    auto const [first, last] = by_short_name.equal_range(without_domain(hosts[i]));
    for (auto one = first; one != last; ++one)
      if (are_one_host(hosts[i], first_word(one->second->name))) add_ports(i, *one->second);
    std::ranges::sort(ports_[i]);
  }
}

void FabricHosts::check(std::span<std::string const> hosts) const {
  constexpr std::size_t shown = 3;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < hosts.size(); ++i)
    if (ports_[i].empty()) missing.push_back(hosts[i]);
  if (missing.empty()) return;
  std::size_t const count = missing.size();
  missing.resize(std::min(count, shown));
  throw ProfileError(fabric_.files.front(), std::nullopt,
                     fmt::format("{} {} no port here: {}{}; a file \"hosts\" beside this one can name them",
                                 format_number_of(count, "host"), count == 1 ? "has" : "have", fmt::join(missing, ", "),
                                 count > shown ? ", …" : ""));
}

bool FabricHosts::has_several_ports() const {
  return std::ranges::any_of(ports_, [](auto const& ports) { return ports.size() > 1; });
}

// Adapters do not forward: from each of its ports an adapter reaches what the switch there does, or the other end of a
// cable without a switch.
bool FabricHosts::are_connected(LinkIndex one, LinkIndex other) const {
  FabricNode const &there = fabric_.peer_of(one), &here = fabric_.peer_of(other);
  return there.is_switch && here.is_switch ? there.network == here.network : fabric_.link(one).back == other;
}

FabricHosts::Ends FabricHosts::ends(HostPort from, HostIndex to) const {
  auto const from_ports = ports(from.host), to_ports = ports(to);
  for (std::size_t i = 0; i < from_ports.size(); ++i) {
    LinkIndex const start = from_ports[(from.rail + i) % from_ports.size()];
    for (std::size_t k = 0; k < to_ports.size(); ++k) {
      LinkIndex const end = to_ports[(from.rail + k) % to_ports.size()];
      if (are_connected(start, end)) return {start, end};
    }
  }
  throw ProfileError(fabric_.files.front(), std::nullopt,
                     fmt::format("no cables lead from {} to {}", fabric_.node_of(from_ports.front()).name,
                                 fabric_.node_of(to_ports.front()).name));
}

}  // namespace mpisee_through
