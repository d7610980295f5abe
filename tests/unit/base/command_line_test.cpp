#include "base/command_line.hpp"

#include <errno.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "support/temporary_directory.hpp"

using namespace commprof;

namespace {

std::vector<std::string> split_at_nul(std::string const& text) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < text.size();) {
    parts.emplace_back(text.c_str() + i);
    i += parts.back().size() + 1;
  }
  return parts;
}

}  // namespace

TEST_CASE("the command line is the one that the system remembers") {
  auto const line = std::make_unique<CommandLine>();
  std::vector<std::string> arguments;
  line->for_each([&](std::string_view argument) { arguments.emplace_back(argument); });
  CHECK_FALSE(arguments.empty());
  CHECK(arguments == split_at_nul(contents("/proc/self/cmdline")));
}

TEST_CASE("the program's name is the last component of its path") {
  CHECK(CommandLine::program_name() == program_invocation_short_name);
  CHECK(CommandLine::program_name().find('/') == std::string_view::npos);
  CHECK_FALSE(CommandLine::program_name().empty());
}
