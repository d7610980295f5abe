// The options of one command, and their values. --help, the manual page and the completion are generated from them.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace mpisee_through {

// What only --help-all prints: a group of options, and a text after all. Without a text, there is no --help-all.
struct RareHelp {
  std::string group{}, text{};
};

class CommandOptions {
 public:
  CommandOptions(std::string const& name, std::string const& description, std::string const& footer = "",
                 RareHelp const& rare = {});
  CommandOptions(CommandOptions const&) = delete;
  CommandOptions& operator=(CommandOptions const&) = delete;
  virtual ~CommandOptions() = default;

  // The exit code if the command must end here: --help was answered, or the command line was refused with one line on
  // stderr.
  [[nodiscard]] std::optional<int> parse(int argc, char const* const* argv);

  [[nodiscard]] CLI::App const& app() const { return app_; }

 protected:
  CLI::App app_;

 private:
  // Further checks of the command line: throws CLI::ParseError, in the parser's words.
  virtual void check() {}
};

}  // namespace mpisee_through
