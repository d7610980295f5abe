#include "transport/endpoints.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace commprof;
using transport::Endpoints;
using transport::WorkerId;

namespace {

void const* endpoint(std::size_t number) { return reinterpret_cast<void const*>(0x7f0000000000 + number * 88); }
WorkerId worker(std::size_t number) { return static_cast<WorkerId>(number * 7 + 1); }

}  // namespace

TEST_CASE("an endpoint leads to the process with the worker, made before or after that is known") {
  constexpr std::size_t ranks = 1000;  // more than the first table has room for
  std::vector<transport::WorkerOfRank> workers;
  for (std::size_t rank = 0; rank < ranks; ++rank) workers.push_back({worker(rank), static_cast<WorldRank>(rank)});
  Endpoints endpoints;
  CHECK(endpoints.rank_of(endpoint(0)) == WorldRank::elsewhere);
  for (std::size_t rank = 0; rank < ranks; rank += 2) endpoints.made(endpoint(rank), worker(rank));
  CHECK(endpoints.rank_of(endpoint(0)) == WorldRank::elsewhere);
  endpoints.know(workers.data(), workers.size());
  for (std::size_t rank = 1; rank < ranks; rank += 2) endpoints.made(endpoint(rank), worker(rank));
  for (std::size_t rank = 0; rank < ranks; ++rank)
    CHECK(endpoints.rank_of(endpoint(rank)) == static_cast<WorldRank>(rank));
}

TEST_CASE("endpoints of other worlds, unknown ones, and others at their addresses") {
  transport::WorkerOfRank const workers[]{{worker(3), WorldRank{0}}, {worker(4), WorldRank{1}}};
  Endpoints endpoints;
  endpoints.know(workers, 2);
  endpoints.made(endpoint(1), worker(9));
  CHECK(endpoints.rank_of(endpoint(1)) == WorldRank::elsewhere);
  endpoints.made(endpoint(1), worker(4));
  CHECK(endpoints.rank_of(endpoint(1)) == WorldRank{1});
  endpoints.made(endpoint(1), WorkerId::none);
  CHECK(endpoints.rank_of(endpoint(1)) == WorldRank::elsewhere);
  endpoints.made(endpoint(1), worker(3));
  CHECK(endpoints.rank_of(endpoint(1)) == WorldRank{0});
}

TEST_CASE("a worker is known by its address in both forms") {
  // The number of UCX's worker behind a head of one byte, and of three.
  unsigned char const one[]{0x20, 1, 2, 3, 4, 5, 6, 7, 8, 0x20, 0}, other[]{0x21, 0, 0, 9, 2, 3, 4, 5, 6, 7, 8};
  CHECK(static_cast<std::uint64_t>(transport::worker_of(one)) == 0x030405060708);
  CHECK(static_cast<std::uint64_t>(transport::worker_of(other)) == 0x090203040506);
}
