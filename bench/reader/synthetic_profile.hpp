#pragma once

#include <cstdint>
#include <filesystem>

namespace bench {

struct ProfileSize {
  std::uint64_t communicators;
  std::uint64_t bytes_of_calls;     // of the files that a view of calls reads
  std::uint64_t bytes_of_messages;  // of those that --matrix reads
};

// Every rank is in ten communicators, and on each of them used eight operations with four sizes of messages; it sends
// to six others, messages of four sizes.
inline constexpr std::uint64_t rows_per_rank = std::uint64_t{10} * 8 * 4;
inline constexpr std::uint64_t peer_rows_per_rank = std::uint64_t{6} * 4;

// Writes a profile of so many ranks as the library would: MPI_COMM_WORLD, each rank's MPI_COMM_SELF, and eight splits
// into groups of 4, 8, … 512 neighbours. Times and bytes differ from row to row, so that no number is cheaper to read
// than a real one. Throws std::system_error if the directory cannot be written.
ProfileSize write_synthetic_profile(std::filesystem::path const& directory, std::uint64_t ranks);

}  // namespace bench
