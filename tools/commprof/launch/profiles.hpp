// The profiles of a job: found while it runs, and shown once it has ended.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "files/command_end.hpp"

namespace commprof_launcher {

// The file to which rank 0 of each run of a job appends the path of its profile: COMMPROF_INDEX.
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

// Whether each of several processes that a launcher started was a job of its own, as when launcher and program belong
// to different MPIs. The page of one of them would mislead.
[[nodiscard]] bool are_separate_jobs(std::vector<std::string> const& profiles);
void tell_of_separate_jobs(std::vector<std::string> const& profiles, std::string const& launcher);

class ShownProfiles {
 public:
  ShownProfiles(std::string reader, bool is_quiet, bool wants_report, bool opens_report)
      : reader_(std::move(reader)), is_quiet_(is_quiet), wants_report_(wants_report), opens_report_(opens_report) {}

  void show(std::vector<std::string> const& paths) const;

 private:
  void show(std::string const& profile) const;
  void report(std::string const& profile) const;

  std::string reader_;
  bool is_quiet_, wants_report_, opens_report_;
};

}  // namespace commprof_launcher
