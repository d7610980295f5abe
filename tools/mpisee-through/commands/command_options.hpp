// What the command line of one command may hold, and the room for what it does hold. --help, the manual page and the
// completion are made of it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace mpisee_through {

class CommandOptions {
 public:
  CommandOptions(std::string const& name, std::string const& description, std::string const& footer = "");
  CommandOptions(CommandOptions const&) = delete;
  CommandOptions& operator=(CommandOptions const&) = delete;
  virtual ~CommandOptions() = default;

  // The exit code if there is nothing to do but end: --help was answered, or the command line turned down, in one line
  // on stderr.
  [[nodiscard]] std::optional<int> parse(int argc, char const* const* argv);

  [[nodiscard]] CLI::App const& app() const { return app_; }

 protected:
  CLI::App app_;

 private:
  // What the parser cannot say by itself, in its words: throws CLI::ParseError.
  virtual void check() {}
};

}  // namespace mpisee_through
