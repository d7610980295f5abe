// Prints the profiler's messages: whole lines on stderr, each written by one system call, so that lines of several
// processes do not mix. Nothing is printed on stdout, nor on stderr once the program has replaced the file that was
// stderr when the profiler was loaded.
#pragma once

#include <climits>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace commprof {

// Prints "commprof: ", the parts and a newline. Control characters, which may come from outside, become '?'. Cuts the
// line off after 4 KiB.
void say(std::initializer_list<std::string_view> parts);

// The process's error stream and working directory when the profiler was loaded, before the program could change them.
// Identifies an open file. A descriptor does not: the program may close it, and the next file it opens gets the same
// number.
struct OpenFileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  // inode number on the device
  std::uint32_t kind = 0;    // 0: the descriptor is not open

  static OpenFileIdentity of(int descriptor);
  bool is_open() const { return kind != 0; }
  friend bool operator==(OpenFileIdentity const&, OpenFileIdentity const&) = default;
};

struct AtLoad {
  OpenFileIdentity error_stream;
  char directory[PATH_MAX] = "";  // empty if the system does not say

  void look();
};

extern constinit AtLoad own_at_load;  // recorded when the object that contains this code is loaded
// A flavour uses the front's, because the front is loaded with the program, a flavour only at the first call of MPI.
inline AtLoad const* at_load = &own_at_load;

}  // namespace commprof
