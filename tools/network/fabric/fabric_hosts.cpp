#include "fabric/fabric_hosts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "fabric/scanner.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "reader/line_reader.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

std::string without_domain(std::string_view name) { return std::string(name.substr(0, name.find('.'))); }

std::string first_word(std::string_view description) { return std::string(Scanner(description).word()); }

// Compares without domains unless both names have one.
bool are_one_host(std::string_view name, std::string_view other) {
  bool const both_have_domains = name.find('.') != std::string_view::npos && other.find('.') != std::string_view::npos;
  return both_have_domains ? name == other : without_domain(name) == without_domain(other);
}

}  // namespace

FabricHosts::FabricHosts(Fabric const& fabric, std::span<std::string const> hosts,
                         std::optional<std::filesystem::path> const& names)
    : fabric_(fabric), ports_(hosts.size()) {
  if (names) read_names(*names, hosts);
  match_descriptions(hosts);
  check(hosts);
}

bool FabricHosts::add_ports(std::size_t host, FabricNode const& node) {
  for (std::uint32_t k = 0; k < node.ports; ++k) {
    FabricLink const& link = fabric_.links[node.first_link + k];
    if (link.back != no_link && link.lid != 0) ports_[host].push_back(LinkIndex{node.first_link + k});
  }
  return node.ports > 0;
}

void FabricHosts::read_names(std::filesystem::path const& path, std::span<std::string const> hosts) {
  LineReader reader({path, path});
  for (std::size_t line = 1; reader.next(); ++line) {
    std::string_view const text(reader.line().data(), reader.line().size());
    Scanner scanner(text.substr(0, text.find('#')));
    auto const host = std::ranges::find(hosts, scanner.word());
    scanner.skip_blanks();
    std::string_view wanted = scanner.rest();
    wanted = wanted.substr(0, wanted.find_last_not_of(" \t") + 1);
    if (wanted.empty() && text.find_first_not_of(" \t") != text.find('#'))
      throw ProfileError(path, line, "this line has no description or GUID behind the host");
    if (host == hosts.end() || wanted.empty()) continue;  // the file may name hosts of other runs
    auto const index = static_cast<std::size_t>(host - hosts.begin());
    Scanner number(wanted);
    std::uint64_t const guid = number.take("0x") ? number.number<std::uint64_t>(16).value_or(0) : 0;  // 0: not a GUID
    bool found = false;
    for (FabricNode const& node : fabric_.nodes) {
      if (node.is_switch) continue;
      if (guid != 0 ? node.guid == guid : node.name == visible(wanted)) found |= add_ports(index, node);
      for (std::uint32_t k = 0; guid != 0 && k < node.ports; ++k) {
        if (fabric_.links[node.first_link + k].guid != guid || node.guid == guid) continue;
        ports_[index].push_back(LinkIndex{node.first_link + k});
        found = true;
      }
    }
    if (!found) throw ProfileError(path, line, fmt::format("no node of the fabric is \"{}\"", visible(wanted)));
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
      if (are_one_host(hosts[i], first_word(one->second->name))) (void)add_ports(i, *one->second);
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
  throw ProfileError(
      fabric_.files.front(), std::nullopt,
      fmt::format("{} {} no port here: {}{}; --fabric-hosts FILE can name them", format_number_of(count, "host"),
                  count == 1 ? "has" : "have", fmt::join(missing, ", "), count > shown ? ", …" : ""));
}

std::size_t FabricHosts::most_ports() const {
  std::size_t most = 0;
  for (auto const& one : ports_) most = std::max(most, one.size());
  return most;
}

FabricHosts::Ends FabricHosts::ends(HostPort from, HostIndex to) const {
  auto const from_ports = ports(from.host), to_ports = ports(to);
  for (std::size_t i = 0; i < from_ports.size(); ++i) {
    LinkIndex const start = from_ports[(from.rail + i) % from_ports.size()];
    for (std::size_t k = 0; k < to_ports.size(); ++k) {
      LinkIndex const end = to_ports[(from.rail + k) % to_ports.size()];
      if (fabric_.link(start).plane == fabric_.link(end).plane) return {start, end};
    }
  }
  throw ProfileError(fabric_.files.front(), std::nullopt,
                     fmt::format("no cables lead from {} to {}", fabric_.node_of(from_ports.front()).name,
                                 fabric_.node_of(to_ports.front()).name));
}

}  // namespace mpisee_through
