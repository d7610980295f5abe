#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "fabric/topology.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "reader/line_reader.hpp"

namespace mpisee_through {
namespace {

struct Files {
  std::vector<std::filesystem::path> ibnetdiscover{}, slurm{}, tables{};
};

// Classifies the file by its first line that identifies a kind.
bool add_by_line(Files& files, std::filesystem::path const& path, std::string_view line) {
  auto const is = [&](std::string_view begin, std::string_view word) {
    return line.starts_with(begin) && line.find(word) != std::string_view::npos;
  };
  auto* const kind = is("Switch", "\"S-") || is("Ca", "\"H-") ? &files.ibnetdiscover
                     : is("SwitchName=", "=")                 ? &files.slurm
                     : begins_table(line)                     ? &files.tables
                                                              : nullptr;
  if (kind != nullptr) kind->push_back(path);
  return kind != nullptr;
}

void add_by_content(Files& files, std::filesystem::path const& path) {
  constexpr std::size_t lines_to_read = 1000;
  try {
    LineReader reader({path, path});
    for (std::size_t i = 0; i < lines_to_read && reader.next(); ++i)
      if (add_by_line(files, path, {reader.line().data(), reader.line().size()})) return;
  } catch (ProfileError const&) {
    // The file is not text: its first line is too long. It is none of these files.
  }
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

Topology read_cables(Fabric& fabric, Files const& files) {
  bool const is_slurm = files.ibnetdiscover.empty();
  auto const& cables = is_slurm ? files.slurm : files.ibnetdiscover;
  if (cables.empty())
    throw ProfileError(fabric.path, std::nullopt, "no cables: neither ibnetdiscover's output nor topology.conf");
  Topology topology(fabric.files);
  for (std::filesystem::path const& file : cables) {
    fabric.files.push_back(file);
    (is_slurm ? read_slurm_topology : read_ibnetdiscover)(topology, file,
                                                          static_cast<std::uint32_t>(fabric.files.size() - 1));
  }
  fabric.notes.push_back(
      fmt::format("Cables from {} ({})", names_of(cables), is_slurm ? "topology.conf" : "ibnetdiscover"));
  if (is_slurm)
    fabric.notes.emplace_back(
        "topology.conf tells neither parallel cables nor speeds: one cable is assumed, and no share of its capacity "
        "known");
  return topology;
}

TablesByGuid read_all_tables(Fabric& fabric, Files const& files) {
  TablesByGuid tables;
  for (std::filesystem::path const& file : files.tables) {
    fabric.files.push_back(file);
    read_tables(tables, fabric.files, static_cast<std::uint32_t>(fabric.files.size() - 1));
  }
  fabric.has_tables = !files.tables.empty();
  if (fabric.has_tables)
    fabric.notes.push_back(fmt::format("Routes from {} (dump_fts or ibroute)", names_of(files.tables)));
  return tables;
}

}  // namespace

Fabric read_fabric(std::filesystem::path const& path) {
  Fabric fabric;
  fabric.path = path;
  Files files;
  for (std::filesystem::path const& file : files_in(path)) add_by_content(files, file);
  Topology const topology = read_cables(fabric, files);
  TablesByGuid tables = read_all_tables(fabric, files);
  assemble(fabric, topology, std::move(tables));
  if (!fabric.has_tables) {
    assume_tables(fabric);
    fabric.notes.emplace_back(
        "Routes are assumed, for want of forwarding tables: shortest ways, spread over equal ones by destination");
  }
  return fabric;
}

}  // namespace mpisee_through
