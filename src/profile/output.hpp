// Where a profile goes: the patterns of its path, the path, and the directory with its files.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/process.hpp"
#include "options/options.hpp"
#include "profile/schema.hpp"
#include "profile/text_writer.hpp"

namespace commprof {

// Where a profile goes: patterns for expand_path(), in the order in which they are tried. They are the user's pattern,
// the default one in the start directory, and that in $TMPDIR or /tmp.
using OutputPatterns = std::span<char const* const>;
inline constexpr std::size_t most_output_patterns = 3;
OutputPatterns output_patterns(Options const& options);

// Makes the path of a profile's directory from the user's pattern. options.hpp lists the letters.

// Expands %x program, %j job, %a task of a job array, %u user, %d date, %p pid, %h host, %n ranks, %%, and makes the
// path absolute from the directory where the program was started. An expanded text stays one component of the path:
// characters other than letters, digits and ._+- become _. False if the result does not fit into PATH_MAX.
bool expand_path(std::string_view pattern, RunFacts const& facts, char (&path)[PATH_MAX]);

// Appends to the last component of the path. False if the result does not fit.
bool append_to_path(char (&path)[PATH_MAX], std::string_view addition);

// The directory of a profile. One process creates it, writes its files under a temporary name in it, and moves them to
// their places at the end, run.json last: a profile is complete once that is there. An existing directory is never
// changed. Other processes may write parts of the files.

// Creates a new directory and its parents: `wanted`, or with -2, -3 … appended if that exists. path: the directory
// created; on failure, the path that could not be created, and errno is set.
bool claim_directory(char const* wanted, char (&path)[PATH_MAX]);

class OutputDirectory {
 public:
  static constexpr char aside[] = ".writing-";  // in the directory; numbers follow

  ~OutputDirectory() { discard(); }

  // Creates the directory, and the temporary one in it. False on failure; see problem(). is_claimed: `path` comes from
  // claim_directory(); it is used if it still exists.
  bool open(char const* path, bool is_claimed = false);

  // Adds the files of a profile that are new: with header lines if this process opened the directory, without if it
  // joined it. publish() reports a failure.
  void add_files(bool is_of_sums);
  // Appends a part of the rows of a file; a part may end in the middle of a row. The first part begins where
  // continue_at() says: this many bytes after the header.
  void take(File file, std::string_view text) { append(static_cast<std::size_t>(file), text); }
  void continue_at(File file, std::uint64_t offset);
  // Writes run.json: calls write(out), where out accepts the text.
  template <class Write>
  void write_run_file(Write&& write) {
    add_file(run_file);
    auto const put = [](void* self, char const* text, std::size_t length) {
      static_cast<OutputDirectory*>(self)->append(run_file, {text, length});
    };
    char buffer[1024];
    TextWriter out(buffer, sizeof buffer, put, this);
    write(out);
  }

  char const* path_aside() const { return aside_; }  // differs from that of any other attempt
  // Whether the file system keeps what several hosts write into one file. NFS and SMB do not: they write whole pages.
  bool may_be_shared() const;

  // Closes the files and moves them to their places. False if any operation since open() failed.
  bool publish();

  // Deletes the files that are not published, and the directory if it is empty.
  void discard();

  // On another process: opens the directory by its path_aside(). False if this process does not see it. Existing files
  // are then opened.
  bool join(char const* path_aside);
  // False if any operation since join() failed.
  bool leave() { return close_files(); }

  char const* path() const { return path_; }
  bool has_failed() const { return failed_; }
  char const* problem() const { return problem_; }  // "PATH: REASON"
  int error() const { return error_; }              // its number

 private:
  // run.json describes the profile, so it is the last file.
  static constexpr std::size_t run_file = schema::tables.size();

  struct OpenFile {
    bool is_added = false;
    int descriptor = -1;
    std::uint64_t offset = 0;  // in the file, of the next byte
  };

  void add_file(std::size_t file);
  void append(std::size_t file, std::string_view text);

  bool fail(char const* path, int error);
  void fail_file(std::size_t file, int error);
  void path_of(char const* directory, std::size_t file, char (&path)[PATH_MAX + 40]) const;
  void forget_files();
  bool close_files();

  char path_[PATH_MAX] = "";
  char aside_[PATH_MAX] = "";  // empty if there is none
  OpenFile files_[run_file + 1] = {};
  bool is_joined_ = false;
  bool failed_ = false;
  int error_ = 0;
  char problem_[PATH_MAX + 128] = "";
};

}  // namespace commprof
