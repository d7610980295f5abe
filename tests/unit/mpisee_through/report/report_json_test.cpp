#include "report/report_json.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "report/packed_column.hpp"
#include "report/report_data.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

std::string json_of(TemporaryProfile const& files) {
  return to_json(read_report_data(Profile(files.path())));
}

}  // namespace

TEST_CASE("text of a profile cannot end the element it is in") {
  TemporaryProfile const files({.communicators = {"W_d1,W,Comm_dup,2,0-1,,,</script><script>alert(1)</script>,0"},
                                .operations = {"main,W_d1,2,0,Send,8,15,1,8,0,1,1,1"}});
  std::string const json = json_of(files);
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
  // Rows by operation and size: Send of 0 B, Send of 8-15 B, Barrier.
  std::vector<std::uint64_t> const sizes{0, 4, 0};
  CHECK(json["calls"]["size"] == pack_counts(sizes));
}

TEST_CASE("what a profile was written without is null") {
  auto const json = nlohmann::json::parse(json_of(TemporaryProfile()));
  CHECK(json["pairs"].is_null());
  CHECK(json["regions"].is_null());
}
