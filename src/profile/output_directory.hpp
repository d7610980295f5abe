// The directory of a profile, on the one process that writes it: written aside under another name, then renamed, so
// that a profile is whole or absent; an existing directory is never touched.
#pragma once

#include <climits>
#include <cstddef>
#include <string_view>

#include "base/run_facts.hpp"

namespace commprof {

// Expands %x program, %j job, %p pid, %h host, %n ranks, %% in a path, and makes it absolute from the directory where
// the program was started. What is expanded stays one component of the path: other characters than letters, digits and
// ._+- become _. False if the result does not fit into PATH_MAX.
bool expand_path(std::string_view pattern, RunFacts const& facts, char (&path)[PATH_MAX]);

// Adds to the last component of a path. False if that does not fit.
bool append_to_path(char (&path)[PATH_MAX], std::string_view addition);

// Makes a directory, parents included, that nobody else has: the one wanted, or with -2, -3 … added where that exists.
// path: the one that was made; on failure, what could not be made, and errno says why.
bool claim_directory(char const* wanted, char (&path)[PATH_MAX]);

// Makes the directories above a path, where they are missing. parent: on failure, what could not be made, and errno
// says why.
bool make_parents(char const* path, char (&parent)[PATH_MAX]);

class OutputDirectory {
 public:
  static constexpr std::size_t max_files = 16;

  ~OutputDirectory() { discard(); }

  // Makes the directory that is written to, parents included. False on failure; see problem(). is_claimed: the path is
  // that of a directory from claim_directory(), which the files go into if it is still there.
  bool open(char const* path, bool is_claimed = false);

  // A new file in the directory: an index for append(). A failure shows at publish().
  std::size_t add_file(std::string_view name);
  void append(std::size_t file, char const* text, std::size_t length);

  // Closes the files and gives the directory its name: the one wanted, or with -2, -3 … added where that exists.
  // False if anything since open() failed.
  bool publish();

  // Removes what was written and not published.
  void discard();

  char const* path() const { return path_; }        // as published
  char const* problem() const { return problem_; }  // "PATH: REASON"

 private:
  bool fail(char const* path, int error);
  void fail_file(std::size_t file, int error);
  bool close_files();
  bool publish_as_new();
  bool publish_in_claimed();

  char wanted_[PATH_MAX] = "";
  char path_[PATH_MAX] = "";
  char aside_[PATH_MAX] = "";  // empty: there is none
  char names_[max_files][32] = {};
  int files_[max_files] = {};
  std::size_t file_count_ = 0;
  bool is_claimed_ = false;
  bool failed_ = false;
  char problem_[PATH_MAX + 128] = "";
};

}  // namespace commprof
