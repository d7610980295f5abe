#include "comm_naming/comm_name.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cstdint>
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

std::string part(std::vector<int> const& one, std::vector<int> const& other, CallTag tag = {}) {
  MembersOfCall call = MembersOfCall::of(set_of(one), set_of(other));
  call.tag = tag;
  char room[NameWriter::max_members];
  NameWriter out(room, sizeof room);
  out.put_members(call);
  return std::string(out.view());
}

bool is_plain(std::string const& name) {
  return std::ranges::all_of(name, [](char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == ':'; });
}

}  // namespace

TEST_CASE("ranks are written as one range with a stride, or as the smallest one and a hash, in any order") {
  CHECK(text({5}) == "5");
  CHECK(text({5, 4}) == "4-5");
  CHECK(text({0, 2, 4, 6}) == "0-6:2");
  CHECK(text({0, INT32_MAX}) == "0-2147483647:2147483647");
  CHECK(text({2, 5, 3}).starts_with("2."));
  CHECK(text({2, 5, 3}) == text({3, 2, 5}));
  std::set<std::string> names;  // of all sets of ten ranks
  for (unsigned set = 1; set < 1024; ++set) {
    std::vector<int> ranks;
    for (int rank = 0; rank < 10; ++rank)
      if ((set >> rank & 1U) != 0) ranks.push_back(rank);
    names.insert(text(ranks));
  }
  CHECK(names.size() == 1023);
}

TEST_CASE("a tag is part of the name unless it is 0") {
  CHECK(part({0, 1}, {}, 0) == ".0-1");
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
