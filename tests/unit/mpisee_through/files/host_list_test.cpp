#include <catch2/catch.hpp>

#include "files/text_lines.hpp"

using mpisee_through::expand_host_list;
using NameList = std::vector<std::string>;

TEST_CASE("a list of hosts is expanded as Slurm does") {
  CHECK(*expand_host_list("login") == NameList{"login"});
  CHECK(*expand_host_list("node[08-10,3],a") == NameList{"node08", "node09", "node10", "node3", "a"});
  CHECK(*expand_host_list("r[1-2]n[1-2]-ib") == NameList{"r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"});
  CHECK(*expand_host_list("a,r[1-2],b") == NameList{"a", "r1", "r2", "b"});
}

TEST_CASE("what is no list of hosts is none") {
  for (char const* const text : {"", "a,,b", "a,", "n[", "n[1", "n]", "n[]", "n[2-1]", "n[a-b]", "n[1-]", "n[-1]",
                                 "n[1-99999999999]", "n[0-999999],m", "a[1-2000]b[1-2000]"})
    CHECK_FALSE(expand_host_list(text));
}

TEST_CASE("a name longer than any host's is refused before it is repeated") {
  std::string const digits(254, '0'), text(254, 'n');
  CHECK(expand_host_list("n[" + digits + "]"));
  CHECK_FALSE(expand_host_list("n[" + digits + "0-999]"));
  CHECK(expand_host_list(text + "[1-3]"));
  CHECK_FALSE(expand_host_list(text + "[1-10]"));
}
