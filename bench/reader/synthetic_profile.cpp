#include "synthetic_profile.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>

#include "profile/schema.hpp"

namespace bench {
namespace {

namespace schema = commprof::schema;

constexpr std::array<std::string_view, 8> operations{"Isend", "Irecv",     "Waitall",   "Test-none",
                                                     "Bcast", "Allreduce", "Allgather", "Neighbor_alltoallv"};
constexpr std::array<std::uint64_t, 4> bin_minima{8, 256, 4096, 65536};
constexpr std::array<std::uint64_t, 6> distances{1, 2, 3, 64, 128, 4096};  // to the processes that one sends to
constexpr std::array<std::uint64_t, 8> group_sizes{4, 8, 16, 32, 64, 128, 256, 512};
static_assert((2 + group_sizes.size()) * operations.size() * bin_minima.size() == rows_per_rank);
static_assert(distances.size() * bin_minima.size() == peer_rows_per_rank);

std::string group_name(std::size_t split, std::uint64_t first_rank) {
  return fmt::format("W_s{}.{}", split + 1, first_rank);
}

std::uint64_t write_communicators(std::filesystem::path const& directory, std::uint64_t ranks) {
  auto out = fmt::output_file((directory / schema::communicators.name).string());
  out.print("{}\nW,,,{},0-{},,,,0,\nSELF,,,1,,,,,0,\n", schema::communicators.header, ranks, ranks - 1);
  std::uint64_t count = 2;
  for (std::size_t split = 0; split < group_sizes.size(); ++split) {
    for (std::uint64_t first = 0; first < ranks; first += group_sizes[split]) {
      std::uint64_t const last = std::min(first + group_sizes[split], ranks) - 1;
      out.print("{},W,Comm_split,{},{}-{},,,,0,\n", group_name(split, first), last - first + 1, first, last);
      ++count;
    }
  }
  return count;
}

void write_ranks(std::filesystem::path const& directory, std::uint64_t ranks) {
  auto out = fmt::output_file((directory / schema::ranks.name).string());
  out.print("{}\n", schema::ranks.header);
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    out.print("{},node{},{},0,1,100.5,25.25,,,,,,\n", rank, rank / 64, 1000 + rank);
}

void write_operations(std::filesystem::path const& directory, std::uint64_t ranks) {
  auto out = fmt::output_file((directory / schema::operations.name).string(), fmt::buffer_size = 1 << 20);
  out.print("{}\n", schema::operations.header);
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::uint64_t> calls_of_row(1, 100000);
  std::uniform_real_distribution<double> time_of_call(1e-6, 1e-3);

  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    auto const write_rows = [&](std::string_view communicator, std::uint64_t size) {
      for (std::string_view const operation : operations) {
        for (std::uint64_t const bin : bin_minima) {
          std::uint64_t const calls = calls_of_row(random);
          double const time = time_of_call(random);
          out.print("main,{},{},{},{},{},{},{},{},0,{:.9f},{:.9f},{:.9f},\n", communicator, size, rank, operation, bin,
                    2 * bin - 1, calls, calls * bin, time * static_cast<double>(calls), time / 2, time * 4);
        }
      }
    };
    write_rows("W", ranks);
    write_rows("SELF", 1);
    for (std::size_t split = 0; split < group_sizes.size(); ++split) {
      std::uint64_t const first = rank - rank % group_sizes[split];
      write_rows(group_name(split, first), std::min(group_sizes[split], ranks - first));
    }
  }
}

void write_peers(std::filesystem::path const& directory, std::uint64_t ranks) {
  auto out = fmt::output_file((directory / schema::peers.name).string(), fmt::buffer_size = 1 << 20);
  out.print("{}\n", schema::peers.header);
  std::mt19937_64 random(2);
  std::uniform_int_distribution<std::uint64_t> messages_of_row(1, 100000);
  for (std::uint64_t rank = 0; rank < ranks; ++rank) {
    for (std::uint64_t const distance : distances) {
      for (std::uint64_t const bin : bin_minima) {
        std::uint64_t const messages = messages_of_row(random);
        out.print("main,W,{},{},{},{},{},{},{},\n", schema::class_p2p, rank, (rank + distance) % ranks, bin,
                  2 * bin - 1, messages, messages * bin);
      }
    }
  }
}

}  // namespace

ProfileSize write_synthetic_profile(std::filesystem::path const& directory, std::uint64_t ranks) {
  std::uint64_t const communicators = write_communicators(directory, ranks);
  write_ranks(directory, ranks);
  write_operations(directory, ranks);
  write_peers(directory, ranks);
  fmt::output_file((directory / schema::run_file).string())
      .print(R"({{"schema_version":{},"program":"synthetic","ranks":{},"wall_s":100.5,)"
             R"("files":{{"{}":{{"rows":{}}},"{}":{{"rows":{}}},"{}":{{"rows":{}}},"{}":{{"rows":{}}}}}}})"
             "\n",
             schema::version, ranks, schema::operations.name, ranks * rows_per_rank, schema::communicators.name,
             communicators, schema::ranks.name, ranks, schema::peers.name, ranks * peer_rows_per_rank);
  auto const bytes = [&](schema::File const& file) { return std::filesystem::file_size(directory / file.name); };
  return {communicators, bytes(schema::operations) + bytes(schema::communicators) + bytes(schema::ranks),
          bytes(schema::peers) + bytes(schema::ranks)};
}

}  // namespace bench
