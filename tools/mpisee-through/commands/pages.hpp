// Pages that the build generates from the definitions of --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace mpisee_through {

// A section of the manual page, for help2man: the conditions of all findings, in the macros of man(7).
[[nodiscard]] std::string findings_section();

// A script for bash: completes options, commands, and file names.
[[nodiscard]] std::string bash_completion(CLI::App const& app);

}  // namespace mpisee_through
