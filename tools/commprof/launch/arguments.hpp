// Parses the arguments of a command.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
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

// The exit code if the command must end here: --help was answered, or the arguments were refused with one line on
// stderr.
[[nodiscard]] std::optional<int> parse(CLI::App& app, int argc, char** argv);

// Parses options and the words of a command behind them, which may follow --. lack: what to say if there are none.
[[nodiscard]] std::optional<int> parse_command(CLI::App& app, int argc, char** argv, std::string_view lack,
                                               std::vector<std::string>& words);

}  // namespace commprof_launcher
