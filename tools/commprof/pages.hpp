// Pages that the build makes of the same definitions as --help.
#pragma once

namespace commprof_launcher {

// To be sourced by bash: completes the launcher's options, and then the command behind them as bash would. Returns the
// exit code.
[[nodiscard]] int print_bash_completion();

}  // namespace commprof_launcher
