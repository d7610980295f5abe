#include "launch/profiles.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "launch/job.hpp"
#include "launch/launchers.hpp"

namespace commprof_launcher {

namespace fs = std::filesystem;

namespace {

// The directory that certainly contains the path: the part before the last component, and before the first component
// with a % in it.
std::string known_parent(std::string const& output) {
  std::string const known = output.substr(0, output.find('%'));
  std::size_t const slash = known.rfind('/');
  return slash == known.npos ? "." : slash == 0 ? "/" : known.substr(0, slash);
}

bool is_there(std::string const& profile) {
  std::error_code error;
  return fs::is_directory(profile, error);
}

// Sends our output to stderr unless stdout is a terminal: the job's output in a file or pipe must not contain ours.
void lead_output_to_terminal() {
  if (isatty(STDOUT_FILENO) == 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool has_one_rank(std::string const& profile) {
  std::ifstream file(fs::path(profile) / "run.json");
  auto const run = nlohmann::json::parse(file, nullptr, false);
  return run.is_object() && run.value("ranks", nlohmann::json()) == 1;
}

}  // namespace

ProfileIndex::ProfileIndex(std::string const& output) {
  std::error_code error;
  for (fs::path const& directory : {fs::path(known_parent(output)), fs::path("."), fs::temp_directory_path(error),
                                    fs::path("/tmp"), fs::path("/var/tmp"), fs::path("/dev/shm")}) {
    std::string name = (fs::absolute(directory, error) / ".commprof-index-XXXXXX").lexically_normal().string();
    int const file = mkstemp(name.data());
    if (file < 0) continue;
    close(file);
    path_ = name;
    return;
  }
  throw std::runtime_error("cannot make a file in the working directory, nor one in that of temporary files");
}

ProfileIndex::~ProfileIndex() { unlink(path_.c_str()); }

std::vector<std::string> ProfileIndex::profiles() const {
  std::ifstream file(path_);
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);)
    if (std::ranges::find(found, line) == found.end()) found.push_back(line);
  return found;
}

void note_end(std::vector<std::string> const& profiles, mpisee_through::CommandEnd const& end) {
  std::error_code error;
  for (fs::path const profile : profiles)
    if (fs::is_directory(profile / "spool", error)) mpisee_through::write_command_end(profile / "spool", end);
}

bool are_separate_jobs(std::vector<std::string> const& profiles) {
  return profiles.size() > 1 && std::ranges::all_of(profiles, has_one_rank);
}

void tell_of_separate_jobs(std::vector<std::string> const& profiles, std::string const& launcher) {
  fmt::print(stderr,
             "commprof: {} processes under {} were jobs of their own: does it belong to another MPI than the program? "
             "\"commprof doctor COMMAND\" says. Each has a profile, such as {}\n",
             profiles.size(), launcher, profiles.front());
}

void ShownProfiles::show(std::vector<std::string> const& paths) const {
  lead_output_to_terminal();
  std::size_t count = 0;
  for (std::string const& profile : paths) {
    if (!is_there(profile)) continue;  // moved to another place at the end, or on another host
    ++count;
    show(profile);
  }
  if (count > 0) return;
  if (!paths.empty()) fmt::print(stderr, "commprof: the profile is on the host of rank 0: {}\n", paths.back());
  else
    fmt::print(
        stderr,
        "commprof: there is no profile; if no line above says why, \"commprof doctor COMMAND\" says what it sees of "
        "the program\n");
}

void ShownProfiles::show(std::string const& profile) const {
  if (!is_quiet_) {
    fmt::print("\n");
    fflush(stdout);
    if (run_and_wait({reader_, profile}) == 0) fmt::print("\nProfile: {}\n", profile);
  }
  if (wants_report_) report(profile);
  fflush(stdout);
}

void ShownProfiles::report(std::string const& profile) const {
  std::string const page = profile + ".html";
  fflush(stdout);
  if (run_and_wait({reader_, "report", profile, "-o", page}) != 0) return;
  if (!is_quiet_) fmt::print("Page: {}\n", page);
  fflush(stdout);
  if (!opens_report_) return;
  if (find_executable("xdg-open").empty()) fmt::print(stderr, "commprof: there is no xdg-open to open {}\n", page);
  else static_cast<void>(run_and_wait({"xdg-open", page}));
}

}  // namespace commprof_launcher
