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
  std::string command;  // starts the program with the file; empty if no launcher reads the file
  std::string text;
};

// rankfile.openmpi4, rankfile.prrte, hosts.hydra, hosts.slurm, MPICH_RANK_ORDER and placement.json. directory: the path
// that the commands name.
[[nodiscard]] std::vector<LauncherFile> launcher_files(Proposal const& proposal,
                                                       std::filesystem::path const& directory);

// Makes the directory if it is missing. Throws OutputError.
void write_launcher_files(std::vector<LauncherFile> const& files, std::filesystem::path const& directory,
                          std::filesystem::path const& profile);

}  // namespace mpisee_through
