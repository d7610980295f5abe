#include "options/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
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

// Checks what must hold for every value that an option refuses.
void check_refused(std::string const& name, std::string const& value) {
  INFO(name << "=" << value);
  Environment environment;
  environment.set(name, value);
  Options const options = read();
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0].row == &row_of(name));
  CHECK(complaints[0].text == value);
  Options const defaults = default_options();
  CHECK(options.enable == defaults.enable);
  CHECK(options.output == defaults.output);
  CHECK(options.verbose == defaults.verbose);
  CHECK(options.max_comms == defaults.max_comms);
  CHECK(options.max_regions == defaults.max_regions);
  CHECK(options.clock == defaults.clock);
  CHECK(options.pcontrol == defaults.pcontrol);
  CHECK(settings.in_force(row_of(name)) == row_of(name).default_value);
}

Options read_with(std::string const& name, std::string const& value) {
  Environment environment;
  environment.set(name, value);
  Options const options = read();
  INFO(name << "=" << value);
  CHECK(complaints.empty());
  CHECK(settings.in_force(row_of(name)) == value);
  return options;
}

}  // namespace

TEST_CASE("without variables the defaults hold") {
  Environment const environment;
  Options const options = read();
  CHECK(complaints.empty());
  CHECK(options.enable);
  CHECK(options.output == nullptr);
  CHECK(options.verbose == 1);
  CHECK(options.max_comms == 1000);
  CHECK(options.max_regions == 10'000);
  CHECK(options.sites);
  CHECK(options.max_sites == 10'000);
  CHECK(options.ops == std::string("*"));
  CHECK(options.comms == std::string("*"));
  CHECK(options.peers);
  CHECK_FALSE(options.internal);
  CHECK(options.spool);
  CHECK(options.spool_directory == nullptr);
  CHECK(options.clock == clock::Source::tsc);
  CHECK(options.pcontrol == Pcontrol::standard);
}

TEST_CASE("COMMPROF_ENABLE is a switch") {
  CHECK_FALSE(read_with("COMMPROF_ENABLE", "0").enable);
  CHECK(read_with("COMMPROF_ENABLE", "1").enable);
  for (char const* const value : {"", "2", "yes", "01", " 1", "1 ", "-1"}) check_refused("COMMPROF_ENABLE", value);
}

TEST_CASE("COMMPROF_VERBOSE is a number from 0") {
  CHECK(read_with("COMMPROF_VERBOSE", "0").verbose == 0);
  CHECK(read_with("COMMPROF_VERBOSE", "2").verbose == 2);
  CHECK(read_with("COMMPROF_VERBOSE", "2147483647").verbose == 2147483647);
  for (char const* const value : {"", "-1", "2147483648", "1x", "x", "+1", " 1", "1 ", "0x1", "1.0"})
    check_refused("COMMPROF_VERBOSE", value);
}

TEST_CASE("COMMPROF_MAX_COMMS is a number from 1") {
  CHECK(read_with("COMMPROF_MAX_COMMS", "1").max_comms == 1);
  CHECK(read_with("COMMPROF_MAX_COMMS", "50000").max_comms == 50000);
  CHECK(read_with("COMMPROF_MAX_COMMS", "4294967295").max_comms == UINT32_MAX);
  for (char const* const value : {"", "0", "-1", "4294967296", "1e3", "1000 ", "many"})
    check_refused("COMMPROF_MAX_COMMS", value);
}

TEST_CASE("COMMPROF_MAX_REGIONS is a number that an index can hold") {
  CHECK(read_with("COMMPROF_MAX_REGIONS", "1").max_regions == 1);
  CHECK(read_with("COMMPROF_MAX_REGIONS", "65534").max_regions == 65534);
  for (char const* const value : {"", "0", "-1", "65535", "4294967297", "1e3", "many"})
    check_refused("COMMPROF_MAX_REGIONS", value);
}

TEST_CASE("COMMPROF_PCONTROL names a convention") {
  CHECK(read_with("COMMPROF_PCONTROL", "standard").pcontrol == Pcontrol::standard);
  CHECK(read_with("COMMPROF_PCONTROL", "ipm").pcontrol == Pcontrol::ipm);
  for (char const* const value : {"", "IPM", "ipm ", "1"}) check_refused("COMMPROF_PCONTROL", value);
}

TEST_CASE("COMMPROF_CLOCK names a clock") {
  CHECK(read_with("COMMPROF_CLOCK", "tsc").clock == clock::Source::tsc);
  CHECK(read_with("COMMPROF_CLOCK", "monotonic").clock == clock::Source::monotonic);
  for (char const* const value : {"", "TSC", "mono", "tsc ", "rdtsc"}) check_refused("COMMPROF_CLOCK", value);
}

TEST_CASE("COMMPROF_OUTPUT is a path with known letters after %") {
  for (char const* const value : {"p", "/a/b", "run-%x-%j-%a-%u-%d-%p-%h-%n", "100%%", "a b", "%%x", "caf\xc3\xa9"}) {
    Environment environment;
    environment.set("COMMPROF_OUTPUT", value);
    Options const options = read();
    INFO(value);
    CHECK(complaints.empty());
    REQUIRE(options.output != nullptr);
    CHECK(std::string_view(options.output) == value);
    CHECK(settings.in_force(row_of("COMMPROF_OUTPUT")) == value);
  }
  for (char const* const value : {"", "%", "a%", "%q", "%X", "%%%", "a%%b%", "% x"})
    check_refused("COMMPROF_OUTPUT", value);
}

TEST_CASE("a refused value does not stop the others") {
  Environment environment;
  environment.set("COMMPROF_CLOCK", "sundial");
  environment.set("COMMPROF_VERBOSE", "3");
  environment.set("COMMPROF_MAX_COMMS", "none");
  environment.set("COMMPROF_ENABLE", "0");
  Options const options = read();
  CHECK(complaints.size() == 2);
  CHECK(options.verbose == 3);
  CHECK_FALSE(options.enable);
  CHECK(options.max_comms == 1000);
  CHECK(options.clock == clock::Source::tsc);
}

TEST_CASE("a variable that is not one of ours is named") {
  Environment environment;
  environment.set("COMMPROF_OUTPTU", "x");
  environment.set("COMMPROF", "no underscore, not ours to judge");
  environment.set("OTHER_COMMPROF_ENABLE", "x");
  read();
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0].row == nullptr);
  CHECK(complaints[0].text == "COMMPROF_OUTPTU");
}

