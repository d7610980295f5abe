#include "views/forms.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace mpisee_through;

TEST_CASE("long lists of members keep their first ranges and the last") {
  CHECK(shorten_members("") == "");
  CHECK(shorten_members("0-63,128-191") == "0-63,128-191");
  std::string const of_forty = "0-9,20-29,40-49,60-69,80-89,100-109,120-9";
  REQUIRE(of_forty.size() == 41);
  CHECK(shorten_members(of_forty.substr(0, 40)) == of_forty.substr(0, 40));
  CHECK(shorten_members("0-9,20-29,40-49,60-69,80-89,100-109,120-129,140-149,160-169") ==
        "0-9,20-29,40-49,60-69,80-89,100-109,...,160-169");
  CHECK(shorten_members("1000000-2000000:1000,3000000-4000000:1000,5") == "1000000-2000000:1000,...,5");
  CHECK(shorten_members("1000000-2000000:1000,3000000-4000000:10") == "1000000-2000000:1000,3000000-4000000:10");
}
