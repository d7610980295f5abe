#include "comm_naming/rank_ranges.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <climits>
#include <cstdlib>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

std::vector<int> operator+(std::vector<int> a, std::vector<int> const& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
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
  CHECK(ranges({}) == "");
  CHECK(ranges({0}) == "0");
  CHECK(ranges({17}) == "17");
  CHECK(ranges({0, 1}) == "0-1");
  CHECK(ranges({0, 1, 2}) == "0-2");
  CHECK(ranges(sequence(0, 63)) == "0-63");
  CHECK(ranges(sequence(0, 63) + sequence(128, 191)) == "0-63,128-191");
  CHECK(ranges({3, 5, 6, 7, 9}) == "3,5-7,9");
  CHECK(ranges({0, 1, 3, 4, 6, 7}) == "0-1,3-4,6-7");
}

TEST_CASE("ranges of ranks with a stride") {
  CHECK(ranges({0, 64, 128, 192}) == "0-192:64");
  CHECK(ranges({0, 2, 4}) == "0-4:2");
  CHECK(ranges(sequence(1, 99, 2)) == "1-99:2");
  CHECK(ranges({0, 2}) == "0,2");  // a stride is for three and more
  CHECK(ranges({0, 5}) == "0,5");
  CHECK(ranges({0, 2, 4, 5, 6, 7}) == "0-4:2,5-7");
  CHECK(ranges({0, 4, 8, 9, 10}) == "0-8:4,9-10");
  CHECK(ranges({0, 2, 3, 4}) == "0,2-4");
  CHECK(ranges({0, 1, 3, 5, 7}) == "0-1,3-7:2");
  CHECK(ranges({0, 10, 20, 21, 31, 41}) == "0-20:10,21-41:10");
}

TEST_CASE("ranks in no regular order of distances") {
  CHECK(ranges({0, 1, 4, 9, 16, 25}) == "0-1,4,9,16,25");
  CHECK(ranges({2, 3, 5, 7, 11, 13, 17}) ==
        "2-3,5,7,11,13,17");  // 3, 5, 7 would be a range with stride, but 3 is already used
  CHECK(ranges({1, 2, 4, 8, 16}) == "1-2,4,8,16");
}

TEST_CASE("ranks may come in any order") {
  CHECK(ranges({2, 0, 1}) == "0-2");
  CHECK(ranges({192, 64, 0, 128}) == "0-192:64");
  CHECK(ranges({7, 6, 5, 4, 3, 2, 1, 0}) == "0-7");
}

TEST_CASE("a rank is in the set once, however often it comes") {
  CHECK(ranges({5, 5}) == "5");
  CHECK(ranges({5, 5, 5}) == "5");
  CHECK(ranges({0, 0, 1, 1, 2, 2}) == "0-2");
  CHECK(ranges({0, 1, 1, 1, 2, 4}) == "0-2,4");
}

TEST_CASE("the largest ranks") {
  CHECK(ranges({INT_MAX}) == "2147483647");
  CHECK(ranges({INT_MAX - 1, INT_MAX}) == "2147483646-2147483647");
  CHECK(ranges({0, INT_MAX}) == "0,2147483647");
  CHECK(ranges({1, 1073741824, INT_MAX}) == "1-2147483647:1073741823");
}

TEST_CASE("ranges are appended to what the text has") {
  PageVector<char> text;
  REQUIRE(append(text, "ranks "));
  std::vector<int> ranks{4, 5, 6};
  REQUIRE(append_rank_ranges(text, ranks.data(), ranks.size()));
  CHECK(std::string(text.begin(), text.size()) == "ranks 4-6");
  CHECK(append(text, ""));
  CHECK(text.size() == 9);
}

TEST_CASE("a million ranks in a regular layout take a few characters") {
  CHECK(ranges(sequence(0, 999'999)) == "0-999999");
  CHECK(ranges(sequence(0, 1'000'000, 8)) == "0-1000000:8");
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

TEST_CASE("ranges that memory does not suffice for are refused") {
  std::vector<int> ranks = sequence(0, 20'000, 3);
  ranks.push_back(20'001);
  PageVector<char> text;
  MemoryShortage const shortage;
  CHECK_FALSE(append_rank_ranges(text, ranks.data(), ranks.size()));
  CHECK_FALSE(append(text, "x"));
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
