// What is said of the profiles of a job once it has ended.
#pragma once

#include <string>
#include <vector>

namespace commprof_launcher {

// Says so if each of several processes that a launcher started was a job of its own, as when it belongs to another MPI
// than the program.
void tell_of_separate_jobs(std::vector<std::string> const& profiles, std::string const& launcher);

class ShownProfiles {
 public:
  ShownProfiles(std::string reader, bool is_quiet, bool wants_report, bool opens_report)
      : reader_(std::move(reader)), is_quiet_(is_quiet), wants_report_(wants_report), opens_report_(opens_report) {}

  // profiles: their paths. command: of the job, to be named if there are none.
  void show(std::vector<std::string> const& profiles, std::vector<std::string> const& command) const;

 private:
  void show(std::string const& profile) const;
  void report(std::string const& profile) const;

  std::string reader_;
  bool is_quiet_, wants_report_, opens_report_;
};

}  // namespace commprof_launcher
