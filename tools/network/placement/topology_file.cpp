#include "placement/topology_file.hpp"

#include <fmt/format.h>
#include <strings.h>

#include "files/number_in.hpp"
#include "files/profile_error.hpp"
#include "files/switch_line.hpp"
#include "files/text_lines.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_levels = 16;

class SlurmTree {
 public:
  explicit SlurmTree(std::filesystem::path const& file) : file_(file) {}

  SwitchTree run(std::vector<TextLine> const& lines) {
    for (TextLine const& line : lines) read(line);
    SwitchTree tree;
    for (auto const& [name, leaf] : leaf_of_host_) {
      std::vector<std::string>& switches = tree.switches_of_host[name];
      for (std::string at = leaf; !at.empty(); at = above(at)) {
        if (switches.size() == most_levels)
          fail(line_of_.at(at), fmt::format("switch {} is below itself, or more than {} others", at, most_levels));
        switches.push_back(at);
      }
      tree.levels = std::max(tree.levels, switches.size());
    }
    if (tree.levels == 0) throw ProfileError(file_, std::nullopt, "has no switch with Nodes=");
    // A host below fewer switches repeats its highest one at the missing levels.
    for (auto& [name, switches] : tree.switches_of_host) switches.resize(tree.levels, switches.back());
    return tree;
  }

 private:
  void read(TextLine const& line) {
    SwitchLine const parsed =
        parse_switch_line(line.text, [&](std::string const& problem) { fail(line.number, problem); });
    if (!line_of_.emplace(parsed.name, line.number).second)
      fail(line.number, fmt::format("switch {} for the second time", parsed.name));
    for (SwitchLine::Below const& one : parsed.below) {
      auto& above = one.is_switch ? above_ : leaf_of_host_;
      if (!above.emplace(one.name, parsed.name).second)
        fail(line.number, fmt::format("{} {} for the second time", one.is_switch ? "switch" : "host", one.name));
    }
  }

  std::string above(std::string const& name) const {
    auto const found = above_.find(name);
    return found == above_.end() ? "" : found->second;
  }

  [[noreturn]] void fail(std::size_t line, std::string const& problem) const {
    throw ProfileError(file_, line, problem);
  }

  std::filesystem::path const& file_;
  std::unordered_map<std::string, std::size_t> line_of_;
  std::unordered_map<std::string, std::string> leaf_of_host_, above_;
};

TreeLine read_tree(std::filesystem::path const& file, TextLine const& line) {
  auto const fail = [&](std::string_view problem) { throw ProfileError(file, line.number, problem); };
  auto const words = words_of(line.text);
  auto const levels = words.size() > 1 ? number_in<std::size_t>(words[1]) : std::nullopt;
  if (!levels || *levels == 0 || *levels > most_levels || words.size() != 2 + 2 * *levels)
    fail("tleaf needs a number of levels, and for each its children and a cost");
  TreeLine tree;
  for (std::size_t i = 2; i < words.size(); i += 2) {
    auto const children = number_in<std::size_t>(words[i]);
    auto const cost = number_in<double>(words[i + 1]);
    if (!children || *children == 0 || *children > 1'000'000 || !cost || !(*cost >= 0))
      fail(fmt::format("\"{} {}\" is no number of children with a cost", words[i], words[i + 1]));
    tree.children.push_back(*children);
    tree.costs.push_back(*cost);
  }
  return tree;
}

}  // namespace

MachineTopology read_topology_file(std::filesystem::path const& file) {
  auto const lines = read_text_lines(file, true);
  if (lines.empty()) throw ProfileError(file, std::nullopt, "is empty");
  TextLine const& first = lines.front();
  if (words_of(first.text).front() == "tleaf") {
    if (lines.size() > 1) throw ProfileError(file, lines[1].number, "more than one line with tleaf");
    return {{}, read_tree(file, first)};
  }
  if (first.text.front() == '<') throw ProfileError(file, first.number, "describes one host: give it with --node");
  constexpr std::string_view first_key = "SwitchName=";
  if (strncasecmp(first.text.c_str(), first_key.data(), first_key.size()) != 0)
    throw ProfileError(file, first.number,
                       "neither a topology.conf of Slurm (SwitchName=...) nor a tleaf line of Scotch");
  return {SlurmTree(file).run(lines), {}};
}

}  // namespace mpisee_through
