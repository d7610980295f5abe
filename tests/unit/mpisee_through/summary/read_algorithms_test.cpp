#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "summary/algorithms.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// The files of a run of four ranks whose MPI sends, on W, for calls of sizes that the test adds.
class Calls {
 public:
  // calls: of each of the ranks.
  void of(std::string const& op, std::uint64_t size, std::uint64_t calls,
          std::vector<int> const& ranks = {0, 1, 2, 3}) {
    for (int const rank : ranks)
      operations_[rank].push_back(fmt::format("main,W,4,{},{},{},{},{},{},0,0.5,0,0.1", rank, op, size,
                                              size == 0 ? 0 : 2 * size - 1, calls, calls * size));
  }
  void sends(std::string const& op, std::string const& call_size, std::uint64_t messages,
             std::vector<std::pair<int, int>> const& pairs) {
    for (auto const& [from, to] : pairs)
      peers_[from].push_back(
          fmt::format("main,W,internal,{},{},8,15,{},{},{},{}", from, to, messages, 8 * messages, op, call_size));
  }
  // SIZES: ALGORITHM, CALLS; several joined by "; ".
  [[nodiscard]] std::string algorithms(bool joined = false) const {
    TemporaryProfile const files({.ranks = 4, .operations = rows_of(operations_), .peers = rows_of(peers_)});
    Profile const profile(files.path());
    auto found = read_algorithms(profile, {}, summarise(profile, {}, Detail::message_sizes));
    if (joined) found = join_sizes(found);
    std::string text;
    for (AlgorithmSummary const& one : found)
      text += fmt::format("{}{}-{}: {}, {}", text.empty() ? "" : "; ", one.sizes.min_bytes, one.sizes.max_bytes,
                          one.algorithm, one.calls);
    return text;
  }

 private:
  using RowsOfRanks = std::map<int, std::vector<std::string>>;  // files have them in the order of ranks

  [[nodiscard]] static std::vector<std::string> rows_of(RowsOfRanks const& ranks) {
    std::vector<std::string> all;
    for (auto const& [rank, rows] : ranks) all.insert(all.end(), rows.begin(), rows.end());
    return all;
  }

  RowsOfRanks operations_, peers_;
};

std::vector<std::pair<int, int>> const ring{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, chain{{0, 1}, {1, 2}, {2, 3}},
    binomial{{0, 1}, {0, 2}, {2, 3}}, star{{0, 1}, {0, 2}, {0, 3}},
    cube{{0, 1}, {0, 2}, {1, 0}, {1, 3}, {2, 0}, {2, 3}, {3, 1}, {3, 2}};

}  // namespace

TEST_CASE("each size of the calls has its algorithm") {
  Calls calls;
  calls.of("Allreduce", 8, 3);
  calls.of("Allreduce", 16, 2);
  calls.of("Allreduce", 1024, 5);
  calls.sends("Allreduce", "8,15", 3, cube);
  calls.sends("Allreduce", "16,31", 2, cube);
  calls.sends("Allreduce", "1024,2047", 5 * 6, ring);
  CHECK(calls.algorithms() == "8-15: recursive doubling, 3; 16-31: recursive doubling, 2; 1024-2047: ring, 5");
  CHECK(calls.algorithms(true) == "8-31: recursive doubling, 5; 1024-2047: ring, 5");
}

TEST_CASE("the root of a broadcast counts no bytes") {
  Calls calls;
  calls.of("Bcast", 0, 7, {0});
  calls.of("Bcast", 8, 3, {1, 2, 3});
  calls.of("Bcast", 4096, 4, {1, 2, 3});
  calls.sends("Bcast", "8,15", 3, binomial);
  calls.sends("Bcast", "4096,8191", 4, chain);
  CHECK(calls.algorithms() == "8-15: binomial tree, 3; 4096-8191: chain, 4");
}

TEST_CASE("a rank of which a size is missing makes other operations unknown") {
  Calls calls;
  calls.of("Allgather", 8, 3, {0, 1, 2});
  calls.of("Allgather", 16, 3, {3});
  calls.of("Allgather", 8, 1, {3});
  calls.sends("Allgather", "8,15", 9, chain);
  calls.sends("Allgather", "16,31", 9, {{3, 0}});
  CHECK(calls.algorithms() == "8-15: unknown, 0; 16-31: unknown, 0");
}

TEST_CASE("sizes that differ from rank to rank, and unknown ones, are taken together") {
  Calls calls;
  calls.of("Allgatherv", 8, 3, {0, 1, 2});
  calls.of("Allgatherv", 16, 3, {3});
  calls.sends("Allgatherv", "8,15", 9, chain);
  calls.sends("Allgatherv", "16,31", 9, {{3, 0}});
  CHECK(calls.algorithms() == "8-31: ring, 3");
  Calls old;
  old.of("Bcast", 8, 5);
  old.sends("Bcast", ",", 5, star);
  CHECK(old.algorithms() == "8-15: flat, 5");
}
