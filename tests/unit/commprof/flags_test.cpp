#include "launch/flags.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "options/options.hpp"

using namespace commprof_launcher;

namespace {

Variables variables_of(std::vector<std::string> words) {
  CLI::App app;
  Variables variables;
  add_flags(app, variables);
  std::ranges::reverse(words);  // the order that CLI11 expects
  app.parse(words);
  return variables;
}

}  // namespace

TEST_CASE("every option of the profiler has a flag or is said to have none") {
  for (commprof::OptionRow const& row : commprof::option_table) {
    CAPTURE(row.name);
    bool const has_flag = std::ranges::count(flags(), row.name, &Flag::variable) > 0;
    CHECK(has_flag != has_no_flag(row.name));
  }
}

TEST_CASE("every flag sets a variable that is an option, to a value that the option takes") {
  for (Flag const& flag : flags()) {
    CAPTURE(flag.names);
    auto const row = std::ranges::find(commprof::option_table, flag.variable, &commprof::OptionRow::name);
    REQUIRE(row != commprof::option_table.end());
    commprof::Options options = commprof::default_options();
    if (flag.type.empty()) {
      CHECK(row->parse(std::string(flag.value).c_str(), options));
      CHECK(flag.value != row->default_value);  // otherwise the flag would have no effect
    }
  }
}

TEST_CASE("flags become variables") {
  CHECK(variables_of({"--ops=-Test*", "--no-spool", "--internal", "-o", "a/%x"}) ==
        Variables{{"COMMPROF_OPS", "-Test*"},
                  {"COMMPROF_SPOOL", "off"},
                  {"COMMPROF_INTERNAL", "1"},
                  {"COMMPROF_OUTPUT", "a/%x"}});
  CHECK(variables_of({}).empty());
}

TEST_CASE("a value that the option would refuse is turned down") {
  CHECK_THROWS_WITH(variables_of({"--stack", "17"}), Catch::Contains("must be a number from 0 to 16, not '17'"));
  CHECK_THROWS_AS(variables_of({"--output", "%"}), CLI::ValidationError);
}
