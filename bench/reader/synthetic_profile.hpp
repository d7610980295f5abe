#pragma once

#include <cstdint>
#include <filesystem>

namespace bench {

struct ProfileSize {
  std::uint64_t rows;  // of operations.csv
  std::uint64_t communicators;
  std::uint64_t ranks;
  std::uint64_t bytes;  // of operations.csv
};

// Every rank is in ten communicators, and on each of them used twenty operations with five sizes of messages.
inline constexpr std::uint64_t rows_per_rank = std::uint64_t{10} * 20 * 5;

// Writes a profile of so many ranks as the library would: MPI_COMM_WORLD, each rank's MPI_COMM_SELF, and eight splits
// into groups of 4, 8, … 512 neighbours. Times and bytes differ from row to row, so that no number is cheaper to read
// than a real one. Throws std::system_error if the directory cannot be written.
ProfileSize write_synthetic_profile(std::filesystem::path const& directory, std::uint64_t ranks);

}  // namespace bench