TEST_CASE("an option's name alone counts, not the beginning of it") {
  Environment environment;
  environment.set("COMMPROF_ENABLE_ALL", "0");
  environment.set("COMMPROF_ENABL", "0");
  CHECK(read().enable);
  CHECK(complaints.size() == 2);
}

TEST_CASE("the table of options is consistent") {
  std::set<std::string_view> names;
  for (OptionRow const& row : option_table) {
    INFO(row.name);
    CHECK(row.name.starts_with("COMMPROF_"));
    CHECK(row.name.data()[row.name.size()] == '\0');  // getenv reads it
    CHECK(names.insert(row.name).second);
    CHECK(*row.default_value != '\0');
    CHECK_FALSE(row.expects.empty());
    CHECK(row.expects.back() != '.');  // "NAME must be …, not '…'"
  }
  CHECK(names.size() == option_count);
}

TEST_CASE("each default in the table is understood") {
  for (OptionRow const& row : option_table) {
    INFO(row.name);
    Options options{};
    CHECK(row.parse(row.default_value, options));
  }
  CHECK(std::string_view(row_of("COMMPROF_OUTPUT").default_value) == default_output);
}

TEST_CASE("the value in force is the variable's if that is understood") {
  Environment environment;
  OptionRow const& row = row_of("COMMPROF_MAX_COMMS");
  read();
  CHECK(settings.in_force(row) == "1000");
  environment.set("COMMPROF_MAX_COMMS", "12");
  read();
  CHECK(settings.in_force(row) == "12");
  environment.set("COMMPROF_MAX_COMMS", "a dozen");
  read();
  CHECK(settings.in_force(row) == "1000");
}

