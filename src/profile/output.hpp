// Where a profile goes: the patterns of its path, the path, and the directory with its files.
#pragma once

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/process.hpp"
#include "options/options.hpp"

namespace commprof {

// Where a profile goes: patterns for expand_path(), in the order in which they are tried.
struct OutputPatterns {
  static constexpr std::size_t most = 3;

  std::array<char const*, most> patterns{};
  std::size_t count = 0;

  char const* const* begin() const { return patterns.data(); }
  char const* const* end() const { return patterns.data() + count; }
};

// The user's pattern, the default one in the start directory, and that in $TMPDIR or /tmp.
OutputPatterns output_patterns(Options const& options);

// Makes the path of a profile's directory from the user's pattern. options.hpp lists the letters.

// Expands %x program, %j job, %a task of a job array, %u user, %d date, %p pid, %h host, %n ranks, %%, and makes the
// path absolute from the directory where the program was started. An expanded text stays one component of the path:
// characters other than letters, digits and ._+- become _. False if the result does not fit into PATH_MAX.
bool expand_path(std::string_view pattern, RunFacts const& facts, char (&path)[PATH_MAX]);

// Appends to the last component of the path. False if the result does not fit.
bool append_to_path(char (&path)[PATH_MAX], std::string_view addition);

// The directory of a profile. One process creates the directory and its files under a temporary name and renames it at
// the end, so a profile is complete or absent. An existing directory is never changed. Other processes may write parts
// of the files.

// Creates a new directory and its parents: `wanted`, or with -2, -3 … appended if that exists. path: the directory
// created; on failure, the path that could not be created, and errno is set.
bool claim_directory(char const* wanted, char (&path)[PATH_MAX]);

// Creates the missing parents of a path. parent: on failure, the path that could not be created; errno is set.
bool make_parents(char const* path, char (&parent)[PATH_MAX]);

class OutputDirectory {
 public:
  static constexpr std::size_t max_files = 16;
  static constexpr char aside[] = ".writing-";  // followed by a number; in the directory or appended to its path

  ~OutputDirectory() { discard(); }

  // Creates the temporary directory and its parents. False on failure; see problem(). is_claimed: `path` comes from
  // claim_directory(); the files go into it if it still exists.
  bool open(char const* path, bool is_claimed = false);

  // Adds a new file to the directory. Returns an index for append(). publish() reports a failure.
  std::size_t add_file(std::string_view name);
  // Appends text to a file, from its beginning or from the offset of continue_at().
  void append(std::size_t file, char const* text, std::size_t length);
  void continue_at(std::size_t file, std::uint64_t offset);

  // For join() on other processes: puts a token into the directory.
  void mark(std::uint64_t token);
  char const* path_aside() const { return aside_; }
  // Whether the file system keeps what several hosts write into one file. NFS and SMB do not: they write whole pages.
  bool may_be_shared() const;

  // Closes the files and renames the directory to `wanted`, or with -2, -3 … appended if that exists. False if any
  // operation since open() failed.
  bool publish();

  // Deletes the files that are not published.
  void discard();

  // On another process: opens the directory that mark() has marked, by its path_aside(). wanted: the path for
  // problem(). False if this process finds another directory, or none, under that path. add_file() then opens existing
  // files.
  bool join(char const* path_aside, char const* wanted, std::uint64_t token);
  bool is_joined() const { return is_joined_; }
  // Writes the buffered text. False if any operation since join() failed.
  bool leave() { return close_files(); }

  char const* path() const { return path_; }  // path after publish()
  bool has_failed() const { return failed_; }
  char const* problem() const { return problem_; }  // "PATH: REASON"

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{128} * 1024;

  struct OpenFile {
    char name[32];
    int descriptor;
    std::uint64_t offset;  // in the file, of the first byte not yet written
    char* buffer;          // nullptr before the first append(), and for lack of memory
    std::size_t in_buffer;
  };

  bool make_aside(char const* format);
  bool fail(char const* path, int error);
  void fail_file(std::size_t file, int error);
  void path_of(std::size_t file, char (&path)[PATH_MAX + 40]) const;
  void write_buffer(OpenFile& file);
  void write_at_once(OpenFile& file, char const* text, std::size_t length);
  bool close_files();
  void unmark();
  bool publish_as_new();
  bool publish_in_claimed();

  char wanted_[PATH_MAX] = "";
  char path_[PATH_MAX] = "";
  char aside_[PATH_MAX] = "";  // empty if there is none
  OpenFile files_[max_files] = {};
  std::size_t file_count_ = 0;
  bool is_joined_ = false;
  bool is_marked_ = false;
  bool is_claimed_ = false;
  bool failed_ = false;
  char problem_[PATH_MAX + 128] = "";
};

}  // namespace commprof
