#include "options/options.hpp"

#include <catch2/catch.hpp>
#include <regex>
#include <set>
#include <string>

#include "support/temporary_directory.hpp"

using namespace commprof;

TEST_CASE("the table of options is consistent, and docs/options.md has each of them with its default") {
  std::string const page = contents(COMMPROF_SOURCE_DIR "/docs/options.md");
  std::set<std::string> names;
  for (OptionRow const& row : option_table) {
    INFO(row.name);
    std::string const name(row.name);
    CHECK(name.starts_with("COMMPROF_"));
    CHECK(name == row.name.data());  // getenv reads it
    CHECK(names.insert(name).second);
    Options options{};
    CHECK(row.parse(row.default_value, options));
    CHECK((!row.expects.empty() && row.expects.back() != '.'));  // "NAME must be …, not '…'"
    CHECK(page.find("\n| `" + name + "` | `" + std::string(row.default_value) + "` |") != std::string::npos);
  }
  CHECK(names.size() == option_count);
  std::regex const documented("\n\\| `(COMMPROF_[A-Z_]+)`");
  for (std::sregex_iterator found(page.begin(), page.end(), documented), end; found != end; ++found)
    CHECK(names.contains((*found)[1]));
}
