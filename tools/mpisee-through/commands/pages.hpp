// Pages that are made of the same definitions as --help.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace mpisee_through {

// A manual page for section 1, in the macros of man(7).
[[nodiscard]] std::string manual_page(CLI::App const& app);

// To be sourced by bash: completes options, commands, and names of files.
[[nodiscard]] std::string bash_completion(CLI::App const& app);

}  // namespace mpisee_through
