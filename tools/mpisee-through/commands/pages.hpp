// Pages that the build makes of the same definitions as --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace mpisee_through {

// What help2man adds to the manual page: the conditions of all findings, in the macros of man(7).
[[nodiscard]] std::string findings_section();

// To be sourced by bash: completes options, commands, and names of files.
[[nodiscard]] std::string bash_completion(CLI::App const& app);

}  // namespace mpisee_through
