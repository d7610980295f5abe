// Guesses what a user meant by a command or an option that does not exist.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace mpisee_through {

// The error for an argument that begins with - but is not an option of the command. It names our equivalent of an
// option of the published mpisee-through, a command that has the option, or the option with the most similar name.
[[nodiscard]] std::string describe_unknown_option(CLI::App const& app, std::string_view argument);

// The error for a first word that is neither a command, an option nor a file name. Nothing if no command is similar;
// the word is then the name of a missing profile.
[[nodiscard]] std::optional<std::string> describe_unknown_command(std::string_view word);

}  // namespace mpisee_through
