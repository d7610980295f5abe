// The result of `place`: where ranks are, where they should be, and the effects of the move; in all forms, and as the
// files by which launchers place ranks so.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "commands/commands.hpp"
#include "placement/effects.hpp"
#include "summary/traffic.hpp"
#include "table/document.hpp"

namespace mpisee_through {

struct Proposal {
  Traffic traffic;
  std::string selection;  // in words; empty if everything is selected
  Machine today, proposed;
  Placement slot_today, slot_proposed;
  Measure weight;
  Effects before, after;
  std::shared_ptr<Fabric const> fabric;  // if links count

  [[nodiscard]] std::size_t ranks() const { return slot_today.size(); }
  [[nodiscard]] Slot const& slot_of(std::size_t rank) const { return proposed.slots()[slot_proposed[rank]]; }
  [[nodiscard]] Slot const& slot_of_today(std::size_t rank) const { return today.slots()[slot_today[rank]]; }
  [[nodiscard]] std::string const& host_of(std::size_t rank) const { return proposed.hosts()[slot_of(rank).host]; }
  // The share of today's cost that the proposal saves.
  [[nodiscard]] double gain() const { return before.cost > 0 ? 1 - after.cost / before.cost : 0; }
  // The share by which the load of the busiest link falls.
  [[nodiscard]] double link_gain() const {
    return before.links && before.links->load > 0 ? 1 - after.links->load / before.links->load : 0;
  }
  [[nodiscard]] std::size_t moved_ranks() const;
};

// The command.
[[nodiscard]] std::unique_ptr<Command> make_place();

struct LauncherFile {
  std::string name;
  std::string launcher;
  std::string command;  // starts the program with the file
  std::string text;
};

// rankfile.openmpi4, rankfile.prrte, hosts.hydra, hosts.slurm and MPICH_RANK_ORDER. directory: the path that the
// commands name.
[[nodiscard]] std::vector<LauncherFile> launcher_files(Proposal const& proposal,
                                                       std::filesystem::path const& directory);

// Makes the directory if it is missing. Throws OutputError.
void write_launcher_files(std::vector<LauncherFile> const& files, std::filesystem::path const& directory,
                          std::filesystem::path const& profile);

}  // namespace mpisee_through
