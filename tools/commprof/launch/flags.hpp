// The profiler's options as flags: one for each row of its table of options, except those that the launcher sets.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace commprof_launcher {

struct Flag {
  char const* names;          // in CLI11's notation
  std::string_view variable;  // environment variable of the option
  std::string_view type;      // type of the flag's value; empty: the flag has no value, and sets `value`
  std::string_view value;
  char const* help;
};
[[nodiscard]] std::span<Flag const> flags();

// Whether the launcher sets the variable itself, or the option makes no sense as a flag.
[[nodiscard]] bool has_no_flag(std::string_view variable);

using Variables = std::map<std::string, std::string>;

// Adds all flags. A value that the option would refuse is an error; other values are stored in `variables`.
void add_flags(CLI::App& app, Variables& variables);

}  // namespace commprof_launcher
