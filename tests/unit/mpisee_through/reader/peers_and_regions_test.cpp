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

TEST_CASE("every field of peers.csv is read") {
  TemporaryProfile const files({.peers = {{"solve/halo,W_a1,internal,1,0,1024,2047,3,4000,Ibcast",
                                           "main,W,p2p,0,-1,0,0,1,0,", "main,W,rma,-1,1,8,15,2,16,"}}});
  Profile const profile(files.path());
  PeerRows rows(profile);
  PeerRow const* row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->region == "solve/halo");
  CHECK(row->communicator == "W_a1");
  CHECK(row->traffic_class == TrafficClass::internal);
  CHECK(row->from == WorldRank{1});
  CHECK(row->to == WorldRank{0});
  CHECK(row->size == SizeBin{1024, 2047});
  CHECK(row->messages == 3);
  CHECK(row->bytes == 4000);
  CHECK(row->operation == "Ibcast");
  row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->traffic_class == TrafficClass::p2p);
  CHECK(row->to == other_world);
  CHECK(row->operation.empty());
  row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->traffic_class == TrafficClass::rma);
  CHECK(row->from == other_world);
  CHECK(rows.next() == nullptr);
}

TEST_CASE("the size of the call that an internal message was sent for is read") {
  TemporaryProfile const files(
      {.peers = {{"main,W,internal,0,1,8,15,3,24,Bcast,1024,2047", "main,W,internal,0,1,0,0,1,0,Comm_dup,,"}}});
  Profile const profile(files.path());
  PeerRows rows(profile);
  PeerRow const* row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->call_size_min == 1024);
  CHECK(row->call_size_max == 2047);
  row = rows.next();
  REQUIRE(row != nullptr);
  CHECK_FALSE(row->call_size_min.has_value());
  CHECK_FALSE(row->call_size_max.has_value());
  CHECK(problem_of_peer("main,W,internal,0,1,8,15,1,8,Bcast,16,15") ==
        "peers.csv:2: call_size_min and call_size_max are no bounds of a size");
  CHECK(problem_of_peer("main,W,internal,0,1,8,15,1,8,Bcast,16,") ==
        "peers.csv:2: call_size_min and call_size_max are no bounds of a size");
}

TEST_CASE("every field of regions.csv is read") {
  TemporaryProfile const files({.regions = {{"solve/halo,1,20,1.5,0.25"}}});
  Profile const profile(files.path());
  RegionRows rows(profile);
  RegionRow const* row = rows.next();
  REQUIRE(row != nullptr);
  CHECK(row->region == "solve/halo");
  CHECK(row->rank == WorldRank{1});
  CHECK(row->entered == 20);
  CHECK(row->wall_s == 1.5);
  CHECK(row->mpi_s == 0.25);
  CHECK(rows.next() == nullptr);
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

TEST_CASE("a profile without the files is an old one, and readable") {
  TemporaryProfile const files;
  CHECK(files.problem().empty());
  CHECK(problem<PeerRows>(files) == "peers.csv: this profile was written without who talks to whom");
  CHECK(problem<RegionRows>(files) == "regions.csv: this profile was written without times of regions");
}
