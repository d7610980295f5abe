// The layout of a spool file, for its writer and its readers: a sequence of segments, each on pages of its own: a
// SegmentHead, then the profiler's own records. A segment never moves. A reader finds it by the magic number at the
// beginning of a page, and so continues after a damaged one. The first segment holds the SpoolHead, which has the page
// size. After the last one there may be free room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "ops.hpp"

namespace commprof::spool {

// The largest page size of this architecture, so that its files have one layout on all systems. For a file of another
// architecture, a reader uses the page size in its head.
#if defined(__x86_64__)
inline constexpr std::size_t page_bytes = 4096;
#else
inline constexpr std::size_t page_bytes = 65536;
#endif
inline constexpr std::uint64_t segment_magic = 0x0A4C4F4F'5053'5043ULL;

// Increment it with every change of the segments' contents. Changes of the call table change SpoolHead::operations
// instead.
inline constexpr std::uint32_t layout_version = 26;

struct alignas(64) SegmentHead {
  std::uint64_t magic = 0;  // stored last
  Part part;
  std::uint32_t offset = 0;  // distance of the contents from the head
  std::uint64_t bytes = 0;   // of the contents
};
static_assert(sizeof(SegmentHead) == 64);

// The process that writes the file.
struct Owner {
  std::uint64_t run = 0;  // identifies the run
  std::int32_t rank = 0;
  std::int32_t ranks = 0;
  std::int32_t pid = 0;
  std::uint32_t reads_tsc = 0;
  timespec start_time{};  // of day
  Ticks start;
  // The values of MPI_ANY_SOURCE, MPI_PROC_NULL and MPI_ROOT in its MPI, for the ranks in CurrentCall.
  std::int32_t any_source = 0;
  std::int32_t proc_null = 0;
  std::int32_t root = 0;
  char host[256] = "";
};

// The call of MPI_Abort, if there was one.
struct Abort {
  Ticks at{};  // 0: there was none
  std::int32_t code = 0;

  // Keeps the first call: one binding may call another one's function.
  void note(Ticks now, std::int32_t given) {
    if (at != Ticks{}) return;
    code = given;
    at = now;
  }
};

// What the system has counted for the process from MPI_Init until a moment.
struct UseSoFar {
  static constexpr std::uint64_t unknown = UINT64_MAX;

  Ticks at{};  // 0: not known
  std::uint64_t cpu_ns = 0;
  std::uint64_t queued_ns = unknown;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t max_rss_bytes = 0;
};

struct SpoolHead {
  std::uint32_t layout = layout_version;
  std::uint32_t bytes_of_head = sizeof(SpoolHead);
  std::uint64_t bytes_of_page = page_bytes;
  std::uint64_t operations = op_names_hash;  // keys of records hold the number of an operation
  Owner owner;
  clock::Reading first;
  clock::Reading last;
  RegionIndex region{};  // the innermost open region
  Ticks region_since;
  std::uint64_t threads = 0;
  std::uint64_t chunks_elsewhere = 0;  // chunks in ordinary memory, for lack of room in the file
  std::uint64_t bytes_in_use = 0;      // used bytes of the file; the rest is room for more segments
  Abort abort;
  UseSoFar use;
  dropped::Counts dropped;
};

inline constexpr std::string_view file_suffix = ".spool";   // follows the rank in a file's name
inline constexpr std::string_view subdirectory = "/spool";  // inside the directory of the profile
// If the files are on the nodes, this symbolic link in the subdirectory leads to their directory on each node.
inline constexpr std::string_view link_to_node = "/node";

}  // namespace commprof::spool
