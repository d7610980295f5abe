// What a user may have meant by a command or an option that does not exist.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mpisee_through {

// The error for an argument that begins with - and is no option of the command: it names our option for one of the
// published mpisee-through, the command that has such an option, or the option that has the nearest name.
[[nodiscard]] std::string describe_unknown_option(CLI::App const& app, std::string_view argument);

// The error for the first word of a command line that is neither a command, an option nor the name of a file. Nothing
// if no command comes near; the word is a profile then that does not exist.
[[nodiscard]] std::optional<std::string> describe_unknown_command(std::string_view word);

}  // namespace mpisee_through
