// The command line: options, the words of a command behind them, and the profiler's options as flags.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace commprof_launcher {

inline constexpr int exit_usage = 2;  // for an invalid command line

// The help of a program that runs a command, or looks at one.
class CommandFormatter : public CLI::Formatter {
 public:
  explicit CommandFormatter(std::string usage) : usage_(std::move(usage)) { column_width(24); }
  std::string make_usage(CLI::App const*, std::string) const override { return usage_; }
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string const type = option->get_type_name();
    return type.empty() ? "" : " " + type;
  }

 private:
  std::string usage_;
};

// Parses options and the words of a command behind them, which may follow --. lack: what to say if there are none.
// Returns the exit code if the command must end here: --help was answered, or the arguments were refused with one line
// on stderr.
[[nodiscard]] std::optional<int> parse_command(CLI::App& app, int argc, char** argv, std::string_view lack,
                                               std::vector<std::string>& words);

// One for each row of the profiler's table of options, except those that the launcher sets.
struct Flag {
  char const* names;          // in CLI11's notation
  std::string_view variable;  // environment variable of the option
  std::string_view type;      // type of the flag's value; empty: the flag has no value, and sets `value`
  std::string_view value;
  char const* help;
};
[[nodiscard]] std::span<Flag const> flags();

using Variables = std::map<std::string, std::string>;

// Adds all flags. A value that the option would refuse is an error; other values are stored in `variables`.
void add_flags(CLI::App& app, Variables& variables);

}  // namespace commprof_launcher
