#include "findings/findings.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace mpisee_through;

TEST_CASE("the documentation has the condition of every finding") {
  std::ifstream in(std::filesystem::path(MPISEE_THROUGH_DOCUMENTATION) / "reader" / "first-page.md");
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  for (Rule const& rule : rules()) {
    std::string const line = "\n| `" + std::string(rule.name) + "` | " + rule.condition + " |\n";
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
}
