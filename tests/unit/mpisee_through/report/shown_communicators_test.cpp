#include "report/shown_communicators.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// W 1 s, W_d1 0 s, W_d1_d1 3 s, W_d2 2 s, a name with a control character 0.5 s.
TemporaryProfile const& files() {
  static TemporaryProfile const profile(
      {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0", "W_d1_d1,W_d1,Comm_dup,2,0-1,,,,0", "W_d2,W,Comm_dup,2,0-1,,,,0",
                         "W_\x1b,W,Comm_dup,2,0-1,,,,0"},
       .operations = {"main,W,2,0,Barrier,0,0,1,0,0,1,1,1", "main,W_d1_d1,2,0,Barrier,0,0,1,0,0,3,3,3",
                      "main,W_d2,2,0,Barrier,0,0,1,0,0,2,2,2", "main,W_\x1b,2,0,Barrier,0,0,1,0,0,0.5,0.5,0.5"}});
  return profile;
}

std::vector<std::string> names(Summary const& summary, ShownCommunicators const& shown) {
  std::vector<std::string> names;
  for (TreeNode const& node : shown.nodes()) names.push_back(summary.communicator(node.communicator).name);
  return names;
}

}  // namespace

TEST_CASE("the costliest communicators are shown below their ancestors") {
  Summary const summary = files().summarise();
  ShownCommunicators shown(summary, 2);
  // W_d1_d1 and W_d2 cost most; W and W_d1 are where they come from.
  CHECK(names(summary, shown) == std::vector<std::string>{"W", "W_d2", "W_d1", "W_d1_d1"});
  CHECK(shown.further_count() == 2);  // SELF, W_\x1b
  CHECK(shown.place_of("W_d2") == 1);
  CHECK(shown.place_of("W_d1_d1") == 3);
  CHECK(shown.place_of("SELF") == shown.further());
  CHECK(shown.place_of("no such one") == shown.further());
}

TEST_CASE("a communicator is found by its name as the file spells it") {
  Summary const summary = files().summarise();
  ShownCommunicators shown(summary, 100);
  CHECK(shown.further_count() == 0);
  std::size_t const place = shown.place_of("W_\x1b");
  REQUIRE(place < shown.nodes().size());
  CHECK(summary.communicator(shown.nodes()[place].communicator).name == "W_\\x1b");
  CHECK(shown.place_of(shown.nodes()[place].communicator) == place);
}

TEST_CASE("further communicators of a call site have a place of their own") {
  // 12 of one site, 11 of another, the latter cheaper; W_x is of none.
  TemporaryProfile::Content content{.communicators = {"W_x,W,Comm_dup,2,0-1,,,,0,"},
                                    .operations = {"main,W_x,2,0,Barrier,0,0,1,0,0,1,1,1,"},
                                    .sites = {{"app+0x1,app,0x1,,,", "app+0x2,app,0x2,,,"}}};
  for (int i = 1; i <= 23; ++i) {
    std::string const name = "W_d" + std::to_string(i);
    content.communicators.push_back(name + ",W,Comm_dup,2,0-1,,,,0,app+0x" + (i <= 12 ? "1" : "2"));
    content.operations.push_back("main," + name + ",2,0,Barrier,0,0,1,0,0," + std::to_string(100 - i) + ",1,1,");
  }
  TemporaryProfile const many(content);
  Summary const summary = many.summarise();

  ShownCommunicators shown(summary, 14);  // W above them; W_d1 to W_d14
  REQUIRE(shown.nodes().size() == 15);
  REQUIRE(shown.groups().size() == 2);
  CHECK(shown.groups()[0].communicators == 12);
  CHECK(shown.groups()[0].further == 0);
  CHECK(shown.groups()[1].communicators == 11);
  CHECK(shown.groups()[1].further == 9);
  CHECK(shown.group_of(shown.place_of("W_d12")) == 0);
  CHECK(shown.group_of(shown.place_of("W_d14")) == 1);
  CHECK_FALSE(shown.group_of(shown.place_of("W")));
  CHECK(shown.place_of("W_d15") == 15);
  CHECK(shown.place_of("W_d23") == 15);
  CHECK(shown.further() == 16);
  CHECK(shown.place_of("W_x") == 16);
  CHECK(shown.further_count() == 2);  // W_x and SELF; W is shown, where the others come from

  // A group of which none is shown is among all others.
  ShownCommunicators few(summary, 3);
  REQUIRE(few.groups().size() == 1);
  CHECK(few.groups()[0].further == 9);
  CHECK(few.place_of("W_d12") == 4);
  CHECK(few.place_of("W_d13") == few.further());
  CHECK(few.further_count() == 11 + 2);
}
