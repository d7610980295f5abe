#include <algorithm>
#include <catch2/catch.hpp>
#include <climits>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "comm_naming/comm_name.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

std::string ranges(std::vector<int> ranks) {
  PageVector<char> text;
  REQUIRE(append_rank_ranges(text, ranks.data(), ranks.size()));
  return {text.begin(), text.size()};
}

std::vector<int> sequence(int first, int last, int stride = 1) {
  std::vector<int> ranks;
  for (int rank = first; rank <= last; rank += stride) ranks.push_back(rank);
  return ranks;
}

// The ranks that a text denotes, as the documentation of the profile defines it.
std::vector<int> parse(std::string const& text) {
  std::vector<int> ranks;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0, stride = 1;
    int const numbers = std::sscanf(part.c_str(), "%d-%d:%d", &first, &last, &stride);
    REQUIRE(numbers >= 1);
    REQUIRE(stride > 0);
    if (numbers == 1) last = first;
    for (int rank = first; rank <= last; rank += stride) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace

TEST_CASE("ranges of ranks") {
  std::pair<std::vector<int>, std::string> const cases[] = {{{}, ""},
                                                            {{17}, "17"},
                                                            {{0, 1}, "0-1"},
                                                            {{3, 5, 6, 7, 9}, "3,5-7,9"},
                                                            {{0, 64, 128, 192}, "0-192:64"},
                                                            {{0, 2}, "0,2"},  // a stride is for three and more
                                                            {{0, 2, 4, 5, 6, 7}, "0-4:2,5-7"},
                                                            {{0, 2, 3, 4}, "0,2-4"},
                                                            {{0, 10, 20, 21, 31, 41}, "0-20:10,21-41:10"},
                                                            {{2, 3, 5, 7, 11}, "2-3,5,7,11"},  // 3 is already used
                                                            {{1, 7, 4, 4, 1}, "1-7:3"},
                                                            {{INT_MAX, INT_MAX - 1}, "2147483646-2147483647"},
                                                            {{0, INT_MAX}, "0,2147483647"},
                                                            {{1, 1073741824, INT_MAX}, "1-2147483647:1073741823"}};
  for (auto const& [numbers, text] : cases) CHECK(ranges(numbers) == text);
  PageVector<char> text;
  REQUIRE(append(text, "ranks "));
  int const more[] = {4, 5, 6};
  REQUIRE(append_rank_ranges(text, std::vector(more, more + 3).data(), 3));
  CHECK(std::string(text.begin(), text.size()) == "ranks 4-6");
}

TEST_CASE("the ranges of any set stand for that set") {
  std::mt19937 random(2024);
  for (int repetition = 0; repetition < 2000; ++repetition) {
    std::set<int> set;
    int const runs = static_cast<int>(random() % 8);
    for (int run = 0; run < runs; ++run) {
      int const stride = 1 + static_cast<int>(random() % 4);
      int const first = static_cast<int>(random() % 60);
      int const length = 1 + static_cast<int>(random() % 6);
      for (int i = 0; i < length; ++i) set.insert(first + i * stride);
    }
    std::vector<int> ranks(set.begin(), set.end());
    std::shuffle(ranks.begin(), ranks.end(), random);
    std::string const text = ranges(ranks);
    INFO(text);
    REQUIRE(parse(text) == std::vector<int>(set.begin(), set.end()));  // ascending, each once
  }
}

TEST_CASE("long ranges become their number and a hash") {
  std::vector<int> ranks;
  std::mt19937 random(1);
  for (int rank = 0; ranks.size() < 100'000; rank += 1 + static_cast<int>(random() % 5)) ranks.push_back(rank);
  auto const folded = [](std::vector<int> of) {
    PageVector<char> text;
    REQUIRE(append_rank_ranges(text, of.data(), of.size()));
    REQUIRE(fold_long_ranges(text, of.size()));
    return std::string(text.begin(), text.size());
  };
  std::string const text = folded(ranks);
  CHECK(text.starts_with("100000 ranks, hash "));
  CHECK(text.size() == std::string("100000 ranks, hash ").size() + 16);
  CHECK(folded(ranks) == text);
  ++ranks.back();
  CHECK(folded(ranks) != text);
  CHECK(folded(sequence(0, 1'000'000)) == "0-1000000");
}
