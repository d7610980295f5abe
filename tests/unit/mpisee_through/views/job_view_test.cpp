#include "views/job_view.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "files/json.hpp"

using namespace mpisee_through;
using Catch::Contains;
using State = RankGroup::State;

namespace {

// Ranks 1 and 3 have waited for any message for 2 s, on a communicator whose name is no UTF-8; rank 0 goes from call to
// call; rank 2 is silent.
Situation three_groups() {
  Situation situation;
  situation.ranks = 4;
  situation.running = 4;
  situation.groups = {{.ranks = {1, 3},
                       .state = State::in_mpi,
                       .operation = "Recv",
                       .communicator = "W_\xff",
                       .peer = "to any",
                       .place = {},
                       .longest_s = 2,
                       .shortest_s = 1.5,
                       .is_at_least = true,
                       .waits_for = {0, 2},
                       .waits_for_any = true,
                       .chain = {},
                       .pending = {"2 Irecv from 0 on W", "Isend to 2 on W"}},
                      {.ranks = {0},
                       .state = State::changing,
                       .operation = "",
                       .communicator = "",
                       .peer = "",
                       .place = {.module = "/dev/null/a.out", .build_id = "", .offset = 66},
                       .waits_for = {},
                       .chain = {},
                       .pending = {}},
                      {.ranks = {2},
                       .operation = "",
                       .communicator = "",
                       .peer = "",
                       .place = {},
                       .waits_for = {},
                       .chain = {},
                       .pending = {}}};
  return situation;
}

std::string shown(Situation const& situation, std::vector<MessageWaitSum> const& waits, Format format) {
  std::ostringstream out;
  CodeLines const lines;
  show(out, {situation, {}, {}, waits, lines, {}}, format, Terminal());
  return out.str();
}

}  // namespace

TEST_CASE("a look as CSV has a line for each group of ranks") {
  CHECK(
      shown(three_groups(), {}, Format::csv) ==
      "ranks,count,state,has_ended,operation,peer,comm,longest_s,shortest_s,at_least,module,offset,function,file,line,"
      "waits_for,certain,any,pending\n"
      "\"1,3\",2,in_mpi,0,Recv,to any,W_\\xff,2,1.5,1,,0,,,,\"0,2\",0,1,\"2 Irecv from 0 on W, Isend to 2 on W\"\n"
      "0,1,changing,0,,,,0,0,0,/dev/null/a.out,66,,,,,0,0,\n"
      "2,1,silent,0,,,,0,0,0,,0,,,,,0,0,\n");
}

TEST_CASE("a look as a page has sentences, and only tables that have lines") {
  Situation const situation = three_groups();
  Json const part = Json::parse(shown(situation, {}, Format::html));
  CHECK_THAT(part["head"].get<std::string>(), Contains("4 ranks, running") && Contains("2 ranks (1,3) in Recv to any"));
  CHECK(part["table"]["lines"].size() == 3);
  CHECK(part["table"]["lines"][0][5] == Json{{"value", 2.0}, {"bound", "at least"}});

  MessageWaitSum wait;
  wait.communicator = "W";
  wait.operation = "Recv";
  std::istringstream parts(shown(situation, {wait}, Format::html));
  std::string line;
  std::getline(parts, line);
  std::getline(parts, line);
  CHECK(Json::parse(line)["table"]["lines"].size() == 1);
  CHECK_FALSE(std::getline(parts, line));
}

TEST_CASE("a look as JSON is one line, with the groups as CSV has them") {
  Json const json = Json::parse(shown(three_groups(), {}, Format::json));
  CHECK(json["groups"].size() == 3);
  CHECK(json["groups"][0]["pending"].size() == 2);
  CHECK(json["last"].is_null());
}
