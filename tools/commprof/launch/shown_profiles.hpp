// Prints about a job's profiles once the job has ended.
#pragma once

#include <string>
#include <vector>

namespace commprof_launcher {

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
