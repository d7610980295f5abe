// What the first word of a command line can ask for: mpisee-through COMMAND …. Anything else is a profile, or an option
// of the plain command, which shows one.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "commands/command_options.hpp"

namespace mpisee_through {

// Exit codes: 0 for an answer, 1 for a profile or a selection that gives none, 2 for a command line that makes no
// sense, 3 for runs that are slower than compare --fail-above allows.
inline constexpr int exit_no_answer = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_slower = 3;

struct Command {
  std::string_view name;
  std::string_view summary;           // for --help, one line
  int (*run)(int argc, char** argv);  // argv[0] is the name; returns the exit code
  std::unique_ptr<CommandOptions> (*options)();
};

// In the order of --help.
[[nodiscard]] std::span<Command const> commands();

// Runs what the command line asks for. What is thrown on the way ends in one line on stderr.
[[nodiscard]] int run_command_line(int argc, char** argv);

// The plain command: shows a profile.
[[nodiscard]] int run_show(int argc, char** argv);

// Writes a profile as a page for the browser.
[[nodiscard]] int run_report(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> report_options();

// What became faster and slower between runs.
[[nodiscard]] int run_compare(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> compare_options();

// How well a program uses more ranks.
[[nodiscard]] int run_scaling(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> scaling_options();

// What the messages put on the links of a network.
[[nodiscard]] int run_links(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> links_options();

// Writes functions, files and lines of call sites into the profile.
[[nodiscard]] int run_resolve(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> resolve_options();

// What all processes of a run are in.
[[nodiscard]] int run_now(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> now_options();

// Proposes where ranks should run.
[[nodiscard]] int run_place(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> place_options();

// Gathers spool files from a node.
[[nodiscard]] int run_collect(int argc, char** argv);
[[nodiscard]] std::unique_ptr<CommandOptions> collect_options();

// Sees that all of the output is out. Returns the exit code.
[[nodiscard]] int finish_output();

}  // namespace mpisee_through
