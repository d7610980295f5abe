// Runs the examples of the documentation: each block of ```console has lines "$ command", each followed by its output.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "findings/findings.hpp"
#include "support/run_tool.hpp"

namespace {

std::filesystem::path const reader_pages = std::filesystem::path(MPISEE_THROUGH_DOCUMENTATION) / "reader";

struct Example {
  std::string command;
  std::string output;
};

std::vector<Example> examples(std::filesystem::path const& document) {
  std::vector<Example> examples;
  std::ifstream in(document);
  bool in_block = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("```", 0) == 0) {
      in_block = line == "```console";
    } else if (in_block && line.rfind("$ ", 0) == 0) {
      examples.push_back({line.substr(2), ""});
    } else if (in_block && !examples.empty()) {
      examples.back().output += line + "\n";
    }
  }
  return examples;
}

bool needs_network(std::string const& command) {
  for (char const* const part : {"mpisee-through links", "mpisee-through place", "--fabric"})
    if (command.find(part) != command.npos) return true;
  return false;
}

}  // namespace

TEST_CASE("the documentation has the condition of every finding") {
  std::ifstream in(reader_pages / "first-page.md");
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  for (mpisee_through::Rule const& rule : mpisee_through::rules()) {
    std::string const line = "\n| `" + std::string(rule.name) + "` | " + rule.condition + " |\n";
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
}

TEST_CASE("the documentation shows what the tool prints") {
  std::size_t shown = 0;
  for (auto const& page : std::filesystem::directory_iterator(reader_pages)) {
    for (Example const& example : examples(page.path())) {
      if (!MPISEE_THROUGH_HAS_NETWORK && needs_network(example.command)) continue;
      INFO(page.path().filename().string() << ": " << example.command);
      ToolRun const run = run_shell(example.command, sample_parent);
      CHECK(run.out + run.err == example.output);
      ++shown;
    }
  }
  CHECK(shown >= 30);
}
