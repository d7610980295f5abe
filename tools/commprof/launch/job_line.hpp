// Parses a launcher's command line: the launcher, its options, a program, the program's arguments. In a job of several
// programs, options, program and arguments repeat after each separator. Words of a program are never changed.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launchers.hpp"

namespace commprof_launcher {

using Words = std::vector<std::string>;

struct ProgramLine {
  std::vector<Words> options;  // each option with its values
  Words program;               // program and arguments
};

struct JobLine {
  Words launcher;  // with preceding words, such as timeout 60, and its own command, as in flux run
  std::vector<ProgramLine> programs;

  [[nodiscard]] Words words() const;
};

// Returns the number of words that the option at the front takes, including itself; 0 if the option is unknown.
using WordsOfOption = std::function<std::size_t(std::span<std::string const> words)>;
[[nodiscard]] WordsOfOption words_of_option(Launcher kind, std::string_view help_of_srun);

// An unknown option also takes the next word, unless that is the name of an executable.
[[nodiscard]] JobLine parse_job_line(Words const& words, FoundLauncher launcher, WordsOfOption const& words_of);

// The name of an option, without dashes and without =VALUE.
[[nodiscard]] std::string_view option_name(std::string_view word);

// Finds out from a program's --help which options, --long or -s, take a value in the next word.
class OptionsWithValues {
 public:
  explicit OptionsWithValues(std::string_view help);
  // The number of words that the option at the front takes, including itself.
  [[nodiscard]] std::size_t words_of(std::string_view option) const;

 private:
  std::string letters_;
  std::vector<std::string> names_;
};

}  // namespace commprof_launcher
