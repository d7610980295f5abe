// A profile out of what killed processes left: the rows are those that they would have written themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace mpisee_through {

// Where the spool files are that belong to a profile's directory: in it, or in its directory of that name. Nothing if
// there are none.
std::optional<std::filesystem::path> find_spool(std::filesystem::path const& directory);

// The spool files in a directory, by rank.
[[nodiscard]] std::map<std::int32_t, std::filesystem::path> spool_files(std::filesystem::path const& directory);

// Whether that is what a process calls its spool file, without directories.
bool is_spool_file(std::string const& name);

// Writes the files of a profile from the spool files in a directory; shown: what to call that in messages. run.json
// says what is missing. Throws ProfileError if there is nothing to write from, or it cannot be written.
void recover(std::filesystem::path const& spool, std::filesystem::path const& shown,
             std::filesystem::path const& profile);

// The same into the profile's own directory, which is returned. Throws ProfileError also if the profile is finished.
std::filesystem::path recover_profile(std::filesystem::path const& directory);

}  // namespace mpisee_through
