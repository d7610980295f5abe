// The command of a job, changed so that its ranks, and not its launcher, load the profiler.
#pragma once

#include <memory>
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
  Variables environment;                              // added to that of the launcher
  std::vector<std::string> removed;                   // from it
  std::vector<std::shared_ptr<TemporaryFile>> files;  // that the words name
};

// Nothing that belongs to a program is changed, and what the user preloads stays. Throws std::runtime_error for what
// cannot be handed on: one line.
[[nodiscard]] Command inject(std::vector<std::string> words, FoundLauncher launcher, Injection const& injection,
                             std::string_view help_of_srun = {});

}  // namespace commprof_launcher
