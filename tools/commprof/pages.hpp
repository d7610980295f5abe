// Pages that the build generates from the definitions of --help.
#pragma once

namespace commprof_launcher {

// A script for bash: completes the launcher's options, and after these the command as bash would. Returns the exit
// code.
[[nodiscard]] int print_bash_completion();

}  // namespace commprof_launcher
