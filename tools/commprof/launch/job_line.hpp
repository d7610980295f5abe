// A launcher's command line: the launcher, its options, a program, the program's arguments; and for a job of several
// programs, options, program and arguments again behind each separator. What belongs to a program is never changed.
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
  std::vector<Words> options;  // each with its values
  Words program;               // and its arguments
};

struct JobLine {
  Words launcher;  // with the words in front of it, such as timeout 60, and its own command, as in flux run
  std::vector<ProgramLine> programs;

  [[nodiscard]] Words words() const;
};

// The number of words that the option at the front takes, itself included; 0 if it is not known.
using WordsOfOption = std::function<std::size_t(std::span<std::string const> words)>;
[[nodiscard]] WordsOfOption words_of_option(Launcher kind, std::string_view help_of_srun);

// An option that is not known takes the next word, too, if nothing can be run by that name.
[[nodiscard]] JobLine parse_job_line(Words const& words, FoundLauncher launcher, WordsOfOption const& words_of);

// The name of an option without dashes, and without =VALUE.
[[nodiscard]] std::string_view option_name(std::string_view word);

// Whether an option, --long or -s, takes a value in the next word, by what the program's --help prints of it.
class OptionsWithValues {
 public:
  explicit OptionsWithValues(std::string_view help);
  // The number of words that the option at the front takes, itself included.
  [[nodiscard]] std::size_t words_of(std::string_view option) const;

 private:
  std::string letters_;
  std::vector<std::string> names_;
};

}  // namespace commprof_launcher
