// Where the other parts of this installation are, as seen from the launcher's own file.
#pragma once

#include <string>

namespace commprof_launcher {

// Throws std::runtime_error, one line, if it is not there.
[[nodiscard]] std::string library_path();
[[nodiscard]] std::string reader_path();

}  // namespace commprof_launcher
