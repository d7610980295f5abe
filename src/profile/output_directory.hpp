// The directory of a profile. One process makes it and its files under another name, and renames it in the end, so a
// profile is whole or absent; an existing directory is never touched. Other processes may write parts of the files.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace commprof {

// Makes a directory, parents included, that nobody else has: the one wanted, or with -2, -3 … added where that exists.
// path: the one that was made; on failure, what could not be made, and errno says why.
bool claim_directory(char const* wanted, char (&path)[PATH_MAX]);

// Makes the directories above a path, where they are missing. parent: on failure, what could not be made, and errno
// says why.
bool make_parents(char const* path, char (&parent)[PATH_MAX]);

class OutputDirectory {
 public:
  static constexpr std::size_t max_files = 16;
  static constexpr char aside[] = ".writing-";  // and a number, in the directory or behind its path

  ~OutputDirectory() { discard(); }

  // Makes the directory that is written to, parents included. False on failure; see problem(). is_claimed: the path is
  // that of a directory from claim_directory(), which the files go into if it is still there.
  bool open(char const* path, bool is_claimed = false);

  // A new file in the directory: an index for append(). A failure shows at publish().
  std::size_t add_file(std::string_view name);
  // Takes what follows in a file; from the beginning on, or from where continue_at() says.
  void append(std::size_t file, char const* text, std::size_t length);
  void continue_at(std::size_t file, std::uint64_t offset);

  // For other processes: puts a token into the directory, for join() to find.
  void mark(std::uint64_t token);
  char const* path_aside() const { return aside_; }
  // Whether the file system keeps what several hosts write into one file. NFS and SMB write whole pages.
  bool may_be_shared() const;

  // Closes the files and gives the directory its name: the one wanted, or with -2, -3 … added where that exists.
  // False if anything since open() failed.
  bool publish();

  // Removes what was written and not published.
  void discard();

  // On another process: opens a directory that mark() has marked, by its path_aside(). wanted: the path for problem().
  // False if this process sees another directory there, or none. From then on add_file() opens files that are there.
  bool join(char const* path_aside, char const* wanted, std::uint64_t token);
  bool is_joined() const { return is_joined_; }
  // Writes what was appended. False if anything since join() failed.
  bool leave() { return close_files(); }

  char const* path() const { return path_; }  // as published
  bool has_failed() const { return failed_; }
  char const* problem() const { return problem_; }  // "PATH: REASON"

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{128} * 1024;

  struct OpenFile {
    char name[32];
    int descriptor;
    std::uint64_t offset;  // of what is not written yet
    char* buffer;          // nullptr without memory, and before the first append()
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
  char aside_[PATH_MAX] = "";  // empty: there is none
  OpenFile files_[max_files] = {};
  std::size_t file_count_ = 0;
  bool is_joined_ = false;
  bool is_marked_ = false;
  bool is_claimed_ = false;
  bool failed_ = false;
  char problem_[PATH_MAX + 128] = "";
};

}  // namespace commprof
