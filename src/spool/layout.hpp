// A spool file as its writer and its reader know it: the pages in which one process counts, kept in a file, so that
// what was counted outlives a process that is killed.
//
// The file is a sequence of segments, each on pages of its own: a SegmentHead, then what it heads. A segment never
// moves and is found by its head's magic number at the beginning of a page, so a reader goes on behind one that is
// damaged. The first one holds the SpoolHead, which says how large the pages are. Behind the last one there may be room
// for more. Everything else is what the profiler itself works on, records without pointers: a reader takes only files
// of its own layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "base/ids.hpp"
#include "base/part.hpp"
#include "ops.hpp"

namespace commprof::spool {

// The largest pages that a system of this architecture has: files are alike on all of them. Of another architecture's
// file, the head tells.
#if defined(__x86_64__)
inline constexpr std::size_t page_bytes = 4096;
#else
inline constexpr std::size_t page_bytes = 65536;
#endif
inline constexpr std::uint64_t segment_magic = 0x0A4C4F4F'5053'5043ULL;

// Raised with every change of what the segments hold. Changes of the call table need nothing: see
// SpoolHead::operations.
inline constexpr std::uint32_t layout_version = 9;

struct alignas(64) SegmentHead {
  std::uint64_t magic = 0;  // stored last
  Part part;
  std::uint32_t offset = 0;  // from the head to what it heads
  std::uint64_t bytes = 0;   // of that
};
static_assert(sizeof(SegmentHead) == 64);

// Whose file it is.
struct Owner {
  std::uint64_t run = 0;  // the same on all processes of a run, and no other's
  std::int32_t rank = 0;
  std::int32_t ranks = 0;
  std::int32_t pid = 0;
  std::uint32_t reads_tsc = 0;
  timespec start_time{};  // of day
  Ticks start;
  // What these constants are in its MPI: as a rank that a call was given.
  std::int32_t any_source = 0;
  std::int32_t proc_null = 0;
  std::int32_t root = 0;
  char host[256] = "";
};

struct SpoolHead {
  std::uint32_t layout = layout_version;
  std::uint32_t bytes_of_head = sizeof(SpoolHead);
  std::uint64_t bytes_of_page = page_bytes;
  std::uint64_t operations = op_names_hash;  // keys of records hold the number of an operation
  Owner owner;
  clock::Reading first;
  clock::Reading last;
  RegionIndex region{};  // the innermost one
  Ticks region_since;
  std::uint64_t threads = 0;
  std::uint64_t chunks_elsewhere = 0;  // that found no room in the file
  std::uint64_t bytes_in_use = 0;      // of the file; the rest is room for more segments
  dropped::Counts dropped;
};

inline constexpr std::string_view file_suffix = ".spool";   // after the rank
inline constexpr std::string_view subdirectory = "/spool";  // in the directory of the profile

}  // namespace commprof::spool
