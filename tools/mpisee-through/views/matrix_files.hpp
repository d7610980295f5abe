// Writes the whole matrix of messages to files, for other programs and as a picture.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "summary/traffic.hpp"

namespace mpisee_through {

// The files to write; empty ones are not wanted.
struct MatrixFiles {
  std::optional<std::filesystem::path> csv{};        // src,dst,messages,bytes; with sizes if traffic has them
  std::optional<std::filesystem::path> treematch{};  // and scotch, metis: see placement_files.hpp
  std::optional<std::filesystem::path> image{};      // .svg
  std::optional<std::filesystem::path> scotch{};
  std::optional<std::filesystem::path> metis{};

  [[nodiscard]] bool any() const { return csv || treematch || image || scotch || metis; }
};

// Throws OutputError if a file belongs to the profile, or if two are the same.
void check_matrix_files(MatrixFiles const& files, std::filesystem::path const& profile);

// Throws OutputError. selection: the part of the traffic, in words.
void write_matrix_files(MatrixFiles const& files, Traffic const& traffic, Measure measure,
                        std::string const& selection);

}  // namespace mpisee_through
