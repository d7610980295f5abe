// A command: its options, and what it answers. --help and the manual page are made of the options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mpisee_through {

// Exit codes: 0 for an answer; 1 for a profile or a selection without one; 2 for an invalid command line; 3 for runs
// that are slower than compare --fail-above allows.
inline constexpr int exit_no_answer = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_slower = 3;

class Command {
 public:
  Command(std::string const& name, std::string const& description, std::string const& footer = "");
  Command(Command const&) = delete;
  Command& operator=(Command const&) = delete;
  virtual ~Command() = default;

  // Parses the command line, whose first word is the command's name, and answers. Returns the exit code: that of
  // answer(), or of a command line that asks for --help or is refused with one line on stderr.
  [[nodiscard]] int run(int argc, char const* const* argv);

  [[nodiscard]] bool has_option(std::string const& name) const { return app_.get_option_no_throw(name) != nullptr; }

 protected:
  [[nodiscard]] bool given(std::string const& option) const { return app_.count(option) > 0; }

  CLI::App app_;

 private:
  // Further checks of the command line: throws CLI::ParseError, in the parser's words.
  virtual void check() {}
  [[nodiscard]] virtual int answer() = 0;
};

}  // namespace mpisee_through
