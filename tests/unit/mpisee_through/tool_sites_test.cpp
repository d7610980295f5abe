#include <dlfcn.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "findings/first_screen.hpp"
#include "summary/sites.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"
#include "symbols/site_names.hpp"

using namespace mpisee_through;

namespace {

// Barrier is called at two places on two communicators, and once at an unknown place; Comm_dup at a third place.
TemporaryProfile::Content content() {
  return {.ranks = 2,
          .communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0,a.out+0x30"},
          .operations = {"main,W,2,0,Barrier,0,0,2,0,0,3,1,2,a.out+0x10",
                         "main,W_d1,2,0,Barrier,0,0,4,0,0,1,0.25,0.25,a.out+0x10",
                         "main,W,2,0,Barrier,0,0,1,0,0,0.5,0.5,0.5,",
                         "main,W,2,0,Comm_dup,0,0,1,0,0,0.25,0.25,0.25,a.out+0x30",
                         "solve,W,2,1,Barrier,0,0,2,0,0,1,0.5,0.5,a.out+0x10",
                         "main,W,2,1,Barrier,0,0,1,0,0,2,2,2,liba.so+0x20",
                         "main,W,2,1,Comm_dup,0,0,1,0,0,0.25,0.25,0.25,a.out+0x30"},
          .sites = {{"a.out+0x10,a.out,0x10,exchange < main,/src/halo.c < /src/main.c,29 < 7",
                     "liba.so+0x20,liba.so,0x20,,,", "a.out+0x30,a.out,0x30,main,/src/main.c,5"}},
          .modules = {{"a.out,/dev/null/a.out,0badcafe", "liba.so,/dev/null/liba.so,"}}};
}

std::string shown(TemporaryProfile const& files, std::string const& options) {
  ToolRun const run = run_tool(options + " '" + files.path().string() + "'");
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
  return run.out;
}

}  // namespace

TEST_CASE("call sites add up over communicators, regions and ranks") {
  TemporaryProfile const files(content());
  Summary const summary = files.summarise({}, Detail::call_sites);
  std::vector<SiteLine> const lines = sum_up_sites(summary, {});
  REQUIRE(lines.size() == 4);
  CHECK(summary.site(lines[0].site) == "a.out+0x10");
  CHECK(summary.name_of(lines[0].operation) == "Barrier");
  CHECK(lines[0].totals.time_s == 5);
  CHECK(lines[0].totals.calls == 8);
  CHECK(lines[0].communicators == 2);
  CHECK(summary.communicator(lines[0].communicator).name == "W");
  CHECK(summary.site(lines[1].site) == "liba.so+0x20");
  CHECK(summary.site(lines[2].site).empty());
  CHECK(summary.site(lines[3].site) == "a.out+0x30");
  CHECK(sum_up_sites(summary, {.key = SortKey::time, .top = 2}).size() == 2);
  CHECK(summary.site(sum_up_sites(summary, {.key = SortKey::name, .top = {}})[1].site) == "a.out+0x10");
}

TEST_CASE("sites leave the other sums as they are") {
  TemporaryProfile const files(content());
  TemporaryProfile::Content without = content();
  without.sites.reset();
  without.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0"};
  for (std::string& row : without.operations) row.resize(row.rfind(','));
  TemporaryProfile const old(without);
  for (char const* const options : {"--operations --csv", "--sizes --csv", "--ranks --csv"})
    CHECK(shown(files, options) == shown(old, options));
}

TEST_CASE("a site is shown by its function and line, or as it is") {
  TemporaryProfile const files(content());
  std::string const text = shown(files, "--sites");
  CHECK(contains(text, "\nexchange, halo.c:29  Barrier"));
  CHECK(contains(text, "\nliba.so+0x20         Barrier"));
  CHECK(contains(text, "\n(not known)          Barrier"));
  CHECK(contains(text, "\nmain, main.c:5       Comm_dup"));
  CHECK(contains(text, "  W +1\n"));
  CHECK(contains(text, "\n/dev/null/liba.so is not there: its call sites have no lines.\n"));
  CHECK_FALSE(contains(text, "/dev/null/a.out is not there"));  // its sites are resolved
  CHECK(contains(shown(files, "--sites --csv"),
                 "\na.out+0x10,exchange < main,/src/halo.c < /src/main.c,29 < 7,Barrier,2,W,8,0,0,5,0.625,"
                 "0.25,0.625,0.6"));  // of 20 s, in 8 calls; 4 s of rank 0 and 1 s of rank 1
  CHECK(contains(shown(files, "--sites --json"), R"("site":"a.out+0x10","function":"exchange < main")"));
  CHECK(contains(shown(files, "--operations --by-site --comm W"), "\n  Barrier   exchange, halo.c:29  "));
}

