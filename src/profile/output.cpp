#include "profile/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
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
  static std::array<char const*, most_output_patterns> patterns;
  PathBuilder temporary(in_temporary);
  for (char const* text = *spool::node_directories().begin(); *text != '\0'; ++text)
    temporary.add(*text == '%' ? std::string_view("%%") : std::string_view(text, 1));
  temporary.add('/');
  temporary.add(default_output);
  std::size_t count = 0;
  if (options.output != nullptr) patterns[count++] = options.output;
  patterns[count++] = default_output;
  if (temporary.fits()) patterns[count++] = in_temporary;
  return {patterns.data(), count};
}

bool append_to_path(char (&path)[PATH_MAX], std::string_view addition) {
  std::size_t length = std::strlen(path);
  while (length > 1 && path[length - 1] == '/' && !addition.empty()) --length;
  if (length + addition.size() >= PATH_MAX) return false;
  addition.copy(path + length, addition.size());
  path[length + addition.size()] = '\0';
  return true;
}

bool claim_directory(char const* wanted, char (&path)[PATH_MAX]) {
  std::size_t length = std::strlen(wanted);
  while (length > 1 && wanted[length - 1] == '/') --length;
  char stripped[PATH_MAX];
  std::snprintf(stripped, sizeof stripped, "%.*s", static_cast<int>(length), wanted);
  if (!make_parents(stripped, path, 0777)) return false;
  for (int number = 1; number < 100'000; ++number) {
    char const* const format = number == 1 ? "%s" : "%s-%d";
    if (std::snprintf(path, sizeof path, format, stripped, number) >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return false;
    }
    // mkdir() claims the name atomically on every file system.
    if (mkdir(path, 0777) == 0) return true;
    if (errno != EEXIST) return false;
  }
  return false;
}

bool OutputDirectory::fail(char const* path, int error) {
  if (!failed_) std::snprintf(problem_, sizeof problem_, "%s: %s", path, std::strerror(error_ = error));
  failed_ = true;
  return false;
}

// Names the file by its path in the end, not by the temporary one.
void OutputDirectory::fail_file(std::size_t file, int error) {
  char path[PATH_MAX + 40];
  path_of(path_, file, path);
  fail(path, error);
}

void OutputDirectory::path_of(char const* directory, std::size_t file, char (&path)[PATH_MAX + 40]) const {
  std::string_view const name = file == run_file ? schema::run_file : schema::tables[file].name;
  std::snprintf(path, sizeof path, "%s/%.*s", directory, static_cast<int>(name.size()), name.data());
}

void OutputDirectory::forget_files() {
  for (OpenFile& file : files_) file = {};
}

bool OutputDirectory::open(char const* path, bool is_claimed) {
  failed_ = is_joined_ = false;
  forget_files();
  std::snprintf(path_, sizeof path_, "%s", path);
  bool const is_there = is_claimed && (access(path, F_OK) == 0 || errno != ENOENT);
  if (!is_there && !claim_directory(path, path_)) return fail(path_, errno);
  int const length = std::snprintf(aside_, sizeof aside_, "%s/%s%d-%" PRIx64, path_, aside, static_cast<int>(getpid()),
                                   clock::now().count);
  bool const fits = length < PATH_MAX;
  if (fits && mkdir(aside_, 0777) == 0) return true;
  aside_[0] = '\0';
  if (!fits) errno = ENAMETOOLONG;
  fail(path_, errno);
  rmdir(path_);  // only an empty one
  return false;
}

void OutputDirectory::add_file(std::size_t file) {
  files_[file] = {.is_added = true};
  if (is_joined_) return;  // opened at the first write
  char path[PATH_MAX + 40];
  path_of(aside_, file, path);
  files_[file].descriptor = open_regular(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (files_[file].descriptor < 0) fail_file(file, errno);
}

void OutputDirectory::add_files(bool is_of_sums) {
  for (std::size_t i = 0; i < schema::tables.size(); ++i) {
    if (!is_in_profile(static_cast<File>(i), is_of_sums) || files_[i].is_added) continue;
    add_file(i);
    if (is_joined_) continue;
    append(i, schema::tables[i].header);
    append(i, "\n");
  }
}

void OutputDirectory::continue_at(File file, std::uint64_t offset) {
  auto const i = static_cast<std::size_t>(file);
  files_[i].offset = schema::tables[i].header.size() + 1 + offset;
}

namespace {

// However little one call writes. False, with errno, if one fails.
bool write_all(int file, char const* text, std::size_t length, std::uint64_t offset) {
  while (length > 0) {
    ssize_t const n = pwrite(file, text, length, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = EIO;
    if (n <= 0) return false;
    text += n;
    length -= static_cast<std::size_t>(n);
    offset += static_cast<std::uint64_t>(n);
  }
  return true;
}

}  // namespace

void OutputDirectory::append(std::size_t index, std::string_view text) {
  OpenFile& file = files_[index];
  if (file.descriptor < 0 && !failed_) {
    char path[PATH_MAX + 40];
    path_of(aside_, index, path);
    file.descriptor = open_regular(path, O_WRONLY);
    if (file.descriptor < 0) fail_file(index, errno);
  }
  if (failed_) return;
  HeldSignals const held;
  if (!write_all(file.descriptor, text.data(), text.size(), file.offset)) return fail_file(index, errno);
  file.offset += text.size();
}

bool OutputDirectory::close_files() {
  for (std::size_t i = 0; i <= run_file; ++i) {
    int const descriptor = std::exchange(files_[i].descriptor, -1);
    if (descriptor >= 0 && close(descriptor) != 0) fail_file(i, errno);
  }
  return !failed_;
}

bool OutputDirectory::may_be_shared() const {
  struct statfs status {};
  return statfs(aside_, &status) == 0 && spool::keeps_parts(static_cast<std::uint32_t>(status.f_type));
}

bool OutputDirectory::join(char const* path_aside) {
  failed_ = false;
  is_joined_ = true;
  forget_files();
  std::snprintf(aside_, sizeof aside_, "%s", path_aside);
  std::snprintf(path_, sizeof path_, "%.*s", static_cast<int>(std::string_view(aside_).rfind('/')), aside_);
  return static_cast<bool>(Descriptor(::open(aside_, O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
}

// Renames file by file. run.json comes last: once it exists, the profile is complete.
bool OutputDirectory::publish() {
  if (!close_files()) return false;
  char from[PATH_MAX + 40], to[PATH_MAX + 40];
  auto const name = [&](std::size_t file) {
    path_of(aside_, file, from);
    path_of(path_, file, to);
  };
  for (std::size_t i = 0; i <= run_file; ++i) {
    if (!files_[i].is_added) continue;
    name(i);
    if (rename(from, to) == 0) continue;
    return fail(to, errno);
  }
  rmdir(aside_);
  aside_[0] = '\0';
  return true;
}

void OutputDirectory::discard() {
  if (aside_[0] == '\0') return;
  close_files();
  if (!is_joined_) {
    char path[PATH_MAX + 40];
    for (std::size_t i = 0; i <= run_file; ++i) {
      path_of(aside_, i, path);
      if (files_[i].is_added) unlink(path);
    }
    rmdir(aside_);
    rmdir(path_);  // only an empty one
  }
  aside_[0] = '\0';
}

}  // namespace commprof
