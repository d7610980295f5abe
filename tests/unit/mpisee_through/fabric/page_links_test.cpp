#include "wing/page_links.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "report/report_json.hpp"
#include "support/small_fabric.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

TEST_CASE("a report has the links of a fabric, and what fills them") {
  TemporaryProfile::Content content = small_run();
  content.operations = {"main,W,4,0,Allreduce,64,127,1,100,100,1,1,1"};
  TemporaryProfile const files(content);
  files.write("ranks.csv", small_ranks);
  TemporaryFabric const network;
  network.write("cables", small_cables);
  network.write("tables", small_tables);
  auto const read = [&](Selection const& selection, LinksReader const& links) {
    return nlohmann::json::parse(to_json(read_report_data(Profile(files.path()), selection, links)));
  };
  auto const of = [&](Selection const& selection) {
    return read(selection, links_of_page(FabricSource{.path = network.path()}));
  };

  // What the messages of support/small_fabric.hpp put on links is derived in links_test.cpp.
  auto const links = of({})["links"];
  REQUIRE(links["list"].size() == 9);
  CHECK(links["left_out"] == 0);
  auto const& busiest = links["list"][0];
  CHECK(busiest["node"] == "n1 HCA-1");
  CHECK(busiest["peer"] == "leaf1");
  CHECK(busiest["level"] == "host-leaf");
  CHECK(busiest["bytes"] == 4200);
  CHECK(busiest["messages"] == 6);
  CHECK(busiest["share"] == 4.2e-07);
  REQUIRE(links["links"]["lines"].size() == 9);
  auto const& line = links["links"]["lines"][0];
  CHECK(line[0] == "n1 HCA-1");
  CHECK(line[5] == 4200);
  CHECK(line[9] == "W 76.2 %, W_s1.0 23.8 %");  // 3,200 and 1,000 of 4,200 B
  CHECK(line[11].get<std::string>().starts_with("0 to 3 71.4 %"));
  CHECK(links["levels"]["columns"][2]["title"] == "Used");
  CHECK(links["levels"]["lines"][0][2] == 2);
  CHECK(links["levels"]["lines"][0][3] == 4600);
  CHECK(links["levels"]["lines"][0][5] == 4200);
  CHECK(links["picture"].get<std::string>().starts_with("<svg "));
  std::string facts;
  for (auto const& fact : links["facts"])
    facts += fact[0].get<std::string>() + ": " + fact[1].get<std::string>() + "\n";
  for (char const* part : {"Not there: 5 messages with 50 B within hosts", "Not known: adaptive routing"})
    CHECK(facts.find(part) != std::string::npos);

  // Among the messages of rank 1, those to rank 3 have the most bytes.
  CHECK(of({.ranks = RankSet::parse("1")})["links"]["list"][0]["bytes"] == 1000);
  auto const of_operation = of({.operations = {"Allreduce"}});
  CHECK(of_operation["links"].is_null());
  CHECK(of_operation["no_links"] != "");
  auto const without = read({}, {});
  CHECK(without["links"].is_null());
  CHECK(without["no_links"] == "");
}
