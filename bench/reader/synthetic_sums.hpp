// The sums of a synthetic profile over ranks, as in summary.csv.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

inline constexpr std::array<std::string_view, 8> operations{"Isend", "Irecv",     "Waitall",   "Test-none",
                                                            "Bcast", "Allreduce", "Allgather", "Neighbor_alltoallv"};
inline constexpr std::array<std::uint64_t, 4> bin_minima{8, 256, 4096, 65536};

// The sums of one rank or of several.
struct Sum {
  std::uint64_t ranks = 0, calls = 0, bytes_sent = 0, time_ns = 0;
  std::uint64_t least_ns = UINT64_MAX, least_rank = 0, most_ns = 0, most_rank = 0;  // of a rank's sum
  std::uint64_t shortest_ns = UINT64_MAX, longest_ns = 0;                           // of a call

  // Adds one of several rows of a rank.
  void add_row(Sum const& row) {
    calls += row.calls;
    bytes_sent += row.bytes_sent;
    time_ns += row.time_ns;
    shortest_ns = std::min(shortest_ns, row.shortest_ns);
    longest_ns = std::max(longest_ns, row.longest_ns);
  }
  // Adds the sum of a rank's rows. Ranks must come in ascending order.
  void add_rank(std::uint64_t rank, Sum const& rows) {
    add_row(rows);
    if (ranks == 0 || rows.time_ns > most_ns) most_ns = rows.time_ns, most_rank = rank;
    if (rows.time_ns < least_ns) least_ns = rows.time_ns, least_rank = rank;
    ++ranks;
  }
};

struct CommunicatorSums {
  std::string name;
  std::uint64_t size = 0;
  Sum all{};
  std::array<Sum, operations.size()> by_operation{};
  std::array<std::array<Sum, bin_minima.size()>, operations.size()> by_size{};
};

// Writes summary.csv and sizes.csv. by_operation: over all communicators.
void write_sums(std::filesystem::path const& directory, std::vector<CommunicatorSums> const& communicators,
                std::array<Sum, operations.size()> const& by_operation);

}  // namespace bench