TEST_CASE("what was read does not depend on what becomes of the environment") {
  Environment const environment;
  char output[] = "COMMPROF_OUTPUT=profile", spool[] = "COMMPROF_SPOOL=/tmp/spool";
  putenv(output);
  putenv(spool);
  Options const options = read();
  std::memset(output + sizeof "COMMPROF_OUTPUT", 'x', std::strlen("profile"));
  unsetenv("COMMPROF_SPOOL");
  std::memset(spool, 'x', sizeof spool - 1);
  CHECK(std::string_view(options.output) == "profile");
  CHECK(std::string_view(options.spool_directory) == "/tmp/spool");
  CHECK(settings.in_force(row_of("COMMPROF_OUTPUT")) == "profile");
  CHECK(settings.in_force(row_of("COMMPROF_SPOOL")) == "/tmp/spool");
  unsetenv("COMMPROF_OUTPUT");
}

TEST_CASE("a value that is longer than a path can be is refused") {
  std::string const longest(Settings::max_bytes, 'd');
  CHECK(read_with("COMMPROF_OUTPUT", longest).output == longest);
  Environment environment;
  environment.set("COMMPROF_OUTPUT", longest + "d");
  CHECK(read().output == nullptr);
  REQUIRE(complaints.size() == 1);
  CHECK(complaints[0].row == &row_of("COMMPROF_OUTPUT"));
}

TEST_CASE("of two variables of one name the first holds") {
  char first[] = "COMMPROF_VERBOSE=3", second[] = "COMMPROF_VERBOSE=4";
  char* both[] = {first, second, nullptr};
  char** const before = environ;
  environ = both;
  int const verbose = read().verbose;
  environ = before;
  CHECK(verbose == 3);
  CHECK(complaints.empty());
}

TEST_CASE("docs/options.md documents each option with its default") {
  std::ifstream document(COMMPROF_SOURCE_DIR "/docs/options.md");
  REQUIRE(document);
  std::vector<std::string> rows;
  for (std::string line; std::getline(document, line);)
    if (line.starts_with("|")) rows.push_back(line);
  for (OptionRow const& option : option_table) {
    INFO("docs/options.md needs a table row that begins with | `" << option.name << "` | `" << option.default_value
                                                                  << "` |");
    std::string const start = "| `" + std::string(option.name) + "` | `" + std::string(option.default_value) + "` |";
    CHECK(std::any_of(rows.begin(), rows.end(), [&](std::string const& row) { return row.starts_with(start); }));
  }
}

TEST_CASE("docs/options.md documents no option that there is not") {
  std::ifstream document(COMMPROF_SOURCE_DIR "/docs/options.md");
  REQUIRE(document);
  std::string const text(std::istreambuf_iterator<char>(document), {});
  std::regex const row("\n\\| `(COMMPROF_[A-Z_]+)`");
  for (std::sregex_iterator found(text.begin(), text.end(), row), end; found != end; ++found) {
    std::string const name = (*found)[1];
    INFO(name << " is in docs/options.md but not in option_table");
    CHECK(std::any_of(option_table.begin(), option_table.end(),
                      [&](OptionRow const& option) { return option.name == name; }));
  }
}

TEST_CASE("COMMPROF_MAX_SIZE is a number of bytes") {
  CHECK(read_with("COMMPROF_MAX_SIZE", "off").max_size == 0);
  CHECK(read_with("COMMPROF_MAX_SIZE", "1").max_size == 1);
  CHECK(read_with("COMMPROF_MAX_SIZE", "3K").max_size == 3072);
  CHECK(read_with("COMMPROF_MAX_SIZE", "2G").max_size == std::uint64_t{2} << 30);
  for (char const* const value : {"", "0", "K", "-1", "1.5G", "1k", "1GB", "99999999999T"})
    check_refused("COMMPROF_MAX_SIZE", value);
}

TEST_CASE("a file has defaults, and the environment wins") {
  std::string const path = (std::filesystem::temp_directory_path() / ("defaults-" + std::to_string(getpid()))).string();
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
  std::string const path = (std::filesystem::temp_directory_path() / ("defaults-" + std::to_string(getpid()))).string();
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
  std::string const path = (std::filesystem::temp_directory_path() / ("defaults-" + std::to_string(getpid()))).string();
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
