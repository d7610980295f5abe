// The release of the MPI library, for differences between releases that one flavour serves.
#pragma once

#include <cstdlib>
#include <cstring>

#include "mpi/mpi.hpp"

namespace commprof {

struct OpenMpiVersion {
  int major = 0;  // 0: another MPI
  int minor = 0;
  int release = 0;
  bool is_final = true;  // false: a release candidate or a snapshot

  // Not inlined: its text, of 8 KiB with MPICH, would be in the frame of the caller.
  [[gnu::noinline]] static OpenMpiVersion of_process() {
    OpenMpiVersion found;
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    PMPI_Get_library_version(text, &length);
    constexpr char before_number[] = "Open MPI v";
    constexpr std::size_t start = sizeof before_number - 1;
    if (std::strncmp(text, before_number, start) != 0) return found;
    char* end = text + start;
    found.major = static_cast<int>(std::strtol(end, &end, 10));
    if (*end == '.') found.minor = static_cast<int>(std::strtol(end + 1, &end, 10));
    if (*end == '.') found.release = static_cast<int>(std::strtol(end + 1, &end, 10));
    found.is_final = *end == ',' || *end == '\0';
    return found;
  }

  // MPI_Testall of 5.0.10, and of the versions that led to 6.0.0, masks errors and reports success as an error if it
  // gets real statuses (open-mpi/ompi#13967).
  bool has_faulty_testall() const {
    return major == 5 ? minor == 0 && release == 10 : major == 6 && minor == 0 && release == 0 && !is_final;
  }
};

// Whether the MPI is Open MPI or derives from it. A flavour for one family knows; the standard ABI's asks.
inline bool is_open_mpi() {
#if defined(COMMPROF_STANDARD_ABI)
  static bool const is = OpenMpiVersion::of_process().major != 0;
  return is;
#elif defined(OPEN_MPI)
  return true;
#else
  return false;
#endif
}

// Set once, as soon as MPI can be used.
inline bool testall_is_faulty = false;

}  // namespace commprof
