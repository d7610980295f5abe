#include "report/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/packed_column.hpp"
#include "report/page.hpp"
#include "report/report_data.hpp"
#include "summary/summarise.hpp"
#include "support/temporary_profile.hpp"
#include "views/forms.hpp"
#include "waiting/situation_json.hpp"

using namespace mpisee_through;

namespace {

std::string json_of(TemporaryProfile const& files, Selection const& selection = {}) {
  return to_json(read_report_data(Profile(files.path()), selection));
}

// The output of a terminal so wide that no line is broken.
std::string first_page_of(TemporaryProfile const& files) {
  std::ostringstream out;
  show(out, read_first_page(Profile(files.path()), {}), Format::text, {.width = 10000});
  return out.str();
}

}  // namespace

TEST_CASE("text of a profile cannot end the element it is in") {
  TemporaryProfile const files({.communicators = {"W_d1,W,Comm_dup,2,0-1,,,</script><script>alert(1)</script>,0"},
                                .operations = {"main,W_d1,2,0,Send,8,15,1,8,0,1,1,1"}});
  std::ostringstream page;
  write_page(page, {"", ""}, json_of(files));
  std::string const json = std::move(page).str();
  CHECK(json.find('<') == std::string::npos);
  // SELF, W and below it W_d1.
  CHECK(nlohmann::json::parse(json)["communicators"][2]["user_name"] == "</script><script>alert(1)</script>");
}

TEST_CASE("sizes between two that occur are there") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Send,0,0,1,0,0,1,1,1", "main,W,2,0,Send,8,15,1,8,0,1,1,1",
                                               "main,W,2,0,Barrier,0,0,1,0,0,1,1,1"}});
  auto const json = nlohmann::json::parse(json_of(files));
  std::string labels;
  for (auto const& size : json["sizes"]) labels += size["label"].get<std::string>() + ";";
  CHECK(labels == "0 B;1 B;2-3 B;4-7 B;8-15 B;");
  // Rows by operation and size: Barrier, Send of 0 B, Send of 8-15 B.
  std::vector<std::uint64_t> const sizes{0, 0, 4};
  CHECK(json["calls"]["size"] == pack_counts(sizes));
}

TEST_CASE("sizes that are too many for a histogram are joined") {
  TemporaryProfile::Content content;
  for (int size = 0; size < 1000; ++size)
    content.operations.push_back(fmt::format("main,W,2,0,Send,{0},{0},1,{0},0,0.001,0.001,0.001", size));
  auto const json = nlohmann::json::parse(json_of(TemporaryProfile(content)));
  REQUIRE(json["sizes"].size() == 11);  // 0, 1, 2-3 … 512-1023
  CHECK(json["sizes"][10]["min"] == 512);
  CHECK(json["sizes"][10]["max"] == 1023);
  CHECK(json["calls"]["calls"] == pack_counts(std::vector<std::uint64_t>{1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 488}));
}

TEST_CASE("the head has the processor time of the ranks, and how long they queued, if all know it") {
  TemporaryProfile const files({.ranks = 2});
  files.write("ranks.csv",
              "rank,host,pid,cpus,threads,wall_s,mpi_s,cpu_s,queued_s\n0,host,1,0,1,10,2,9,1\n1,host,2,0,1,10,2,7,3\n");
  auto const json = nlohmann::json::parse(json_of(files));
  CHECK(json["run"]["cpu_share"] == 0.8);
  CHECK(json["run"]["queued_share"] == 0.2);
  files.replace("ranks.csv", "7,3", ",3");
  CHECK(nlohmann::json::parse(json_of(files))["run"]["cpu_share"].is_null());
}

TEST_CASE("the head has the memory of the largest rank, if all know it") {
  TemporaryProfile const files({.ranks = 2});
  files.write(
      "ranks.csv",
      "rank,host,pid,cpus,threads,wall_s,mpi_s,max_rss_bytes\n0,host,1,0,1,10,2,4096\n1,host,2,0,1,10,2,8192\n");
  CHECK(nlohmann::json::parse(json_of(files))["run"]["max_rss_bytes"] == 8192);
  files.replace("ranks.csv", "2,8192", "2,");
  CHECK(nlohmann::json::parse(json_of(files))["run"]["max_rss_bytes"].is_null());
}

