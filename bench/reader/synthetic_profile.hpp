#pragma once

#include <cstdint>
#include <filesystem>

namespace bench {

struct ProfileSize {
  std::uint64_t communicators;
  std::uint64_t bytes_of_calls;     // of the files that a view of rows of calls reads
  std::uint64_t bytes_of_sums;      // of the files that a view of sums over ranks reads
  std::uint64_t bytes_of_messages;  // of the files that --matrix reads
};

// Which rows the profile has: those of all ranks, or sums and the rows of a few ranks (COMMPROF_DETAIL=summary).
enum class Rows { of_all_ranks, of_few_ranks };

// Every rank is in ten communicators, and uses eight operations with four sizes of messages on each of them. It sends
// to six other ranks, messages of four sizes.
inline constexpr std::uint64_t rows_per_rank = std::uint64_t{10} * 8 * 4;
inline constexpr std::uint64_t peer_rows_per_rank = std::uint64_t{6} * 4;

// Writes a profile of this many ranks as the library would: MPI_COMM_WORLD, each rank's MPI_COMM_SELF, and eight splits
// into groups of 4, 8, … 512 neighbours; ten times as many if only few ranks have rows. Times and bytes differ from row
// to row, so that no number is cheaper to read than a real one. Throws std::system_error if the directory cannot be
// written.
ProfileSize write_synthetic_profile(std::filesystem::path const& directory, std::uint64_t ranks,
                                    Rows rows = Rows::of_all_ranks);

// Removes the files that a profiler without summary.csv would not have written.
void remove_sums(std::filesystem::path const& directory);

}  // namespace bench
