#include "summary/communicator_groups.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "summary/arrangement.hpp"
#include "support/temporary_profile.hpp"
#include "views/forms.hpp"

using namespace mpisee_through;

namespace {

// Duplicates of W, each group from one call site: so many from app+0x1, from app+0x2, and from an unknown site.
TemporaryProfile::Content made_by(int first, int second, int unknown) {
  TemporaryProfile::Content content{.sites = {{"app+0x1,app,0x1,setup,/src/grid.c,88", "app+0x2,app,0x2,,,"}}};
  int number = 0;
  auto const add = [&](int count, std::string const& site) {
    for (int i = 0; i < count; ++i) {
      ++number;
      content.communicators.push_back(fmt::format("W_d{},W,Comm_dup,2,0-1,,,,0,{}", number, site));
      content.operations.push_back(fmt::format("main,W_d{},2,0,Send,8,15,1,8,0,{},1,1,", number, 1000 - number));
    }
  };
  add(first, "app+0x1");
  add(second, "app+0x2");
  add(unknown, "");
  return content;
}

std::vector<CommunicatorGroup> groups_of(Summary const& summary) {
  return group_by_maker(summary, arrange_communicators(summary, {}, Include::all_selected));
}

}  // namespace

TEST_CASE("ten communicators of one call site are joined, nine are not") {
  TemporaryProfile const files(made_by(10, 9, 20));
  Summary const summary = files.summarise();
  auto const groups = groups_of(summary);
  REQUIRE(groups.size() == 1 + 9 + 20 + 2);  // with W and SELF
  CommunicatorGroup const& joined = groups.front();
  CHECK(joined.is_joined());
  CHECK(joined.members.size() == 10);
  CHECK(summary.communicator(joined.members.front()).name == "W_d1");  // the one with the most time
  CHECK(joined.totals.calls == 10);
  CHECK(joined.totals.time_s == 10 * 1000 - 55);
  CHECK(describe_maker(summary, summary.communicator(joined.members.front())) == "Comm_dup at grid.c:88");
  for (std::size_t i = 1; i < groups.size(); ++i) CHECK_FALSE(groups[i].is_joined());
}

TEST_CASE("communicators of one call site are joined by what made them, and by their size") {
  TemporaryProfile::Content content = made_by(10, 10, 0);
  for (std::size_t i = 0; i < 5; ++i)
    content.communicators[i].replace(content.communicators[i].find(",2,0-1"), 6, ",1,0");
  content.communicators[12].replace(content.communicators[12].find("Comm_dup"), 8, "Comm_idup");
  for (std::size_t i = 0; i < 5; ++i) content.operations[i].replace(content.operations[i].find(",2,0,"), 5, ",1,0,");
  TemporaryProfile const files(content);
  for (CommunicatorGroup const& group : groups_of(files.summarise())) CHECK_FALSE(group.is_joined());
}

TEST_CASE("the first lines have the largest sums, also of groups") {
  TemporaryProfile::Content content = made_by(10, 0, 1);
  content.operations.back() = "main,W_d11,2,0,Send,8,15,1,8,0,5000,1,1,";  // the group has 9945 s, each of it less
  TemporaryProfile const files(content);
  Summary const summary = files.summarise();
  for (auto* const show_view : {show_communicators, show_tree}) {
    std::ostringstream out;
    show_view(out, Format::text, summary, {.top = 1});
    INFO(out.str());
    CHECK(out.str().find("W_d{1-10}") != std::string::npos);
    CHECK(out.str().find("W_d11") == std::string::npos);
  }
}

TEST_CASE("the name of a group is a list of numbers where that names its members alone, else a pattern") {
  using Names = std::vector<std::string_view>;
  CHECK(name_of_group(Names{"W_c4.0", "W_c6.0", "W_c8.0", "W_c9.0"}) == "W_c{4-8:2,9}.0");
  CHECK(name_of_group(Names{"W_s1.0", "W_s1.2", "W_s2.0", "W_s2.2"}) == "W_s{1-2}.{0,2}");
  CHECK(name_of_group(Names{"W_s1.0", "W_s1.2", "W_s2.0"}) == "W_s*.*");
  CHECK(name_of_group(Names{"W_u1.0-3.t7", "W_u1.4-7.t7"}) == "W_u1.*-*.t7");
  CHECK(name_of_group(Names{"W_d1", "W_d2", "W_d*"}) == "W_d*");
  CHECK(name_of_group(Names{"W_g1.00", "W_g1.01"}) == "W_g1.0*");
  std::vector<std::string> many;
  for (int i = 1; i < 40; ++i) many.push_back(fmt::format("W_d{}", i * i));
  CHECK(name_of_group(Names(many.begin(), many.end())) == "W_d*");
}

TEST_CASE("the name of a group stands for its members") {
  for (std::string_view const member : {"W_c4.0", "W_c8.0", "W_c9.0"}) CHECK(stands_for("W_c{4-8:2,9}.0", member));
  for (std::string_view const other : {"W_c5.0", "W_c4.1", "W_c4.0_d1", "W_c.0", "W_c04.0", "W"})
    CHECK_FALSE(stands_for("W_c{4-8:2,9}.0", other));
  for (std::string_view const damaged : {"W_c{", "W_c{4", "W_c{}", "W_c{x}", "W_c}4{"})
    CHECK_FALSE(stands_for(damaged, "W_c4"));
}

TEST_CASE("what the first page, the list and the tree call a group selects it") {
  TemporaryProfile const files(made_by(10, 12, 0));
  for (std::string const group : {"W_d{1-10}", "W_d{11-22}"}) {
    Summary const summary = files.summarise({.communicators = {group}});
    auto const groups = groups_of(summary);
    REQUIRE(groups.size() == 1);
    CHECK(name_of_group(summary, groups.front()) == group);
    CHECK(groups.front().members.size() == (group == "W_d{1-10}" ? 10 : 12));
  }
}
