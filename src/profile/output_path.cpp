#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>

#include "base/process.hpp"
#include "profile/output.hpp"
#include "spool/directories.hpp"

namespace commprof {

namespace {

// The value of the first of these variables that is set and not empty, or nullptr.
char const* first_set(std::initializer_list<char const*> variables) {
  for (char const* const variable : variables) {
    char const* const value = std::getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

// The batch system's number of the job, or the pid of the writing process.
void job_id(RunFacts const& facts, char (&text)[64]) {
  char const* const job =
      first_set({"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID", "FLUX_JOB_ID", "OAR_JOB_ID"});
  if (job != nullptr) std::snprintf(text, sizeof text, "%s", job);
  else std::snprintf(text, sizeof text, "%d", facts.pid);
}

// The index of the task in its job array; 0 if there is none, as in LSF.
void array_task(char (&text)[64]) {
  char const* const task =
      first_set({"SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX", "SGE_TASK_ID"});
  bool const is_none = task == nullptr || std::strcmp(task, "undefined") == 0;  // Grid Engine sets it to this
  std::snprintf(text, sizeof text, "%s", is_none ? "0" : task);
}

// From the environment: the system's list of users may be a network directory, and may need further libraries.
void user_name(char (&text)[64]) {
  char const* const user = first_set({"USER", "LOGNAME"});
  if (user != nullptr) std::snprintf(text, sizeof text, "%s", user);
  else std::snprintf(text, sizeof text, "%u", static_cast<unsigned>(getuid()));
}

void start_date(RunFacts const& facts, char (&text)[64]) {
  tm parts{};
  gmtime_r(&facts.start_time.tv_sec, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
}

class PathBuilder {
 public:
  explicit PathBuilder(char (&path)[PATH_MAX]) : path_(path) { path_[0] = '\0'; }

  void add(char c) {
    if (length_ + 1 < PATH_MAX) path_[length_++] = c;
    else fits_ = false;
    path_[length_] = '\0';
  }
  void add(std::string_view text) {
    for (char const c : text) add(c);
  }
  void add_component(std::string_view text) {
    constexpr std::size_t longest = 100;  // leaves room for the rest of a name: file systems limit names to 255 bytes
    text = text.substr(0, longest);
    if (text.empty() || text == "." || text == "..") text = "_";
    for (char const c : text) {
      bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         std::string_view("._+-").find(c) != std::string_view::npos;
      add(plain ? c : '_');
    }
  }
  bool fits() const { return fits_; }

 private:
  char (&path_)[PATH_MAX];
  std::size_t length_ = 0;
  bool fits_ = true;
};

void add_fact(PathBuilder& builder, char letter, RunFacts const& facts) {
  char text[64] = "";
  switch (letter) {
    case 'x':
      return builder.add_component(CommandLine::program_name());
    case 'h':
      return builder.add_component(facts.host);
    case 'j':
      return job_id(facts, text), builder.add_component(text);
    case 'a':
      return array_task(text), builder.add_component(text);
    case 'u':
      return user_name(text), builder.add_component(text);
    case 'd':
      return start_date(facts, text), builder.add(text);
    case 'p':
      return std::snprintf(text, sizeof text, "%d", facts.pid), builder.add(text);
    case 'n':
      return std::snprintf(text, sizeof text, "%d", facts.ranks), builder.add(text);
    default:
      return builder.add(letter);
  }
}

}  // namespace

bool expand_path(std::string_view pattern, RunFacts const& facts, char (&path)[PATH_MAX]) {
  PathBuilder builder(path);
  if (!pattern.starts_with('/') && facts.start_directory[0] != '\0') {
    builder.add(facts.start_directory);
    builder.add('/');
  }
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size()) add_fact(builder, pattern[++i], facts);
    else builder.add(pattern[i]);
  }
  return builder.fits();
}

OutputPatterns output_patterns(Options const& options) {
  static char in_temporary[PATH_MAX];
  PathBuilder temporary(in_temporary);
  for (char const* text = *spool::node_directories().begin(); *text != '\0'; ++text)
    temporary.add(*text == '%' ? std::string_view("%%") : std::string_view(text, 1));
  temporary.add('/');
  temporary.add(default_output);
  OutputPatterns patterns;
  auto const add = [&](char const* pattern) { patterns.patterns[patterns.count++] = pattern; };
  if (options.output != nullptr) add(options.output);
  if (options.is_output_of_file) return patterns;  // users do not expect a directory in theirs
  add(default_output);
  if (temporary.fits()) add(in_temporary);
  return patterns;
}

bool append_to_path(char (&path)[PATH_MAX], std::string_view addition) {
  std::size_t length = std::strlen(path);
  while (length > 1 && path[length - 1] == '/' && !addition.empty()) --length;
  if (length + addition.size() >= PATH_MAX) return false;
  addition.copy(path + length, addition.size());
  path[length + addition.size()] = '\0';
  return true;
}

}  // namespace commprof
