#include "findings/highlights.hpp"

#include <fmt/format.h>

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
  return read_first_page(Profile(files.path()), selection);
}

std::string told(std::string_view label, FirstScreen const& screen) {
  for (Highlight const& one : highlights(screen)) {
    if (one.label == label) return one.text;
  }
  return "";
}

}  // namespace

TEST_CASE("the first page knows which call has most time") {
  // 5 s of 13 s in MPI, of three ranks with 10 s each.
  CHECK(told("Top call", screen_of(with_messages())) ==
        "Waitall on W: 38.5 % of the MPI time, 16.7 % of the wall time.");
  CHECK(told("Top call", screen_of({})).empty());
}

TEST_CASE("the first page says in a sentence what the run is bound by") {
  CHECK(told("Verdict", screen_of(with_messages())) ==
        "mostly work outside MPI; MPI is bound by Waitall on W: 16.7 % of the wall time; all of MPI takes 20.0 %.");
  TemporaryProfile::Content const little{.ranks = 2, .operations = {"main,W,2,0,Send,8,15,10,80,0,0.3,0.1,1"}};
  CHECK(told("Verdict", screen_of(little)) == "mostly work outside MPI: MPI takes 20.0 % of the wall time.");
  TemporaryProfile const files(little);
  for (char const* rank : {"0", "1"})
    files.replace("ranks.csv", fmt::format("{},host,1,0,1,10,2", rank), fmt::format("{},host,1,0,1,10,0.5", rank));
  CHECK(told("Verdict", read_first_page(Profile(files.path()), {})) ==
        "bound by the work outside MPI: MPI takes 5.0 % of the wall time.");
  // Ten times as many duplicates as needed take 1.5 % of the wall time; MPI takes 20 % of it.
  FirstScreen const trifle = screen_of(
      {.ranks = 2,
       .communicators = {"W_d*,W,Comm_dup,2,0-1,,,,1", "W_s1.0,W,Comm_split,2,0-1,,,,0"},
       .operations = {"main,W,2,0,Comm_dup,0,0,200,0,0,0.3,0.001,1", "main,W,2,0,Bcast,0,0,10,0,0,0.85,0.1,1",
                      "main,W_d*,2,0,Comm_free,0,0,200,0,0,0,0,1", "main,W_s1.0,2,0,Reduce,0,0,10,0,0,0.85,0.1,1",
                      "main,W,2,1,Comm_dup,0,0,200,0,0,0.3,0.001,1", "main,W,2,1,Gather,0,0,10,0,0,0.85,0.1,1",
                      "main,W_d*,2,1,Comm_free,0,0,200,0,0,0,0,1", "main,W_s1.0,2,1,Scan,0,0,10,0,0,0.85,0.1,1"}});
  REQUIRE(trifle.findings.size() == 1);
  CHECK(trifle.findings[0].rule == "communicator-churn");
  CHECK(told("Verdict", trifle) == "mostly work outside MPI: MPI takes 20.0 % of the wall time.");
  CHECK(describe_unexplained(trifle) ==
        "The findings concern 3.0 % of the wall time, MPI takes 20.0 %: Bcast 21.2 %, Gather 21.2 %, Reduce 21.2 % of "
        "it.");
  CHECK(describe_unexplained(screen_of(with_messages())).empty());
  Selection part;
  part.communicators = {"W"};
  CHECK(told("Verdict", screen_of(with_messages(), part)).empty());
}

TEST_CASE("the first page splits the MPI time by kind of call, and says how fast files were") {
  TemporaryProfile::Content content = with_messages();
  content.operations.push_back("main,W,3,2,File_write,1024,2047,1,1024,0,2,1,1");
  CHECK(told("By kind", screen_of(content)) ==
        "p2p 53.3 %, completion 33.3 %, file 13.3 % (1.000 KiB at 512 B/s a rank) of the MPI time.");
  CHECK(told("By kind", screen_of({})).empty());
}

TEST_CASE("each rule has words for the verdict, unless nobody may wait for what it finds, or it has another verdict") {
  for (Rule const& rule : rules())
    CHECK(rule.bound_by.empty() == (rule.name == "slower-rank" || rule.level == Level::stuck));
}

