// The file to which rank 0 of each run of a job appends the path of its profile: COMMPROF_INDEX.
#pragma once

#include <string>
#include <vector>

#include "files/command_end.hpp"

namespace commprof_launcher {

class ProfileIndex {
 public:
  // Creates an empty file where the job's ranks probably see it: in the directory of the profiles if it is known, else
  // in the working directory, else in the directory for temporary files. output: COMMPROF_OUTPUT; may be empty.
  explicit ProfileIndex(std::string const& output);
  ProfileIndex(ProfileIndex const&) = delete;
  ProfileIndex& operator=(ProfileIndex const&) = delete;
  ~ProfileIndex();

  [[nodiscard]] std::string const& path() const { return path_; }
  // In the order in which the profiles were begun, each once.
  [[nodiscard]] std::vector<std::string> profiles() const;

 private:
  std::string path_;
};

// Writes the end of the job's command beside the spool files that unfinished profiles have.
void note_end(std::vector<std::string> const& profiles, mpisee_through::CommandEnd const& end);

}  // namespace commprof_launcher
