#include "files/rank_set.hpp"

#include <catch2/catch.hpp>

using mpisee_through::RankSet;
using mpisee_through::WorldRank, mpisee_through::ranges_of, mpisee_through::others_than;

namespace {

std::vector<std::uint32_t> members_below(RankSet const& set, std::uint32_t limit) {
  std::vector<std::uint32_t> members;
  for (std::uint32_t rank = 0; rank < limit; ++rank) {
    if (set.contains(WorldRank{rank})) members.push_back(rank);
  }
  return members;
}

using Ranks = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a list of ranks holds what it says") {
  CHECK(members_below(RankSet::parse("5").value(), 10) == Ranks{5});
  CHECK(members_below(RankSet::parse("0-3,8").value(), 12) == Ranks{0, 1, 2, 3, 8});
  CHECK(members_below(RankSet::parse("0-192:64").value(), 300) == Ranks{0, 64, 128, 192});
  CHECK(members_below(RankSet::parse("1-9:4").value(), 12) == Ranks{1, 5, 9});
  CHECK(members_below(RankSet::parse("1-8:4").value(), 12) == Ranks{1, 5});  // 9 is beyond
  CHECK(members_below(RankSet::parse("8,0-1").value(), 12) == Ranks{0, 1, 8});
  CHECK(RankSet::parse("").value().empty());
}

TEST_CASE("what is no list of ranks is turned down") {
  for (char const* text : {"a", "-", "-1", "1-", "3-1", "1,", ",1", "1,,2", "1-4:", "1-4:0", "1:2", "1 ", " 1", "1-2-3",
                           "+1", "0x1", "4294967296", "2147483648", "1-4:2:2"}) {
    INFO(text);
    CHECK_FALSE(RankSet::parse(text).has_value());
  }
}

TEST_CASE("ascending means that no range reaches into the next") {
  CHECK(RankSet::parse_ascending(""));
  CHECK(RankSet::parse_ascending("0-3,4,6-8:2"));
  for (char const* text : {"4,0-3", "0-3,3", "0-6:2,1", "0-"}) CHECK_FALSE(RankSet::parse_ascending(text));
}

TEST_CASE("a list in any order, with ranks twice, is one set") {
  auto const set_of = [](char const* text) { return RankSet::parse(text).value().to_string(); };
  CHECK(set_of("4,0-3") == "0-4");
  CHECK(set_of("0-3,3,2-5") == "0-5");
  CHECK(set_of("0-6:2,1") == "0-2,4,6");
  CHECK(set_of("8,8,0-192:64") == "0,8,64,128,192");
  CHECK(RankSet::parse("90-200,0,0").value().size() == 112);
  CHECK_FALSE(RankSet::parse("0-2147483646:2,1-2147483645:3"));
  std::vector<RankSet> const sets{RankSet::parse("0-3").value(), RankSet::parse("2,9").value()};
  CHECK(RankSet::union_of(sets)->to_string() == "0-3,9");
}

TEST_CASE("a set costs what its text costs, whatever the numbers in it") {
  RankSet const all = RankSet::parse("0-2147483647").value(), even = RankSet::parse("0-2147483646:2").value();
  CHECK(all.size() == 2147483648U);
  CHECK(even.contains(WorldRank{2147483646}));
  CHECK_FALSE(all.numbers());
  std::string single = "0";
  for (int i = 1; i < 100'000; ++i) single += "," + std::to_string(2 * i);
  CHECK(RankSet::parse(single)->count_in(RankSet::parse(single).value()) == 100'000);
}

TEST_CASE("common numbers are counted") {
  RankSet const all = RankSet::parse("0-99999").value(), even = RankSet::parse("0-99998:2").value();
  CHECK(all.count_in(even) == 50'000);
  CHECK(even.count_in(all) == 50'000);
  CHECK(RankSet::parse("1-99999:3").value().count_in(even) == 16'666);  // 4, 10, 16, ...
  CHECK(even.count_in(RankSet::parse("1-99999:2").value()) == 0);
}

TEST_CASE("sets that follow each other grow together") {
  auto const together = [](char const* first, char const* second) {
    RankSet set = RankSet::parse(first).value();
    set.append(RankSet::parse(second).value());
    return set.to_string();
  };
  CHECK(together("0", "1") == "0-1");
  CHECK(together("0-3", "4-7") == "0-7");
  CHECK(together("0-3", "5") == "0-3,5");
  CHECK(together("0-6:2", "7") == "0-6:2,7");
  CHECK(together("0,2", "3-9:3,12") == "0,2,3-9:3,12");
  CHECK(together("", "3") == "3");
}

TEST_CASE("lists of numbers and sets") {
  using Numbers = std::vector<std::int32_t>;
  CHECK(RankSet::parse("0-3,8,64-192:64")->numbers() == Numbers{0, 1, 2, 3, 8, 64, 128, 192});
  CHECK(RankSet::parse("")->numbers() == Numbers{});
  CHECK(ranges_of({0, 1, 2, 3, 8, 64, 128, 192}) == "0-3,8,64-192:64");
  CHECK(others_than({1, 2}, 5) == "0,3-4");
  CHECK(others_than({}, 2147483647) == "0-2147483646");
}
