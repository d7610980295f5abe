#include "placement/host_list.hpp"

#include <catch2/catch.hpp>

using namespace mpisee_through;
using Names = std::vector<std::string>;

TEST_CASE("a list of hosts is expanded as Slurm does") {
  CHECK(expand_host_list("a") == Names{"a"});
  CHECK(expand_host_list("node[08-10,1]") == Names{"node08", "node09", "node10", "node1"});
  CHECK(expand_host_list("a,r[1-2]n[0-1]-ib,b") == Names{"a", "r1n0-ib", "r1n1-ib", "r2n0-ib", "r2n1-ib", "b"});
}

TEST_CASE("what is no list of hosts is none") {
  for (char const* text :
       {"", "n[", "n[]", "n[1-", "n[3-1]", "n[a]", "n]1[", "n[1-2000000]", "a,,b", "n[0-999][0-9999]"}) {
    INFO(text);
    CHECK_FALSE(expand_host_list(text).has_value());
  }
}
