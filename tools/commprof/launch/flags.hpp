// The options of a run as flags: one for each row of the profiler's table of options but those that the launcher sets.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace commprof_launcher {

struct Flag {
  char const* names;          // as CLI11 has them
  std::string_view variable;  // of the option
  std::string_view type;      // of its value; empty: the flag takes none, and stands for `value`
  std::string_view value;
  char const* help;
};
[[nodiscard]] std::span<Flag const> flags();

// Variables that the launcher uses for purposes of its own, or that make no sense as flags.
[[nodiscard]] bool has_no_flag(std::string_view variable);

using Variables = std::map<std::string, std::string>;

// Adds all flags. Values that the option would refuse are turned down; others go into the variables.
void add_flags(CLI::App& app, Variables& variables);

}  // namespace commprof_launcher
