// The matrix of who talks to whom, whole, for other programs and for the eye.
#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "summary/traffic.hpp"

namespace mpisee_through {

// Where to, each if wanted.
struct MatrixFiles {
  std::optional<std::filesystem::path> csv{};        // src,dst,messages,bytes; with sizes if traffic has them
  std::optional<std::filesystem::path> treematch{};  // see write_treematch()
  std::optional<std::filesystem::path> image{};      // .svg or .png

  [[nodiscard]] bool any() const { return csv || treematch || image; }
};

// Throws OutputError if a file is one that is read, or if two are the same.
void check_matrix_files(MatrixFiles const& files, std::filesystem::path const& profile);

// Throws OutputError. selection: what the traffic is a part of, in words.
void write_matrix_files(MatrixFiles const& files, Traffic const& traffic, Measure measure,
                        std::string const& selection);

// A line of whole numbers, separated by blanks, for each rank. TreeMatch takes the numbers for how close two ranks
// should be, and looks at one half of the matrix in places: both directions are added up, so that the matrix is
// symmetric. What ranks send to themselves and to other worlds has no influence on placement and is left out.
void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure);

}  // namespace mpisee_through
