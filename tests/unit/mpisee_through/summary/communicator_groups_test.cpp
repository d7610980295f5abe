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
    CHECK(out.str().find("W_d1 and 9 more") != std::string::npos);
    CHECK(out.str().find("W_d11") == std::string::npos);
  }
}
