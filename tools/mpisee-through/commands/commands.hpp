// The commands: mpisee-through COMMAND …. If the first word is not a command, it is a profile, or an option of the
// plain command, which shows a profile.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "commands/command.hpp"
#include "table/document.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

class FormatOptions;

struct NamedCommand {
  std::string_view name;
  std::string_view summary;  // for --help, one line
  std::unique_ptr<Command> (*make)();
};

// The commands, in the order of --help.
[[nodiscard]] std::span<NamedCommand const> commands();
// Links and place: from tools/network, which can be left out of the build, or nothing from no_network.cpp.
[[nodiscard]] std::vector<NamedCommand> network_commands();

// Runs the command of the command line. An exception becomes one line on stderr.
[[nodiscard]] int run_command_line(int argc, char** argv);

[[nodiscard]] std::unique_ptr<Command> make_show();  // the plain command
[[nodiscard]] std::unique_ptr<Command> make_report();
[[nodiscard]] std::unique_ptr<Command> make_compare();
[[nodiscard]] std::unique_ptr<Command> make_scaling();
[[nodiscard]] std::unique_ptr<Command> make_resolve();
[[nodiscard]] std::unique_ptr<Command> make_now();
[[nodiscard]] std::unique_ptr<Command> make_collect();

// Writes documents to standard output, in ASCII if text goes to a terminal without UTF-8; or a page to its file. Notes
// that CSV has no room for go to stderr. Returns the exit code.
[[nodiscard]] int print(FormatOptions const& form, Terminal const& terminal, std::vector<Document> const& documents,
                        std::vector<std::filesystem::path> const& profiles);

// Flushes the output. Returns the exit code.
[[nodiscard]] int finish_output();

}  // namespace mpisee_through
