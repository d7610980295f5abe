#include <fmt/format.h>
#include <fmt/ranges.h>
#include <strings.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "fabric/fabric_builder.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "reader/line_reader.hpp"

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

}  // namespace mpisee_through
