// Changes the command of a job so that its ranks, but not its launcher, load the profiler.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launch/flags.hpp"
#include "launch/launchers.hpp"

namespace commprof_launcher {

// Additions to the environment of the ranks.
struct Injection {
  std::string preload;  // the whole value of LD_PRELOAD
  Variables variables;  // COMMPROF_…
};

// A file that a launcher reads while its command runs.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string const& text);
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;
  ~TemporaryFile();

  [[nodiscard]] std::string const& path() const { return path_; }
  void keep() { is_kept_ = true; }

 private:
  std::string path_;
  bool is_kept_ = false;
};

struct Command {
  std::vector<std::string> words;
  Variables environment;                              // variables to add to the launcher's environment
  std::vector<std::string> removed;                   // variables to remove from it
  std::vector<std::shared_ptr<TemporaryFile>> files;  // temporary files that the words name
};

// Does not change words that belong to a program, and keeps what the user preloads. Throws std::runtime_error with a
// one-line message if the variables cannot be passed on.
[[nodiscard]] Command inject(std::vector<std::string> words, FoundLauncher launcher, Injection const& injection,
                             std::string_view help_of_srun = {});

}  // namespace commprof_launcher
