// Finds the other parts of this installation, relative to the launcher's own file.
#pragma once

#include <string>

namespace commprof_launcher {

// Both throw std::runtime_error with a one-line message if the file is missing.
[[nodiscard]] std::string library_path();
[[nodiscard]] std::string reader_path();

}  // namespace commprof_launcher
