#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "summary/communicator_groups.hpp"

using namespace mpisee_through;

TEST_CASE("a family is a name without ranks") {
  CHECK(family_of("W") == "W");
  CHECK(family_of("W_d*") == "W_d*");
  CHECK(family_of("W_s2.0") == "W_s2.*");
  CHECK(family_of("W_s2.128_c1.0_d3") == "W_s2.*_c1.*_d3");
  for (char const* const group : {"W_u1.0-3", "W_u1.4-7", "W_u1.2-3", "W_u1.0-6:2", "W_u1.5", "W_u1.0.3f2a9c1d"})
    CHECK(family_of(group) == "W_u1.*");
  CHECK(family_of("W_u1.0-3.t7") == "W_u1.*.t7");
  CHECK(family_of("W_u1.0-3.t7_s1.2") == "W_u1.*.t7_s1.*");
  CHECK(family_of("W_i1.0-1.2-3") == "W_i1.*");
  CHECK(family_of("W_i1.0-1:2.2-3.3f2a9c1d.t7_m1") == "W_i1.*.t7_m1");
  CHECK(family_of("W_f1.0-3.all") == "W_f1.*.all");
  CHECK(family_of("U1.0.3f2a9c1d") == "U1.*");
  CHECK(family_of("W_s1._x.") == "W_s1.*_x.*");  // not from this profiler
}

TEST_CASE("the name of a group is a pattern") {
  using Names = std::vector<std::string_view>;
  CHECK(name_of_group(Names{"W_c4.0", "W_c6.0", "W_c8.0"}) == "W_c*.0");
  CHECK(name_of_group(Names{"W_s1.0", "W_s1.12"}) == "W_s1.*");
  CHECK(name_of_group(Names{"W_u1.0-3.t7", "W_u1.4-7.t7"}) == "W_u1.*.t7");
  CHECK(name_of_group(Names{"W_d1", "W_d2", "W_d*"}) == "W_d*");
  CHECK(name_of_group(Names{"W_d1", "W_d11", "W_d111"}) == "W_d1*");
}
