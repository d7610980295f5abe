#include "comm_naming/comm_name.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "comm_naming/registry.hpp"

using namespace commprof;

namespace {

RankSet set_of(std::vector<int> const& ranks) {
  RankSet set;
  for (int const rank : ranks) set.add(rank);
  return set;
}

std::string text(std::vector<int> const& ranks) {
  char room[NameWriter::max_members];
  NameWriter out(room, sizeof room);
  out.put_ranks(set_of(ranks));
  return std::string(out.view());
}

std::string part(MembersOfCall const& call) {
  char room[NameWriter::max_members];
  NameWriter out(room, sizeof room);
  out.put_members(call);
  return std::string(out.view());
}

std::string part(std::vector<int> const& one, std::vector<int> const& other, CallTag tag = {}) {
  MembersOfCall call = MembersOfCall::of(set_of(one), set_of(other));
  call.tag = tag;
  return part(call);
}

bool is_plain(std::string const& name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == ':';
  });
}

}  // namespace

TEST_CASE("ranks that are a range with a stride are written as one") {
  CHECK(text({5}) == "5");
  CHECK(text({0}) == "0");
  CHECK(text({0, 1, 2, 3}) == "0-3");
  CHECK(text({4, 5}) == "4-5");
  CHECK(text({0, 2, 4, 6}) == "0-6:2");
  CHECK(text({1, 8}) == "1-8:7");
  CHECK(text({0, INT32_MAX}) == "0-2147483647:2147483647");
}

TEST_CASE("other ranks are written as the smallest one and a hash") {
  std::string const name = text({0, 1, 3});
  CHECK(name.starts_with("0."));
  CHECK(name.find_first_not_of("0123456789abcdef", 2) == std::string::npos);
  CHECK(name != text({0, 1, 4}));
  CHECK(text({2, 3, 5}).starts_with("2."));
  CHECK(text({0, 2, 4, 8}).find('-') == std::string::npos);  // the same stride, but not all ranks
}

TEST_CASE("the order of the ranks does not matter") {
  std::mt19937 random(7);
  std::vector<int> ranks(40);
  std::iota(ranks.begin(), ranks.end(), 3);
  for (bool const is_range : {true, false}) {
    if (!is_range) ranks[20] = 99;
    std::vector<int> shuffled = ranks;
    for (int i = 0; i < 20; ++i) {
      std::shuffle(shuffled.begin(), shuffled.end(), random);
      CHECK(text(shuffled) == text(ranks));
      CHECK(set_of(shuffled).hash() == set_of(ranks).hash());
    }
  }
}

TEST_CASE("all sets of ten ranks have names of their own") {
  std::set<std::string> names;
  for (unsigned set = 1; set < 1024; ++set) {
    std::vector<int> ranks;
    for (int rank = 0; rank < 10; ++rank)
      if ((set >> rank & 1U) != 0) ranks.push_back(rank);
    names.insert(text(ranks));
  }
  CHECK(names.size() == 1023);
}

TEST_CASE("two groups are named alike on both sides") {
  CHECK(part({0, 1}, {2, 3}) == ".0-1.2-3");
  CHECK(part({2, 3}, {0, 1}) == ".0-1.2-3");
  CHECK(part({1}, {0}) == ".0.1");
  MembersOfCall const here = MembersOfCall::of(set_of({4}), set_of({1, 2})),
                      there = MembersOfCall::of(set_of({1, 2}), set_of({4}));
  CHECK(here.hash() == there.hash());
  CHECK(here.hash() != MembersOfCall::of(set_of({1, 2, 4})).hash());
}

TEST_CASE("a tag is part of the name unless it is 0") {
  CHECK(part({0, 1}, {}, 0) == ".0-1");
  CHECK(part({0, 1}, {}, 5) == ".0-1.t5");
  CHECK(part({0}, {1}, 32767) == ".0.1.t32767");
  CHECK(part({0, 1}, {}, "") == ".0-1");
  CHECK(part({0, 1}, {}, "all") == ".0-1.all");
  CHECK(part({0, 1}, {}, static_cast<char const*>(nullptr)) == ".0-1");
  for (char const* const text : {"a,b", "\"", "org.mpi-forum", "a text with blanks", "seventeen12345678"}) {
    CHECK(is_plain(part({0, 1}, {}, text)));
    CHECK(part({0, 1}, {}, text).size() <= 13);
  }
  CHECK(part({0, 1}, {}, "a,b") != part({0, 1}, {}, "a,c"));
}

TEST_CASE("the longest part of a step fits into its room") {
  std::vector<int> const one{1000000000, 2147483646}, other{1000000001, 2147483647};
  std::string const longest = part(one, other, INT32_MAX);
  CHECK(longest == ".1000000000-2147483646:1147483646.1000000001-2147483647:1147483646.t2147483647");
  CHECK(longest.size() < NameWriter::max_members);
  CHECK(part(one, other, "0123456789abcdef").size() < NameWriter::max_members);
}