TEST_CASE("what a profile was written without is null") {
  auto const json = nlohmann::json::parse(json_of(TemporaryProfile()));
  CHECK(json["pairs"].is_null());
  CHECK(json["regions"].is_null());
}

TEST_CASE("a report of a selection has its calls, ranks and messages, and says what it leaves out") {
  TemporaryProfile const files(
      {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0"},
       .operations = {"main,W,2,0,Send,8,15,1,8,0,1,1,1", "main,W,2,0,Barrier,0,0,3,0,0,1,1,1",
                      "main,W_d1,2,0,Send,8,15,5,40,0,2,1,1", "main,W,2,1,Recv,8,15,7,0,56,4,1,1",
                      "main,W_d1,2,1,Send,16,31,11,176,0,8,1,1"},
       .peers = std::vector<std::string>{"main,W,p2p,0,1,8,15,1,8,", "main,W_d1,p2p,0,1,8,15,5,40,",
                                         "main,W_d1,p2p,1,0,16,31,11,176,"}});
  auto const of = [&](Selection const& selection) { return nlohmann::json::parse(json_of(files, selection)); };
  auto const counts = [](std::vector<std::uint64_t> const& numbers) { return pack_counts(numbers); };

  auto const all = of({});
  CHECK(all["selection"] == "");
  CHECK(all["calls"]["calls"] == counts({3, 7, 1, 5, 11}));  // Barrier, Recv and Send on W, Send on W_d1
  CHECK(all["pairs"]["messages"] == counts({1, 5, 11}));
  auto const census = [](nlohmann::json const& json) { return json["tables"]["census"]["table"]["lines"]; };
  REQUIRE(census(all).size() == 3);  // SELF, W, W_d1
  CHECK(census(all)[2][1] == "Comm_dup");

  auto const of_dup = of({.communicators = {"W_d*"}});
  CHECK(of_dup["selection"] == "communicator W_d*");
  CHECK(of_dup["calls"]["calls"] == counts({5, 11}));
  CHECK(of_dup["pairs"]["messages"] == counts({5, 11}));
  CHECK(census(of_dup).size() == 1);
  CHECK(of_dup["further_communicators"] == 0);
  CHECK(of_dup["ranks"]["by_operation"]["time"] == pack_seconds(std::vector<double>{2, 8}));
  CHECK(of_dup["regions"].is_null());
  CHECK(of_dup["no_regions"] != "");
  CHECK(of_dup["no_pairs"] == "");

  auto const of_rank_1 = of({.ranks = RankSet::parse("1")});
  CHECK(of_rank_1["run"]["ranks"] == 2);
  CHECK(of_rank_1["run"]["selected_ranks"] == 1);
  CHECK(of_rank_1["calls"]["calls"] == counts({7, 11}));
  CHECK(of_rank_1["ranks"]["ranks"] == counts({0, 1}));
  CHECK(of_rank_1["ranks"]["by_communicator"]["bin"] == counts({1, 1}));
  CHECK(of_rank_1["pairs"]["messages"] == counts({1, 5, 11}));  // at either end

  auto const of_barrier = of({.operations = {"Barrier"}});
  CHECK(of_barrier["calls"]["calls"] == counts({3}));
  CHECK(of_barrier["pairs"].is_null());
  CHECK(of_barrier["no_pairs"] != "");

  CHECK_THROWS_AS(of({.communicators = {"none"}}), SelectionError);
}

