// Makes a profile from the spool files of killed processes, with the rows that the processes would have written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace mpisee_through {

// The directory with the spool files of a profile: its subdirectory `spool`, the profile's directory itself, or a
// directory on this node. Nothing if there are no spool files.
std::optional<std::filesystem::path> find_spool(std::filesystem::path const& directory);

// If the spool files of a profile are on the nodes: their directory there, which this node may not have.
std::optional<std::filesystem::path> find_node_directory(std::filesystem::path const& profile);

// Throws a ProfileError that says where the spool files are, if they are on other nodes.
void check_not_on_nodes(std::filesystem::path const& profile);

// The spool files in a directory, by rank.
[[nodiscard]] std::map<std::int32_t, std::filesystem::path> spool_files(std::filesystem::path const& directory);

// Whether the name, without directories, is that of a spool file.
bool is_spool_file(std::string const& name);

// Writes the files of a profile from the spool files in a directory. shown: the directory's name in messages. run.json
// says what is missing. Throws ProfileError if there are no usable spool files, or the profile cannot be written.
void recover(std::filesystem::path const& spool, std::filesystem::path const& shown,
             std::filesystem::path const& profile);

// Calls recover() for the profile's own directory, which it returns. Throws ProfileError also if the profile is
// finished.
std::filesystem::path recover_profile(std::filesystem::path const& directory);

}  // namespace mpisee_through
