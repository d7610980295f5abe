// What the first word of a command line can ask for: mpisee-through COMMAND …. Anything else is a profile, or an option
// of the plain command, which shows one.
#pragma once

#include <span>
#include <string_view>

namespace mpisee_through {

struct Command {
  std::string_view name;
  std::string_view summary;           // for --help, one line
  int (*run)(int argc, char** argv);  // argv[0] is the name; returns the exit code
};

// In the order of --help.
[[nodiscard]] std::span<Command const> commands();

// Runs what the command line asks for. What is thrown on the way ends in one line on stderr.
[[nodiscard]] int run_command_line(int argc, char** argv);

// The plain command: shows a profile.
[[nodiscard]] int run_show(int argc, char** argv);

[[nodiscard]] int run_report(int argc, char** argv);
// What became faster and slower between runs.
[[nodiscard]] int run_compare(int argc, char** argv);

}  // namespace mpisee_through
