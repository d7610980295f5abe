#include "findings/highlights.hpp"

#include <catch2/catch.hpp>

#include "findings/first_screen.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Bytes: 600 from 0 to 1, 300 from 1 to 0 (of them 200 by the MPI itself), 100 from 2 to another world.
TemporaryProfile::Content with_messages() {
  return {.ranks = 3,
          .operations = {"main,W,3,0,Send,8,15,10,80,0,3,0.1,1", "main,W,3,0,Send,512,1023,1,920,0,1,1,1",
                         "main,W,3,0,Waitall,0,0,11,0,0,5,0.1,1", "main,W,3,1,Recv,8,15,10,0,80,3,0.1,1",
                         "main,W,3,1,Recv,512,1023,1,0,920,1,1,1"},
          .peers = {{"main,W,p2p,0,1,8,15,75,600,", "main,W,p2p,1,0,8,15,10,100,",
                     "main,W,internal,1,0,8,15,20,200,Barrier", "main,W_d1,p2p,2,-1,8,15,10,100,"}}};
}

FirstScreen screen_of(TemporaryProfile::Content const& content, Selection const& selection = {}) {
  TemporaryProfile const files(content);
  return look_at(Profile(files.path()), selection);
}

}  // namespace

TEST_CASE("the first page knows who talks to whom most, of all traffic") {
  FirstScreen const screen = screen_of(with_messages());
  CHECK(describe_busiest_pair(screen) == "rank 0 to rank 1: 60.0 % of the 1000 B of all messages.");
  CHECK(describe_busiest_pair(screen_of(with_messages(), {.ranks = RankSet::parse("2")})) ==
        "rank 2 to another world: 100.0 % of the 100 B of all messages.");
  // Messages know no operation, and an old profile no messages.
  CHECK(describe_busiest_pair(screen_of(with_messages(), {.operations = {"Send"}})).empty());
  TemporaryProfile::Content old = with_messages();
  old.peers.reset();
  CHECK(describe_busiest_pair(screen_of(old)).empty());
}

TEST_CASE("the first page knows which sizes have most time and most bytes") {
  // Of calls that carry data, 8 to 15 B have 6 of 8 s and 160 of 2,000 B. Waitall carries none.
  CHECK(describe_main_sizes(screen_of(with_messages())) ==
        "time: 8-15 B (75.0 %), bytes: 512-1,023 B (92.0 %) of calls with data.");
  CHECK(describe_main_sizes(screen_of(with_messages(), {.sizes = SizeRange::parse("8")})) ==
        "8-15 B: 100.0 % of the time, 100.0 % of the bytes of calls with data.");
  CHECK(describe_main_sizes(screen_of(with_messages(), {.operations = {"Waitall"}})).empty());
}