TEST_CASE("a report says what ranks were in when they ended, in the words of the first page") {
  Situation situation;
  situation.ranks = 2;
  situation.ended = 2;
  RankGroup& group = situation.groups.emplace_back();
  group.ranks = {0, 1};
  group.state = RankGroup::State::in_mpi;
  group.operation = "Recv";
  group.communicator = "W";
  group.peer = "from any";
  std::string const state = to_json(situation).dump();
  TemporaryProfile const files(
      {.more_of_run =
           R"(, "unfinished": {"ranks_missing": "", "last_record_s": 2, "problems": [], "state": )" + state + "}"});
  auto const story = nlohmann::json::parse(json_of(files))["story"];
  std::string const text = story["state"];
  CHECK(text.find("Recv from any on W") != std::string::npos);
  CHECK(first_page_of(files).find("\n" + story["state_title"].get<std::string>() + "\n" + text) != std::string::npos);
}

namespace {

// The cells of a column of a table, by the column's title.
std::vector<nlohmann::json> column_of(nlohmann::json const& table, std::string const& title) {
  auto const& columns = table["columns"];
  auto const found =
      std::find_if(columns.begin(), columns.end(), [&](auto const& one) { return one["title"] == title; });
  REQUIRE(found != columns.end());
  auto const place = static_cast<std::size_t>(found - columns.begin());
  std::vector<nlohmann::json> cells;
  for (auto const& line : table["lines"]) cells.push_back(line[place]);
  return cells;
}

}  // namespace

TEST_CASE("the bars of ranks in a report have measured waiting only") {
  auto const ranks_with = [](std::string const& how_of_bcast) {
    return nlohmann::json::parse(json_of(TemporaryProfile(
        {.operations = {"main,W,2,0,Allreduce,8,15,1,8,0,1,1,1", "main,W,2,0,Bcast,8,15,1,8,0,1,1,1",
                        "main,W,2,1,Allreduce,8,15,1,8,0,1,1,1", "main,W,2,1,Bcast,8,15,1,8,0,1,1,1"},
         .waits = {{"W,Allreduce,2,2,1,durations,2,1,,,,,,", "W,Bcast,2,2,1," + how_of_bcast + ",2,0.5,,,,,,"}},
         .waits_by_rank = {{"W,Allreduce,0,1,1,1,0", "W,Bcast,0,1,1,0.5,0"}}})))["ranks"];
  };
  auto const measured = ranks_with("entries");
  CHECK(measured["knows_waiting"] == true);
  CHECK(measured["waiting"] == pack_seconds(std::vector<double>{0.5, 0}));
  CHECK(ranks_with("durations")["knows_waiting"] == false);
}

TEST_CASE("the tables of a report are those of the views") {
  std::string const sample = MPISEE_THROUGH_SAMPLE;
  Profile const profile(sample);
  auto const tables = nlohmann::json::parse(to_json(read_report_data(profile, {})))["tables"];
  auto const check = [&](char const* name, auto const& show_view) {
    CAPTURE(name);
    std::ostringstream part;
    show_view(part);
    CHECK(tables[name] == nlohmann::json::parse(part.str()));
  };
  auto const view = [&](auto show_one, Detail detail) {
    return [=, &profile](std::ostream& out) { show_one(out, Format::html, summarise(profile, {}, detail), {}); };
  };
  check("operations", view(show_operations, Detail::operations));
  check("sites", view(show_sites, Detail::call_sites));
  check("census", view(show_census, Detail::operations));
  check("regions", [&](std::ostream& out) { show(out, add_up_regions(profile, {}), Format::html); });
  check("ranks", [&](std::ostream& out) {
    Summary const summary = summarise(profile, {}, Detail::ranks);
    show(out, summary, read_known_waits(profile, summary, {}), Format::html, RanksLayout{});
  });
  // The communicators of --tree.
  auto const names = column_of(tables["communicators"], "Communicator");
  CHECK(names.size() == summarise(profile, {}, Detail::operations).communicators.size());
}

TEST_CASE("a report names what made a communicator, and where") {
  TemporaryProfile const files(
      {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0,app+0x1"}, .sites = {{"app+0x1,app,0x1,setup,/src/grid.c,88"}}});
  auto const json = nlohmann::json::parse(json_of(files));
  CHECK(column_of(json["tables"]["communicators"], "Made by")[2] == "Comm_dup at grid.c:88");
  CHECK(json["communicators"][2]["group"].is_null());
  CHECK(json["sites"].is_null());  // no call was made at one
}
