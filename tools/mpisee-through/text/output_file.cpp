#include "text/output_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include "profile/schema.hpp"

namespace mpisee_through {

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)), stream_(path_, std::ios::binary) {
  if (!stream_) fail();
}

void OutputFile::close() {
  stream_.close();
  if (!stream_) fail();
}

void OutputFile::fail() const { throw OutputError(path_.string() + ": " + std::generic_category().message(errno)); }

std::vector<std::filesystem::path> files_of_profile(std::filesystem::path const& directory) {
  namespace schema = commprof::schema;
  std::vector<std::filesystem::path> files{directory / schema::run_file};
  for (schema::File const& table : schema::tables) files.push_back(directory / table.name);
  return files;
}

void check_no_part_of_profile(std::filesystem::path const& file, std::filesystem::path const& profile) {
  std::error_code error;  // /dev/stdout of a pipe has no path
  std::filesystem::path const whole = std::filesystem::weakly_canonical(file, error);
  std::vector<std::filesystem::path> files = files_of_profile(profile);
  files.push_back(profile);
  for (std::filesystem::path const& other : files) {
    if (whole == std::filesystem::weakly_canonical(other))
      throw OutputError(file.string() + ": this file is part of the profile");
  }
}

}  // namespace mpisee_through
