#include "fabric/fabric_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

#include "fabric/assembly.hpp"
#include "fabric/assumed_routes.hpp"
#include "fabric/forwarding_files.hpp"
#include "fabric/topology_files.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "reader/line_reader.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// A format of files about cables. A line that begins with the one word and contains the other identifies it.
struct CableFormat {
  std::string_view name;
  std::string_view begin;
  std::string_view word;
  void (*read)(Topology&, std::filesystem::path const&, std::uint32_t);
};
constexpr std::array cable_formats{
    CableFormat{"ibnetdiscover", "Switch", "\"S-", read_ibnetdiscover},
    CableFormat{"ibnetdiscover", "Ca", "\"H-", read_ibnetdiscover},
    CableFormat{"a list of links", "{ ", "NodeGUID:", read_link_list},
    CableFormat{"topology.conf", "SwitchName=", "=", read_slurm_topology},
};

struct Kinds {
  std::array<std::vector<std::filesystem::path>, cable_formats.size()> cables{};
  std::array<std::vector<std::filesystem::path>, 3> tables{};
  std::vector<std::filesystem::path> others{};
};

// Classifies the file by its first line that identifies a format.
bool add_by_line(Kinds& kinds, std::filesystem::path const& path, std::string_view line) {
  for (std::size_t i = 0; i < cable_formats.size(); ++i) {
    CableFormat const& one = cable_formats[i];
    if (!line.starts_with(one.begin) || line.find(one.word) == std::string_view::npos) continue;
    auto const* const first = std::ranges::find(cable_formats, one.name, &CableFormat::name);
    kinds.cables[static_cast<std::size_t>(first - cable_formats.begin())].push_back(path);
    return true;
  }
  if (auto const* const format = table_format_of(line)) {
    kinds.tables[static_cast<std::size_t>(format - table_formats().data())].push_back(path);
    return true;
  }
  return false;
}

void add_by_content(Kinds& kinds, std::filesystem::path const& path) {
  constexpr std::size_t lines_to_read = 1000;
  try {
    LineReader reader({path, path});
    for (std::size_t i = 0; i < lines_to_read && reader.next(); ++i)
      if (add_by_line(kinds, path, {reader.line().data(), reader.line().size()})) return;
  } catch (ProfileError const&) {
    // The file is not text: its first line is too long.
  }
  kinds.others.push_back(path);
}

std::vector<std::filesystem::path> files_in(std::filesystem::path const& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw ProfileError(path, std::nullopt, "No such file or directory");
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::directory_iterator(path, error))
    if (entry.is_regular_file(error)) files.push_back(entry.path());
  if (error) throw ProfileError(path, std::nullopt, error.message());
  std::ranges::sort(files);
  return files;
}

std::string names_of(std::vector<std::filesystem::path> const& files) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (std::filesystem::path const& one : files) names.push_back(visible(one.filename().string()));
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, … ({} files)", names.front(), names.size());
}

template <class Files>
auto first_with_files(Files const& kinds) {
  return std::ranges::find_if(kinds, [](auto const& files) { return !files.empty(); });
}

Topology read_cables(Fabric& fabric, Kinds const& kinds) {
  auto const files = first_with_files(kinds.cables);
  if (files == kinds.cables.end())
    throw ProfileError(fabric.path, std::nullopt,
                       "no cables: neither ibnetdiscover's output, nor a list of links, nor topology.conf");
  CableFormat const& format = cable_formats[static_cast<std::size_t>(files - kinds.cables.begin())];
  Topology topology(fabric.files);
  for (std::filesystem::path const& file : *files) {
    fabric.files.push_back(file);
    format.read(topology, file, static_cast<std::uint32_t>(fabric.files.size() - 1));
  }
  fabric.notes.push_back(fmt::format("Cables from {} ({})", names_of(*files), format.name));
  if (format.read == read_slurm_topology)
    fabric.notes.emplace_back(
        "topology.conf tells neither parallel cables nor speeds: one cable is assumed, and no share of its capacity "
        "known");
  return topology;
}

TablesByGuid read_all_tables(Fabric& fabric, Kinds const& kinds) {
  TablesByGuid tables;
  auto const files = first_with_files(kinds.tables);
  if (files == kinds.tables.end()) return tables;
  for (std::filesystem::path const& file : *files) {
    fabric.files.push_back(file);
    read_tables(tables, fabric.files, static_cast<std::uint32_t>(fabric.files.size() - 1));
  }
  TableFormat const& format = table_formats()[static_cast<std::size_t>(files - kinds.tables.begin())];
  fabric.notes.push_back(fmt::format("Routes from {} ({})", names_of(*files), format.name));
  fabric.has_tables = true;
  return tables;
}

}  // namespace

Fabric read_fabric(std::filesystem::path const& path) {
  Fabric fabric;
  fabric.path = path;
  Kinds kinds;
  for (std::filesystem::path const& file : files_in(path)) add_by_content(kinds, file);
  Topology const topology = read_cables(fabric, kinds);
  TablesByGuid tables = read_all_tables(fabric, kinds);
  assemble(fabric, topology, std::move(tables));
  if (!fabric.has_tables) {
    assume_tables(fabric);
    fabric.notes.emplace_back(
        "Routes are assumed, for want of forwarding tables: shortest ways, spread over equal ones by destination");
  }
  return fabric;
}

}  // namespace mpisee_through
