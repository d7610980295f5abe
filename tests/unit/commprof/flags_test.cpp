#include <algorithm>
#include <catch2/catch.hpp>

#include "launch/options.hpp"
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

// The launcher sets the variable itself, or the option makes no sense as a flag.
bool has_no_flag(std::string_view variable) {
  constexpr std::string_view without[] = {"COMMPROF_ENABLE", "COMMPROF_VERBOSE",  "COMMPROF_INDEX",
                                          "COMMPROF_APPS",   "COMMPROF_MIN_TIME", "COMMPROF_MIN_MPI"};
  return std::ranges::find(without, variable) != std::end(without);
}

}  // namespace

TEST_CASE(
    "every option of the profiler has a flag or is said to have none, and a flag without value changes something") {
  for (commprof::OptionRow const& row : commprof::option_table) {
    CAPTURE(row.name);
    auto const flag = std::ranges::find(flags(), row.name, &Flag::variable);
    CHECK((flag != flags().end()) != has_no_flag(row.name));
    if (flag == flags().end() || !flag->type.empty()) continue;
    commprof::Options options = commprof::default_options();
    CHECK((row.parse(std::string(flag->value).c_str(), options) && flag->value != row.default_value));
  }
  for (Flag const& flag : flags())
    CHECK(std::ranges::count(commprof::option_table, flag.variable, &commprof::OptionRow::name) == 1);
}

TEST_CASE("flags become variables") {
  CHECK(
      variables_of({"--stack=2", "--no-spool", "--internal", "-o", "a/%x"}) ==
      Variables{
          {"COMMPROF_STACK", "2"}, {"COMMPROF_SPOOL", "off"}, {"COMMPROF_INTERNAL", "1"}, {"COMMPROF_OUTPUT", "a/%x"}});
  CHECK(variables_of({}).empty());
}

TEST_CASE("a value that the option would refuse is turned down") {
  CHECK_THROWS_WITH(variables_of({"--stack", "17"}), Catch::Contains("must be a number from 0 to 16, not '17'"));
  CHECK_THROWS_AS(variables_of({"--output", "%"}), CLI::ValidationError);
}
