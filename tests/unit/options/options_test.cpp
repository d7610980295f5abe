#include "options/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/temporary_directory.hpp"

using namespace commprof;

namespace {

struct Complaint {
  OptionRow const* row;
  std::string text;
  bool is_in_file = false;
};
std::vector<Complaint> complaints;

Options read() {
  complaints.clear();
  settings.read();
  settings.tell_mistakes([](Mistake const& mistake) {
    complaints.push_back({mistake.row, std::string(mistake.text), mistake.is_in_file});
  });
  return settings.options();
}

OptionRow const& row_of(std::string_view name) {
  auto const row =
      std::find_if(option_table.begin(), option_table.end(), [&](OptionRow const& r) { return r.name == name; });
  REQUIRE(row != option_table.end());
  return *row;
}

std::string file_of_defaults() {
  return (std::filesystem::temp_directory_path() / ("defaults-" + std::to_string(getpid()))).string();
}

}  // namespace

TEST_CASE("each option takes its values and refuses others") {
  struct Case {
    std::string name;
    std::vector<std::string> values, refused;
  };
  std::vector<Case> const cases{
      {"COMMPROF_ENABLE", {"0", "1"}, {"", "2", "yes", "01", " 1", "1 ", "-1"}},
      {"COMMPROF_VERBOSE", {"0", "2147483647"}, {"", "-1", "2147483648", "1x", "+1", " 1", "1 ", "0x1", "1.0"}},
      {"COMMPROF_MAX_COMMS", {"1", "4294967295"}, {"", "0", "-1", "4294967296", "1e3", "many"}},
      {"COMMPROF_MAX_REGIONS", {"1", "65534"}, {"0", "65535", "4294967297"}},
      {"COMMPROF_PCONTROL", {"standard", "ipm"}, {"", "IPM", "ipm "}},
      {"COMMPROF_CLOCK", {"tsc", "monotonic"}, {"", "TSC", "mono"}},
      {"COMMPROF_MAX_SIZE", {"off", "1", "3K", "2G"}, {"", "0", "K", "-1", "1.5G", "1k", "1GB", "99999999999T"}},
      {"COMMPROF_OUTPUT", {"run-%x-%j-%a-%u-%d-%p-%h-%n", "100%%", "caf\xc3\xa9"}, {"", "a%", "%q", "%%%", "% x"}},
  };
  for (Case const& one : cases) {
    Environment environment;
    for (std::string const& value : one.values) {
      INFO(one.name << "=" << value);
      environment.set(one.name, value);
      read();
      CHECK(complaints.empty());
      CHECK(settings.in_force(row_of(one.name)) == value);
    }
    for (std::string const& value : one.refused) {
      INFO(one.name << "=" << value);
      environment.set(one.name, value);
      read();
      REQUIRE(complaints.size() == 1);
      CHECK((complaints[0].row == &row_of(one.name) && complaints[0].text == value));
      CHECK(settings.in_force(row_of(one.name)) == row_of(one.name).default_value);
    }
  }
}

TEST_CASE("a value that is refused, and a variable that is no option, do not stop the others") {
  Environment environment;
  environment.set("COMMPROF_CLOCK", "sundial");
  environment.set("COMMPROF_MAX_COMMS", "none");
  environment.set("COMMPROF_OUTPTU", "x");
  environment.set("COMMPROF_ENABL", "0");
  environment.set("COMMPROF", "no underscore, not ours to judge");
  environment.set("OTHER_COMMPROF_ENABLE", "0");
  environment.set("COMMPROF_VERBOSE", "3");
  environment.set("COMMPROF_MAX_SIZE", "3K");
  environment.set("COMMPROF_PCONTROL", "ipm");
  environment.set("COMMPROF_SITES", "0");
  environment.set("COMMPROF_INTERNAL", "1");
  Options const options = read();
  CHECK((!options.sites && options.internal));
  CHECK((options.enable && options.max_comms == 1000 && options.clock == clock::Source::tsc));
  CHECK((options.verbose == 3 && options.max_size == 3072 && options.pcontrol == Pcontrol::ipm));
  CHECK(complaints.size() == 4);
  CHECK(std::ranges::count(complaints, nullptr, &Complaint::row) == 2);
  CHECK(std::ranges::count(complaints, "COMMPROF_OUTPTU", &Complaint::text) == 1);
}

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

TEST_CASE("a file has defaults, and the environment wins") {
  std::string const path = file_of_defaults();
  std::ofstream(path) << "# comment\nCOMMPROF_STACK = 3 "
                         "\nCOMMPROF_MAX_COMMS=7\nCOMMPROF_OUTPUT=of/file\nCOMMPROF_SITES=maybe\nNOTHING\n";
  Environment environment;
  environment.set("COMMPROF_CONFIG", path);
  environment.set("COMMPROF_MAX_COMMS", "9");
  Options const options = read();
  std::remove(path.c_str());
  CHECK(options.stack == 3);
  CHECK(options.max_comms == 9);
  CHECK(options.output == std::string("of/file"));
  CHECK(options.is_output_of_file);
  REQUIRE(complaints.size() == 2);
  CHECK(complaints[0].row == &row_of("COMMPROF_SITES"));
  CHECK(complaints[1].text == "NOTHING");
  CHECK((complaints[0].is_in_file && complaints[1].is_in_file));
  CHECK(settings.error_of_file() == 0);
}

TEST_CASE("a value in a file may stand in quotes, and a comment may follow it") {
  std::string const path = file_of_defaults();
  Environment environment;
  environment.set("COMMPROF_CONFIG", path);
  for (auto const& [text, value] : std::map<std::string, std::string>{{"/a/%x", "/a/%x"},
                                                                      {"\"/a b/%x\"", "/a b/%x"},
                                                                      {"'/a # b'  # comment", "/a # b"},
                                                                      {"/a\t# comment", "/a"},
                                                                      {"/a#b", "/a#b"},
                                                                      {"\"a\"b", "\"a\"b"},
                                                                      {"'a", "'a"}}) {
    std::ofstream(path) << "COMMPROF_OUTPUT = " << text << "\n";
    CHECK(read().output == value);
  }
  std::remove(path.c_str());
}

TEST_CASE("a file of defaults cannot name another one") {
  std::string const path = file_of_defaults();
  Environment environment;
  environment.set("COMMPROF_CONFIG", path);
  for (char const* const value : {"off", "/other"}) {
    std::ofstream(path) << "COMMPROF_CONFIG = " << value << "\n";
    Options const options = read();
    REQUIRE(options.config != nullptr);
    CHECK(options.config == path);
    REQUIRE(complaints.size() == 1);
    CHECK(complaints[0].text == "COMMPROF_CONFIG");
  }
  std::remove(path.c_str());
}

TEST_CASE("a file of defaults that is named has to be there") {
  Environment environment;
  environment.set("COMMPROF_CONFIG", TemporaryDirectory() / "missing");
  CHECK_FALSE(read().is_output_of_file);
  CHECK(settings.error_of_file() == ENOENT);
  environment.set("COMMPROF_CONFIG", "off");
  read();
  CHECK(settings.error_of_file() == 0);
}
