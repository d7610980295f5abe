#include "base/nearest_name.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>

using namespace commprof;

namespace {

std::string_view nearest(std::string_view typed, std::initializer_list<std::string_view> names) {
  NearestName nearest(typed);
  for (std::string_view const name : names) nearest.offer(name);
  return nearest.name();
}

}  // namespace

TEST_CASE("a slip is a letter too many, too few, wrong, or in the place of its neighbour") {
  CHECK(count_slips("output", "output") == 0);
  CHECK(count_slips("outpt", "output") == 1);
  CHECK(count_slips("outtput", "output") == 1);
  CHECK(count_slips("oatput", "output") == 1);
  CHECK(count_slips("ouptut", "output") == 1);
  CHECK(count_slips("OutPut", "oUTpUT") == 0);
  CHECK(count_slips("", "abc") == 3);
  CHECK(count_slips("abc", "") == 3);
  CHECK(count_slips("kitten", "sitting") == 3);  // the textbook example
  CHECK(count_slips("ca", "abc") == 3);          // no insertion between two swapped letters
}

TEST_CASE("slips are counted to the 63rd letter, however long the words are") {
  std::string const same(63, 'a');
  CHECK(count_slips(same + std::string(10'000, 'b'), same + std::string(5'000, 'c')) == 0);
  CHECK(count_slips(std::string(10'000, 'b'), std::string(10'000, 'c')) == 63);
}

TEST_CASE("the nearest name has the fewest slips") {
  CHECK(nearest("operation", {"sites", "operations", "ranks"}) == "operations");
  CHECK(nearest("rnaks", {"rank", "ranks"}) == "ranks");
  CHECK(nearest("size", {"sites", "sizes"}) == "sizes");
}

TEST_CASE("a name is near up to a third of its letters") {
  CHECK(nearest("abcxyf", {"abcdef"}) == "abcdef");  // 2 of 6
  CHECK(nearest("abxyzf", {"abcdef"}).empty());      // 3 of 6
  CHECK(nearest("diff", {"report", "compare", "resolve", "now"}).empty());
  CHECK(nearest("x", {}).empty());
}

TEST_CASE("a beginning of three letters is near, too") {
  CHECK(nearest("oper", {"matrix", "operations"}) == "operations");
  CHECK(nearest("MAT", {"matrix", "matrix-csv"}) == "matrix");
  CHECK(nearest("output_directory", {"output"}) == "output");
  CHECK(nearest("op", {"operations"}).empty());
}
