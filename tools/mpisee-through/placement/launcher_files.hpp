// The files by which launchers place ranks as proposed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "placement/proposal.hpp"

namespace mpisee_through {

struct LauncherFile {
  std::string name;
  std::string launcher;
  std::string command;  // that uses the file; empty if it is for no launcher
  std::string text;
};

// rankfile.openmpi4, rankfile.prrte, hosts.hydra, hosts.slurm, MPICH_RANK_ORDER and placement.json. directory: as
// it is to be named in commands.
[[nodiscard]] std::vector<LauncherFile> launcher_files(Proposal const& proposal,
                                                       std::filesystem::path const& directory);

// Makes the directory if it is missing. Throws OutputError.
void write_launcher_files(std::vector<LauncherFile> const& files, std::filesystem::path const& directory,
                          std::filesystem::path const& profile);

}  // namespace mpisee_through
