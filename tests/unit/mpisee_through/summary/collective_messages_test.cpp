#include <catch2/catch.hpp>

#include "summary/traffic.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Four ranks. Alltoall on W: each sends 300 B; on folded communicators of two ranks each: each sends 1,000 B.
TemporaryProfile::Content with_folded() {
  TemporaryProfile::Content content{.ranks = 4, .communicators = {"W_s*,W,Comm_split,2,0-3,,,,1"}, .peers = {{}}};
  for (int rank = 0; rank < 4; ++rank) {
    content.operations.push_back("main,W,4," + std::to_string(rank) + ",Alltoall,256,511,1,300,0,1,1,1");
    content.operations.push_back("main,W_s*,2," + std::to_string(rank) + ",Alltoall,512,1023,1,1000,0,1,1,1");
  }
  return content;
}

}  // namespace

TEST_CASE("the estimate has nothing of folded communicators, and says so") {
  TemporaryProfile const files(with_folded());
  Selection selection;
  selection.classes = {TrafficClass::estimate};
  Traffic const traffic = add_up_traffic(Profile(files.path()), selection, Detail::operations);
  CHECK(traffic.total.bytes == 4 * 300);
  CHECK(traffic.pairs.size() == 12);
  CHECK(traffic.without_estimate == 4 * 1000);
  std::string const path = files.path().string();
  CHECK(contains(run_tool("--matrix --class estimate " + path).out,
                 "The estimate lacks 3.906 KiB of collectives on folded communicators, whose members are not known."));
  CHECK(run_tool("--matrix --class estimate --csv --top 1 " + path).out ==
        "src,dst,messages,bytes,has_estimate\n0,1,1,100,1\n");
  CHECK(contains(run_tool("--matrix --class estimate --json " + path).out, "\"without_estimate\":4000"));
  CHECK_FALSE(contains(run_tool("--matrix --json " + path).out, "estimate\":4000"));
}
