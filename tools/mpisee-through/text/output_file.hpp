#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace mpisee_through {

// A file could not be written. what() is one line, "FILE: problem".
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A file that the user named; an existing file is overwritten.
class OutputFile {
 public:
  // Throws OutputError.
  explicit OutputFile(std::filesystem::path path);

  std::ofstream& stream() { return stream_; }
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // Must be called at the end. Throws OutputError if anything could not be written.
  void close();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::ofstream stream_;
};

// Files that output must not overwrite.
[[nodiscard]] std::vector<std::filesystem::path> files_of_profile(std::filesystem::path const& directory);

// Throws OutputError if the file is one of files_of_profile(), or the archive that the profile is in.
void check_no_part_of_profile(std::filesystem::path const& file, std::filesystem::path const& profile);

}  // namespace mpisee_through
