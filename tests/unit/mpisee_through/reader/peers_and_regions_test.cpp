// Tests the files that only some profiles have.
#include <catch2/catch.hpp>

#include "reader/profile_reader.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// The error of reading a file to its end, without the directory's name.
template <class Rows>
std::string problem(TemporaryProfile const& files) {
  try {
    Profile const profile(files.path());
    Rows rows(profile);
    while (rows.next() != nullptr) continue;
    return {};
  } catch (ProfileError const& error) {
    return std::string(error.what()).substr(files.path().string().size() + 1);
  }
}

std::string problem_of_peer(std::string const& row) { return problem<PeerRows>(TemporaryProfile({.peers = {{row}}})); }
std::string problem_of_region(std::string const& row) {
  return problem<RegionRows>(TemporaryProfile({.regions = {{row}}}));
}

}  // namespace

TEST_CASE("the size of the call that an internal message was sent for has both bounds, or none") {
  CHECK(problem_of_peer("main,W,internal,0,1,0,0,1,0,Comm_dup,,").empty());
  CHECK(problem_of_peer("main,W,internal,0,1,8,15,1,8,Bcast,16,15") ==
        "peers.csv:2: call_size_min and call_size_max are no bounds of a size");
  CHECK(problem_of_peer("main,W,internal,0,1,8,15,1,8,Bcast,16,") ==
        "peers.csv:2: call_size_min and call_size_max are no bounds of a size");
}

TEST_CASE("a wrong row of peers.csv is named") {
  CHECK(problem_of_peer("main,W,p2p,0,1,8,15,1,8,").empty());
  CHECK(problem_of_peer("main,W,tcp,0,1,8,15,1,8,") ==
        "peers.csv:2: class is not one of p2p, rma, internal, network: \"tcp\"");
  CHECK(problem_of_peer("main,W,p2p,2,1,8,15,1,8,") == "peers.csv:2: rank 2 in a run of 2 ranks");
  CHECK(problem_of_peer("main,W,p2p,0,-2,8,15,1,8,") == "peers.csv:2: dst is not a whole number: \"-2\"");
  CHECK(problem_of_peer("main,W,p2p,-1,-1,8,15,1,8,") == "peers.csv:2: neither src nor dst is a rank of this run");
  CHECK(problem_of_peer("main,W,p2p,0,1,16,15,1,8,") == "peers.csv:2: size_min is greater than size_max");
  CHECK(problem_of_peer("main,W,p2p,0,1,8,15,1,1e3,") == "peers.csv:2: bytes is not a whole number: \"1e3\"");
  CHECK(problem_of_peer("main,,p2p,0,1,8,15,1,8,") == "peers.csv:2: comm is empty");
  CHECK(problem_of_peer("main,W,p2p,0,1,8,15,1,8") == "peers.csv:2: fewer fields than the header has columns");
}

TEST_CASE("a wrong row of regions.csv is named") {
  CHECK(problem_of_region("main,0,1,1,0").empty());
  CHECK(problem_of_region(",0,1,1,0") == "regions.csv:2: region is empty");
  CHECK(problem_of_region("main,2,1,1,0") == "regions.csv:2: rank 2 in a run of 2 ranks");
  CHECK(problem_of_region("main,0,1,nan,0") == "regions.csv:2: wall_s is not a time in seconds: \"nan\"");
}

TEST_CASE("peers.csv that was cut off, or is not there, is noticed") {
  std::vector<std::string> const rows{"main,W,p2p,0,1,8,15,1,8,", "main,W,p2p,1,0,8,15,1,8,"};
  TemporaryProfile const files({.peers = rows});
  std::string const whole = files.read("peers.csv");
  files.write("peers.csv", whole.substr(0, whole.rfind("main")));
  CHECK(problem<PeerRows>(files) == "peers.csv:2: cut off after 1 of 2 rows");
  files.write("peers.csv", whole.substr(0, whole.size() - 3));
  CHECK(problem<PeerRows>(files) == "peers.csv:3: cut off in the middle of the line");
  files.write("peers.csv", whole + rows[0] + "\n");
  CHECK(problem<PeerRows>(files) == "peers.csv:4: more rows than the 2 that run.json counts");
  files.remove("peers.csv");
  CHECK(problem<PeerRows>(files) == "peers.csv: No such file or directory");
}
