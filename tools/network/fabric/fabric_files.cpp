#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <map>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/fabric_builder.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {

namespace {

namespace fs = std::filesystem;

struct Files {
  std::vector<fs::path> ibnetdiscover{}, slurm{}, tables{};
};

// The kind of the files with this line; null if it does not tell.
std::vector<fs::path>* kind_of(Files& files, std::string_view line) {
  auto const is = [&](std::string_view begin, std::string_view word) {
    return line.starts_with(begin) && line.find(word) != std::string_view::npos;
  };
  if (is("Switch", "\"S-") || is("Ca", "\"H-")) return &files.ibnetdiscover;
  constexpr std::string_view slurm = "SwitchName=";
  if (strncasecmp(line.data(), slurm.data(), std::min(line.size(), slurm.size())) == 0 && line.size() > slurm.size())
    return &files.slurm;
  return begins_table(line) ? &files.tables : nullptr;
}

void add_by_content(Files& files, fs::path const& path) {
  constexpr std::size_t lines_to_read = 1000;
  try {
    LineReader reader({path, path});
    for (std::size_t i = 0; i < lines_to_read && reader.next(); ++i)
      if (auto* const kind = kind_of(files, {reader.line().data(), reader.line().size()})) return kind->push_back(path);
  } catch (ProfileError const&) {
    // The file is not text: its first line is too long. It is none of these files.
  }
}

std::vector<fs::path> files_in(fs::path const& path) {
  std::error_code error;
  if (!fs::exists(path, error)) throw ProfileError(path, std::nullopt, "No such file or directory");
  if (!fs::is_directory(path, error)) return {path};
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator(path, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  if (error) throw ProfileError(path, std::nullopt, error.message());
  std::ranges::sort(files);
  return files;
}

// Reads the files. Returns their names.
template <class Read>
std::string read_all(Fabric& fabric, FabricBuilder& builder, std::vector<fs::path> const& files, Read const& read) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (fs::path const& file : files) {
    fabric.files.push_back(file);
    read(builder, file);
    names.push_back(visible(file.filename().string()));
  }
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({} files)", names.front(), names.size());
}

// A line of topology.conf: SwitchName=leaf1 Nodes=node[01-16], or SwitchName=spine Switches=leaf[1-4].
struct SlurmSwitch {
  std::string name{};
  std::size_t line;
  std::vector<std::string> hosts{}, switches{};  // below it
};

bool is_key(std::string_view text, std::string_view key) {
  return text.size() == key.size() && strncasecmp(text.data(), key.data(), key.size()) == 0;
}

SlurmSwitch parse_switch(std::filesystem::path const& file, TextLine const& line) {
  auto const fail = [&](std::string_view problem) { throw ProfileError(file, line.number, problem); };
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
      if (!names) fail(fmt::format("\"{}\" is no list of names like node[01-16]", visible(value)));
      (has_switches ? result.switches : result.hosts) = std::move(*names);
    } else if (!is_key(key, "LinkSpeed")) {
      fail(fmt::format("\"{}\" is not SwitchName=, Nodes=, Switches= or LinkSpeed=", visible(word)));
    }
  }
  if (result.name.empty()) fail("no SwitchName=");
  return result;
}

std::vector<SlurmSwitch> read_switches(std::filesystem::path const& file) {
  std::vector<SlurmSwitch> switches;
  std::unordered_map<std::string, std::size_t> line_of;
  for (TextLine const& line : read_text_lines(file, true)) {
    SlurmSwitch const& one = switches.emplace_back(parse_switch(file, line));
    if (!line_of.emplace(one.name, line.number).second)
      throw ProfileError(file, line.number, fmt::format("switch {} for the second time", visible(one.name)));
  }
  for (SlurmSwitch const& one : switches)
    for (std::string const& below : one.switches)
      if (!line_of.contains(below))
        throw ProfileError(file, one.line, fmt::format("switch {} has no line of its own", visible(below)));
  return switches;
}