TEST_CASE("pairs with as many bytes as the first one are counted") {
  TemporaryProfile::Content content = with_messages();
  content.peers = {{"main,W,p2p,0,1,8,15,75,600,", "main,W,p2p,1,0,8,15,10,594,", "main,W,p2p,1,2,8,15,10,593,"}};
  CHECK(told("Top pair", screen_of(content)) ==
        "rank 0 to rank 1: 33.6 % of the 1.745 KiB of all messages; 1 more pair has as much.");
}

TEST_CASE("messages of a rank to itself are no pair, but part of all messages") {
  TemporaryProfile::Content content = with_messages();
  content.peers = {{"main,W,p2p,0,0,8,15,75,700,", "main,W,p2p,1,0,8,15,10,100,", "main,W,p2p,1,1,8,15,10,100,"}};
  CHECK(told("Top pair", screen_of(content)) == "rank 1 to rank 0: 11.1 % of the 900 B of all messages.");
  content.peers = {{"main,W,p2p,0,0,8,15,75,700,"}};
  CHECK(told("Top pair", screen_of(content)).empty());
  // An older profile names rank 0 and itself: the rows tell better.
  content.peers->push_back("main,W,p2p,1,0,8,15,10,200,");
  content.more_of_run =
      ",\"messages\": {\"p2p\": {\"messages\": 85, \"bytes\": 900}, \"rma\": {\"messages\": 0, \"bytes\": 0}, "
      "\"internal\": {\"messages\": 0, \"bytes\": 0}, "
      "\"busiest\": {\"src\": 0, \"dst\": 0, \"messages\": 75, \"bytes\": 700, \"others\": 0}}";
  CHECK(told("Top pair", screen_of(content)) == "rank 1 to rank 0: 22.2 % of the 900 B of all messages.");
}

TEST_CASE("the first page says how few of the bytes are in messages between pairs") {
  TemporaryProfile::Content content = with_messages();
  content.peers = {{"main,W,p2p,0,1,8,15,75,100,"}};  // of 1,000 B sent, and 9,000 B in a collective
  content.operations.push_back("main,W,3,2,Alltoall,8192,16383,1,9000,9000,1,1,1");
  FirstScreen const screen = screen_of(content);
  CHECK(told("Top pair", screen) ==
        "rank 0 to rank 1: 100.0 % of the 100 B of all messages. These messages are 1.0 % of the 9.766 KiB that calls "
        "send: collectives and files are not among them. --matrix --class estimate has collectives.");
  CHECK(screen.busiest_pair->share_of_bytes_sent() == 0.01);
  // Only the receivers of a broadcast count bytes.
  content.operations.back() = "main,W,3,2,Bcast,2048,4095,1,0,3000,1,1,1";
  CHECK(screen_of(content).busiest_pair->share_of_bytes_sent() == 0.025);
  content.operations.back() = "main,W,3,2,File_write,8192,16383,1,9000,0,1,1,1";
  CHECK(told("Top pair", screen_of(content)).ends_with("collectives and files are not among them."));
}

TEST_CASE("the first page knows who talks to whom most, of all traffic") {
  FirstScreen const screen = screen_of(with_messages());
  CHECK(told("Top pair", screen) == "rank 0 to rank 1: 60.0 % of the 1000 B of all messages.");
  CHECK(told("Top pair", screen_of(with_messages(), {.ranks = RankSet::parse("2")})) ==
        "rank 2 to another world: 100.0 % of the 100 B of all messages from or to the selected ranks.");
  // Messages know no operation, and an old profile no messages.
  CHECK(told("Top pair", screen_of(with_messages(), {.operations = {"Send"}})).empty());
  TemporaryProfile::Content old = with_messages();
  old.peers.reset();
  CHECK(told("Top pair", screen_of(old)).empty());
}

TEST_CASE("the first page knows which sizes have most time and most bytes") {
  // Calls of 8 to 15 B have 6 of the 8 s and 160 of the 2,000 B of all calls that carry data. Waitall
  // carries no data; all calls take 13 s.
  CHECK(told("Top sizes", screen_of(with_messages())) ==
        "time: 8-15 B (75.0 %), bytes: 512-1,023 B (92.0 %) of calls with data, which take 61.5 % of the MPI time "
        "(completions: 38.5 %).");
  CHECK(told("Top sizes", screen_of(with_messages(), {.sizes = SizeRange::parse("8")})) ==
        "8-15 B: 100.0 % of the time, 100.0 % of the bytes of calls with data, which take 46.2 % of the MPI time.");
  CHECK(told("Top sizes", screen_of(with_messages(), {.operations = {"Waitall"}})).empty());
}