TEST_CASE("call sites are selected by their name, function, file and line") {
  TemporaryProfile const files(content());
  auto const calls_at = [&](std::string const& glob) {
    std::string const csv = shown(files, "--sites --csv --site '" + glob + "'");
    return std::count(csv.begin(), csv.end(), '\n') - 1;
  };
  CHECK(calls_at("halo.c:29") == 1);
  CHECK(calls_at("exchange") == 1);
  CHECK(calls_at("main") == 2);  // includes calls of code inlined into it
  CHECK(calls_at("*.c") == 2);
  CHECK(calls_at("/src/main.c") == 2);
  CHECK(calls_at("liba.so+*") == 1);
  ToolRun const none = run_tool("--sites --site nowhere.c '" + files.path().string() + "'");
  CHECK(none.exit_code == 1);
  CHECK(none.err == "mpisee-through: --site: no call site of the profile matches \"nowhere.c\"\n");
}

TEST_CASE("the first page names the line of code") {
  TemporaryProfile::Content uneven = content();
  uneven.operations[0] = "main,W,2,0,Barrier,0,0,2,0,0,6,1,5,a.out+0x10";
  TemporaryProfile const files(uneven);
  FirstScreen const screen = read_first_page(Profile(files.path()), {});
  REQUIRE_FALSE(screen.findings.empty());
  CHECK(contains(screen.findings[0].fact, "Barrier on W (2 ranks) (73.7 % of it at halo.c:29) takes "));
  REQUIRE(screen.most_uneven);
  CHECK(screen.most_uneven->called_at == " (73.7 % of it at halo.c:29)");
  CHECK(contains(shown(files, "--operations --comm W_d1"), "\nW_d1  size 2, ranks 0-1; Comm_dup at main.c:5\n"));
}

TEST_CASE("the first page names the function where the line is not known") {
  auto const called_at = [](std::string const& function) {
    TemporaryProfile::Content uneven = content();
    uneven.operations[0] = "main,W,2,0,Barrier,0,0,2,0,0,6,1,5,liba.so+0x20";
    uneven.sites->at(1) = "liba.so+0x20,liba.so,0x20," + function + ",,";
    return read_first_page(Profile(TemporaryProfile(uneven).path()), {}).most_uneven.value().called_at;
  };
  // 8 s of the 9.5 s of Barrier on W.
  CHECK(called_at("comm::forward") == " (84.2 % of it at comm::forward, liba.so+0x20)");
  CHECK(called_at(std::string(61, 'f')) == " (84.2 % of it at liba.so+0x20)");
  CHECK(called_at("") == " (84.2 % of it at liba.so+0x20)");
}