// The nodes of a topology.conf, which has neither GUIDs nor numbers of ports: each host or switch below a switch gets
// one of its ports, in the order of the file. Ports of a node are first those down, then those up.
class SlurmNodes {
 public:
  explicit SlurmNodes(FabricBuilder& builder)
      : builder_(builder), file_(static_cast<std::uint32_t>(builder.fabric().files.size() - 1)) {}

  void add(SlurmSwitch const& line) {
    std::size_t const here = find(line.name, true, line.line);
    nodes_[here].place.line = static_cast<std::uint32_t>(line.line);
    for (bool const is_switch : {false, true}) {
      for (std::string const& name : is_switch ? line.switches : line.hosts) {
        std::size_t const there = find(name, is_switch, line.line);
        below_[here].push_back(there);
        ++nodes_[here].ports;
        ++nodes_[there].ports;
      }
    }
  }

  void write() {
    std::vector<NodeIndex> index;
    for (FabricNode const& one : nodes_) index.push_back(builder_.add(one));
    std::vector<std::uint32_t> taken;  // ports of each node so far; the next one leads up
    for (auto const& one : below_) taken.push_back(static_cast<std::uint32_t>(one.size()));
    std::uint32_t lids = 0;  // the file has no addresses, so each port of a host gets one
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (std::uint32_t port = 1; port <= below_[i].size(); ++port) {
        std::size_t const there = below_[i][port - 1];
        std::uint32_t const up = ++taken[there];
        builder_.connect(index[i], {.port = port}, {nodes_[there].guid, up, nodes_[i].place});
        builder_.connect(index[there], {.port = up, .lid = nodes_[there].is_switch ? 0 : ++lids},
                         {nodes_[i].guid, port, nodes_[there].place});
      }
    }
  }

 private:
  std::size_t find(std::string const& name, bool is_switch, std::size_t line) {
    auto const [known, is_new] = by_name_.try_emplace({is_switch, name}, nodes_.size());
    if (is_new) {
      FabricPlace const place{file_, static_cast<std::uint32_t>(line)};
      nodes_.push_back({.name = name, .guid = nodes_.size() + 1, .is_switch = is_switch, .place = place});
      below_.emplace_back();
    }
    return known->second;
  }

  FabricBuilder& builder_;
  std::uint32_t file_;
  std::vector<FabricNode> nodes_;
  std::vector<std::vector<std::size_t>> below_;  // by node
  std::map<std::pair<bool, std::string>, std::size_t> by_name_;
};

}  // namespace

Fabric read_fabric(fs::path const& path) {
  Fabric fabric;
  fabric.path = path;
  Files files;
  for (fs::path const& file : files_in(path)) add_by_content(files, file);
  FabricBuilder builder(fabric);
  fabric.has_cables = !files.ibnetdiscover.empty();
  if (fabric.has_cables) {
    std::string const names = read_all(fabric, builder, files.ibnetdiscover, read_ibnetdiscover);
    fabric.notes.push_back(fmt::format("Cables from {} (ibnetdiscover)", names));
  } else if (!files.slurm.empty()) {
    std::string const names = read_all(fabric, builder, files.slurm, read_slurm_topology);
    fabric.notes.push_back(fmt::format("Cables from {} (topology.conf)", names));
    fabric.notes.emplace_back(
        "topology.conf tells neither parallel cables nor speeds: one cable is assumed, and no share of its capacity "
        "known");
  } else {
    throw ProfileError(path, std::nullopt, "no cables: neither ibnetdiscover's output nor topology.conf");
  }
  builder.finish();
  fabric.has_tables = !files.tables.empty();
  if (fabric.has_tables) {
    std::string const names = read_all(fabric, builder, files.tables, read_tables);
    fabric.notes.push_back(fmt::format("Routes from {} (dump_fts or ibroute)", names));
  } else {
    assume_tables(fabric);
    fabric.notes.emplace_back(
        "Routes are assumed, for want of forwarding tables: shortest ways, spread over equal ones by destination");
  }
  return fabric;
}

void read_slurm_topology(FabricBuilder& builder, std::filesystem::path const& path) {
  SlurmNodes nodes(builder);
  for (SlurmSwitch const& one : read_switches(path)) nodes.add(one);
  nodes.write();
}

}  // namespace mpisee_through
