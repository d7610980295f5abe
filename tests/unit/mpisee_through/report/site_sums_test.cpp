#include "report/site_sums.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Send on three communicators at one site, and Barrier on one at another, which costs less.
TemporaryProfile::Content calls_at_sites() {
  return {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0,", "W_d2,W,Comm_dup,2,0-1,,,,0,"},
          .operations = {"main,W,2,0,Send,8,15,1,8,0,1,1,1,app+0x1", "main,W,2,0,Send,16,31,1,16,0,2,2,2,app+0x1",
                         "main,W_d1,2,0,Send,8,15,1,8,0,8,8,8,app+0x1", "main,W_d2,2,0,Send,8,15,1,8,0,4,4,4,app+0x1",
                         "main,W_d2,2,0,Barrier,0,0,5,0,0,0.5,0.5,0.5,app+0x2"},
          .sites = {{"app+0x1,app,0x1,,,", "app+0x2,app,0x2,,,"}}};
}

SiteSums site_sums(Summary const& summary, std::size_t communicators, std::size_t most_lines, std::size_t most_parts) {
  return add_up_sites(summary, ShownCommunicators(summary, communicators), most_lines, most_parts);
}

}  // namespace

TEST_CASE("a call site costs what it does on its communicators") {
  TemporaryProfile const files(calls_at_sites());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  SiteSums const sums = site_sums(summary, 100, 100, 100);
  CHECK(sums.are_known);
  CHECK(sums.left_out == 0);
  REQUIRE(sums.lines.size() == 2);
  CHECK(summary.site(sums.lines[0].site) == "app+0x1");
  CHECK(sums.lines[0].totals.time_s == 15);
  CHECK(sums.lines[0].totals.calls == 4);
  CHECK(sums.lines[0].communicators == 3);
  // As --sites computes them, from another summary.
  auto const by_site = sum_up_sites(files.summarise({}, Detail::call_sites), {});
  REQUIRE(by_site.size() == 2);
  CHECK(by_site[0].totals.time_s == sums.lines[0].totals.time_s);
  CHECK(by_site[1].totals.calls == sums.lines[1].totals.calls);

  ShownCommunicators const shown(summary, 100);
  REQUIRE(sums.parts.size() == 4);
  for (SiteSums::Part const& part : sums.parts) {
    std::string const& name = summary.communicator(shown.nodes()[part.communicator].communicator).name;
    if (part.line == 1) CHECK(name == "W_d2");
    else CHECK(part.totals.time_s == (name == "W" ? 3 : name == "W_d1" ? 8 : 4));
  }
}

TEST_CASE("communicators that are not shown one by one have one part of a call site") {
  TemporaryProfile const files(calls_at_sites());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  SiteSums const sums = site_sums(summary, 1, 100, 100);  // W_d1 below W; W_d2 is further
  REQUIRE(sums.parts.size() == 4);
  CHECK(sums.parts[2].line == 0);
  CHECK(sums.parts[2].communicator == 2);
  CHECK(sums.parts[2].totals.time_s == 4);
}

TEST_CASE("call sites that are too many are left out as a whole") {
  TemporaryProfile const files(calls_at_sites());
  Summary const summary = files.summarise({}, Detail::operations_and_sizes);
  SiteSums const few_lines = site_sums(summary, 100, 1, 100);
  CHECK(few_lines.lines.size() == 1);
  CHECK(few_lines.parts.size() == 3);
  CHECK(few_lines.left_out == 1);
  CHECK(few_lines.totals_left_out.time_s == 0.5);
  SiteSums const few_parts = site_sums(summary, 100, 100, 3);
  CHECK(few_parts.lines.size() == 1);
  CHECK(few_parts.parts.size() == 3);
  CHECK(few_parts.left_out == 1);
  SiteSums const fewer_parts = site_sums(summary, 100, 100, 2);
  CHECK(fewer_parts.lines.empty());
  CHECK(fewer_parts.parts.empty());
  CHECK(fewer_parts.totals_left_out.calls == 9);
}

TEST_CASE("a profile without sites has no call sites in a report") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Send,8,15,1,8,0,1,1,1"}});
  SiteSums const sums = site_sums(files.summarise({}, Detail::operations_and_sizes), 100, 100, 100);
  CHECK_FALSE(sums.are_known);
  CHECK(sums.lines.empty());
}
