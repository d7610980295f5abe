// The file in which rank 0 of each run of a job leaves the path of its profile: COMMPROF_INDEX.
#pragma once

#include <string>
#include <vector>

namespace commprof_launcher {

class ProfileIndex {
 public:
  // Makes an empty file where the ranks of a job are likely to see it: in the directory where the profiles go if they
  // have one that is known, else in the working directory, else in that of temporary files. output: COMMPROF_OUTPUT, or
  // nothing.
  explicit ProfileIndex(std::string const& output);
  ProfileIndex(ProfileIndex const&) = delete;
  ProfileIndex& operator=(ProfileIndex const&) = delete;
  ~ProfileIndex();

  [[nodiscard]] std::string const& path() const { return path_; }
  // In the order in which they were begun, each once.
  [[nodiscard]] std::vector<std::string> profiles() const;

 private:
  std::string path_;
};

}  // namespace commprof_launcher