TEST_CASE("communicators that one site has made are one line where there are many") {
  TemporaryProfile::Content many = content();
  many.communicators.clear();
  for (int i = 1; i <= 204; ++i)
    many.communicators.push_back("W_d" + std::to_string(i) + ",W,Comm_dup,2,0-1,,,,0,a.out+0x30");
  TemporaryProfile const files(many);
  std::string const text = shown(files, "--communicators");
  CHECK(contains(text, "\nW_d{1-204} "));
  CHECK(contains(text, "  Comm_dup at main.c:5\n"));
  CHECK_FALSE(contains(text, "W_d2"));
  std::string const csv = shown(files, "--communicators --csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 1 + 2 + 204);
}

TEST_CASE("the first page and the tree have one line for what one site has made") {
  TemporaryProfile::Content many = content();
  many.communicators.clear();
  for (int i = 1; i <= 12; ++i) {
    std::string const name = "W_d" + std::to_string(i);
    many.communicators.push_back(name + ",W,Comm_dup,2,0-1,,,,0,a.out+0x30");
    many.operations.push_back("main," + name + ",2,1,Barrier,0,0,2,0,0,100,50,50,a.out+0x10");
  }
  many.communicators.push_back("W_d5_d1,W_d5,Comm_dup,2,0-1,,,,0,a.out+0x30");
  TemporaryProfile const files(many);
  // The child has no calls.
  CHECK(std::regex_search(shown(files, "--width 120"), std::regex("\nW_d\\{1-12\\} +2 +99\\.\\d %")));
  std::string const tree = shown(files, "--tree");
  CHECK(std::regex_search(tree, std::regex("\n  W_d\\{1-4,6-12\\} +2 +9\\d\\.\\d % .* Comm_dup at main\\.c:5")));
  CHECK(std::regex_search(tree, std::regex("\n  W_d5 .*\n    W_d5_d1 ")));
  CHECK_FALSE(contains(tree, "W_d2 "));
}

TEST_CASE("resolving keeps what was resolved, and says what it could not") {
  TemporaryProfile const files(content());
  ToolRun const run = run_tool("resolve '" + files.path().string() + "'");
  CHECK(run.exit_code == 0);
  CHECK(run.out ==
        "3 call sites: 2 with their line, 0 with their function alone\n"
        "/dev/null/liba.so is not there: its call sites have no lines\n");
  CHECK(
      contains(files.read("sites.csv"), "\na.out+0x10,a.out,0x10,exchange < main,/src/halo.c < /src/main.c,29 < 7\n"));
  CHECK(contains(files.read("sites.csv"), "\nliba.so+0x20,liba.so,0x20,,,\n"));
  CHECK_FALSE(std::filesystem::exists(files.path() / "sites.csv.new"));

  TemporaryProfile const old;
  ToolRun const refused = run_tool("resolve '" + old.path().string() + "'");
  CHECK(refused.exit_code == 1);
  CHECK(refused.err ==
        "mpisee-through: " + old.path().string() + "/sites.csv: this profile was written without call sites\n");
}

TEST_CASE("a stripped program is named, with how many of its call sites have no name") {
  TemporaryProfile const files(content());
  files.replace("modules.csv", "/dev/null/liba.so", "/usr/bin/true");
  ToolRun const run = run_tool("resolve '" + files.path().string() + "'");
  CHECK(contains(run.out,
                 "\nliba.so has no names for 1 call site: if it is stripped, install its debug symbols, or compile it "
                 "with -g and run it again\n"));
}

TEST_CASE("a damaged file of sites is named with its line") {
  TemporaryProfile const files(content());
  files.replace("sites.csv", "0x20,,,", "20,,,");
  ToolRun const run = run_tool("--sites '" + files.path().string() + "'");
  CHECK(run.exit_code == 1);
  CHECK(run.err ==
        "mpisee-through: " + files.path().string() + "/sites.csv:3: offset is no number like 0x4a2f: \"20\"\n");
}

TEST_CASE("a function is named without its parameters if the library has no lines") {
  auto* const function = static_cast<std::string (*)(fmt::string_view, fmt::format_args)>(&fmt::vformat);
  Dl_info library{};
  REQUIRE(dladdr(reinterpret_cast<void*>(function), &library) != 0);
  auto const offset = reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(library.dli_fbase);
  std::string const name = Symbolizer(library.dli_fname, "").find(offset).function;
  CHECK(contains(name, "vformat"));
  CHECK_FALSE(contains(name, "("));
}

TEST_CASE("a symbolizer finds this program's own code") {
  std::error_code error;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
  CHECK(Symbolizer(self, "").state() == ModuleState::usable);
  CHECK(Symbolizer(self, "0123").state() == ModuleState::rebuilt);
  CHECK(Symbolizer("/dev/null/a.out", "").state() == ModuleState::missing);
  CHECK(Symbolizer("/etc/passwd", "").state() == ModuleState::missing);
  CHECK_FALSE(Symbolizer("/dev/null/a.out", "").find(16).is_known());
  CHECK_FALSE(Symbolizer(self, "").find(UINT64_MAX).is_known());
}
