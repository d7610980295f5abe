// The commands: mpisee-through COMMAND …. If the first word is not a command, it is a profile, or an option of the
// plain command, which shows a profile.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "commands/command_options.hpp"
#include "table/document.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

class FormatOptions;

// Exit codes: 0 for an answer; 1 for a profile or a selection without one; 2 for an invalid command line; 3 for runs
// that are slower than compare --fail-above allows.
inline constexpr int exit_no_answer = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_slower = 3;

struct Command {
  std::string_view name;
  std::string_view summary;           // for --help, one line
  int (*run)(int argc, char** argv);  // argv[0] is the name; returns the exit code
  std::unique_ptr<CommandOptions> (*options)();
};

// The commands, in the order of --help.
[[nodiscard]] std::span<Command const> commands();

// Runs the command of the command line. An exception becomes one line on stderr.
[[nodiscard]] int run_command_line(int argc, char** argv);

// The plain command: shows a profile.
[[nodiscard]] int run_show(int argc, char** argv);

// Writes a profile as a page for the browser.
[[nodiscard]] int run_report(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> report_options();

// Compares runs.
[[nodiscard]] int run_compare(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> compare_options();

// Shows how well a program uses more ranks.
[[nodiscard]] int run_scaling(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> scaling_options();

// Writes functions, files and lines of call sites into the profile.
[[nodiscard]] int run_resolve(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> resolve_options();

// Shows the current calls of all processes of a run.
[[nodiscard]] int run_now(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> now_options();

// Gathers spool files from a node.
[[nodiscard]] int run_collect(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> collect_options();

// Writes documents to standard output, in ASCII if text goes to a terminal without UTF-8; or a page to its file. Notes
// that CSV has no room for go to stderr. Returns the exit code.
[[nodiscard]] int print(FormatOptions const& form, Terminal const& terminal, std::vector<Document> const& documents,
                        std::vector<std::filesystem::path> const& profiles);

// Flushes the output. Returns the exit code.
[[nodiscard]] int finish_output();

}  // namespace mpisee_through
