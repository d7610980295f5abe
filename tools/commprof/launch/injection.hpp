// The command of a job, changed so that its ranks, and not its launcher, load the profiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/flags.hpp"
#include "launch/launchers.hpp"

namespace commprof_launcher {

// What is to be added to the environment of the ranks.
struct Injection {
  std::string preload;  // the whole value of LD_PRELOAD
  Variables variables;  // COMMPROF_…
};

struct Command {
  std::vector<std::string> words;
  Variables environment;             // added to that of the launcher
  std::vector<std::string> removed;  // from it
};

// long_options_with_values: of srun, from options_with_values(). Throws std::runtime_error for what cannot be handed
// on: one line.
[[nodiscard]] Command inject(std::vector<std::string> words, FoundLauncher launcher, Injection const& injection,
                             std::string_view help_of_srun = {});

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
