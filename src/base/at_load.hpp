// What the process had when the profiler was loaded, before the program could change it: an error stream and a
// directory.
#pragma once

#include <climits>
#include <cstdint>

namespace commprof {

// Recognises an open file by what it is. A descriptor alone does not: the program may close it, and the next file that
// it opens gets the same number.
struct OpenFileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;  // of the file on the device
  std::uint32_t kind = 0;    // 0: the descriptor is not open

  static OpenFileIdentity of(int descriptor);
  bool is_open() const { return kind != 0; }
  friend bool operator==(OpenFileIdentity const&, OpenFileIdentity const&) = default;
};

struct AtLoad {
  OpenFileIdentity error_stream;
  char directory[PATH_MAX] = "";  // empty if the system does not tell

  void look();
};

extern constinit AtLoad own_at_load;  // of the object that holds this code: it looks when it is loaded
// The front is loaded with the program, a flavour by the first call of MPI. So a flavour takes that of the front.
inline AtLoad const* at_load = &own_at_load;

}  // namespace commprof
