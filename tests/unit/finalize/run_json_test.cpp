#include "finalize/run_json.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/command_line.hpp"
#include "mpi/mpi.hpp"
#include "options/options.hpp"
#include "profile/schema.hpp"
#include "support/environment.hpp"
#include "version.hpp"

using namespace commprof;

namespace {
std::string library_version;
bool is_initialized = true;
}  // namespace

// The MPI library of this test.
extern "C" {
int PMPI_Get_library_version(char* text, int* length) {
  std::strcpy(text, library_version.c_str());
  *length = static_cast<int>(library_version.size());
  return MPI_SUCCESS;
}
int PMPI_Get_version(int* major, int* minor) {
  *major = 3;
  *minor = 1;
  return MPI_SUCCESS;
}
int PMPI_Initialized(int* flag) {
  *flag = is_initialized ? 1 : 0;
  return MPI_SUCCESS;
}
int PMPI_Query_thread(int* provided) {
  *provided = MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}
}

namespace {

nlohmann::json run_json(RunFacts const& facts, RunSummary const& total, clock::Rate rate, unsigned snapshot = 0) {
  std::string text;
  char buffer[32];
  {
    TextWriter out(
        buffer, sizeof buffer,
        [](void* to, char const* part, std::size_t length) { static_cast<std::string*>(to)->append(part, length); },
        &text);
    write_run_json(out, facts, total, rate, snapshot);
  }
  INFO(text);
  CHECK(text.back() == '\n');
  nlohmann::json parsed = nlohmann::json::parse(text, nullptr, false);
  REQUIRE(parsed.is_object());
  return parsed;
}

nlohmann::json run_json() { return run_json({}, {}, {}); }

}  // namespace

TEST_CASE("run.json holds the facts of the run") {
  Environment const environment;
  library_version = "MPI of the test 1.0";
  RunFacts facts;
  facts.ranks = 128;
  facts.start_time = {1'709'251'199, 7'654'321};  // the last second of 29 February 2024
  RunSummary total;
  total.wall_ns = 12'345'678'901;
  total.rows = {1000, 20, 128, 256, 4000, 50, 2, 12, 96, 700, 40};
  nlohmann::json const run = run_json(facts, total, {2'500'000'000, 1'000'000'000});
  CHECK(run["schema_version"] == schema::version);
  CHECK(run["commprof"] == version);
  CHECK(run["ranks"] == 128);
  CHECK(run["start"] == "2024-02-29T23:59:59.007Z");
  CHECK(run["wall_s"].get<double>() == Approx(12.345678901).epsilon(1e-12));
  CHECK(run["clock"]["hz"] == 2'500'000'000);
  CHECK((run["clock"]["source"] == "tsc" || run["clock"]["source"] == "monotonic"));
  CHECK(run["mpi"]["library"] == "MPI of the test 1.0");
  CHECK(run["mpi"]["version"] == "3.1");
  CHECK(run["mpi"]["thread_level"] == schema::thread_serialized);
  is_initialized = false;
  CHECK(run_json()["mpi"]["thread_level"].is_null());
  is_initialized = true;
  CHECK(run["files"] == nlohmann::json{{"operations.csv", {{"rows", 1000}}},
                                       {"communicators.csv", {{"rows", 20}}},
                                       {"ranks.csv", {{"rows", 128}}},
                                       {"regions.csv", {{"rows", 256}}},
                                       {"peers.csv", {{"rows", 4000}}},
                                       {"sites.csv", {{"rows", 50}}},
                                       {"modules.csv", {{"rows", 2}}},
                                       {"waits.csv", {{"rows", 12}}},
                                       {"waits_by_rank.csv", {{"rows", 96}}},
                                       {"summary.csv", {{"rows", 700}}},
                                       {"sizes.csv", {{"rows", 40}}},
                                       {"waits_by_pair.csv", {{"rows", 0}}},
                                       {"when.csv", {{"rows", 0}}}});
  CHECK(run["when"].is_null());
  CHECK(run["detail"] == "ranks");
  CHECK(run["snapshot"].is_null());
}

TEST_CASE("run.json does not list sums that there was no memory for") {
  RunSummary total;
  total.has_sums = 0;
  nlohmann::json const files = run_json({}, total, {})["files"];
  CHECK_FALSE(files.contains("summary.csv"));
  CHECK_FALSE(files.contains("sizes.csv"));
  CHECK(files.size() == schema::tables.size() - 3);
}

TEST_CASE("run.json tells a snapshot by its number") { CHECK(run_json({}, {}, {}, 3)["snapshot"] == 3); }

TEST_CASE("run.json holds the program and its arguments") {
  CommandLine const line;
  std::vector<std::string> arguments;
  line.for_each([&](std::string_view argument) { arguments.emplace_back(argument); });
  nlohmann::json const run = run_json();
  CHECK(run["program"] == arguments[0]);
  arguments.erase(arguments.begin());
  CHECK(run["arguments"] == nlohmann::json(arguments));
}

TEST_CASE("the library's version is its first line, with single spaces") {
  library_version = "Open MPI v4.1.4, package: Debian";
  CHECK(run_json()["mpi"]["library"] == library_version);
  library_version = "MPICH Version:\t4.0.2  beta\nMPICH Release date:\tThu Apr  7\n";
  CHECK(run_json()["mpi"]["library"] == "MPICH Version: 4.0.2 beta");
  library_version = "  a \"quoted\"\r\nversion";
  CHECK(std::string(run_json()["mpi"]["library"]).starts_with("a \"quoted\""));
  library_version = "";
  CHECK(run_json()["mpi"]["library"] == "");
  library_version = std::string(MPI_MAX_LIBRARY_VERSION_STRING - 1, 'v');
  CHECK(run_json()["mpi"]["library"] == library_version);
}

TEST_CASE("run.json holds each option with the value in force") {
  Environment environment;
  environment.set("COMMPROF_OUTPUT", "a \"b\"\\\xff");
  environment.set("COMMPROF_MAX_COMMS", "none");  // invalid: the default applies
  environment.set("COMMPROF_VERBOSE", "0");
  settings.read();
  nlohmann::json const options = run_json()["options"];
  CHECK(options.size() == option_count);
  for (OptionRow const& row : option_table) CHECK(options.contains(std::string(row.name)));
  CHECK(options["COMMPROF_OUTPUT"] == "a \"b\"\\\xef\xbf\xbd");
  CHECK(options["COMMPROF_MAX_COMMS"] == "1000");
  CHECK(options["COMMPROF_VERBOSE"] == "0");
  CHECK(options["COMMPROF_ENABLE"] == "1");
}

TEST_CASE("run.json holds what the user left out, without what makes no sense") {
  Environment environment;
  settings.read();
  CHECK(run_json()["left_out"] == nlohmann::json{{"operations", nullptr}, {"communicators", nullptr}});
  environment.set("COMMPROF_OPS", "*send*,-Isend,Snd,MPI_Recv");
  environment.set("COMMPROF_COMMS", "5-2");
  settings.read();
  nlohmann::json of_run = run_json()["left_out"];
  CHECK(of_run["operations"] == nlohmann::json{{"only", {"*send*", "MPI_Recv"}}, {"without", {"Isend"}}});
  CHECK(of_run["communicators"].is_null());
  environment.set("COMMPROF_OPS", "*");
  environment.set("COMMPROF_COMMS", "-1,-W_s*");
  settings.read();
  of_run = run_json()["left_out"];
  CHECK(of_run["operations"].is_null());
  CHECK(of_run["communicators"]["only"].empty());
  CHECK(of_run["communicators"]["without"] == nlohmann::json{"1", "W_s*"});
}

TEST_CASE("run.json holds each kind of data that was dropped or folded, with its count") {
  RunSummary total;
  for (std::size_t i = 0; i < total.dropped.size(); ++i) total.dropped[i] = 10 + i;
  for (std::size_t i = 0; i < total.folded.size(); ++i) total.folded[i] = 20 + i;
  nlohmann::json const run = run_json({}, total, {});
  CHECK(run["dropped"].size() == static_cast<std::size_t>(Dropped::count_));
  CHECK(run["folded"].size() == static_cast<std::size_t>(Folded::count_));
  CHECK(run["dropped"]["records"] == 10);
  CHECK(run["dropped"]["calls_on_unknown_communicators"] == 10 + static_cast<int>(Dropped::unknown_communicator));
  CHECK(run["dropped"]["sends_cancelled"] == 10 + static_cast<int>(Dropped::sends_cancelled));
  CHECK(run["folded"]["communicators"] == 20);
}

TEST_CASE("the summaries of processes add up, and the longest wall time counts") {
  RunSummary sum, other;
  for (std::size_t i = 0; i < sum.rows.size(); ++i) sum.rows[i] = i + 1;
  sum.wall_ns = 500;
  sum.dropped[1] = 7;
  for (std::size_t i = 0; i < other.rows.size(); ++i) other.rows[i] = 10 * (i + 1);
  other.wall_ns = 400;
  other.dropped[1] = 5;
  other.folded[0] = 9;
  sum.add(other);
  for (std::size_t i = 0; i < sum.rows.size(); ++i) CHECK(sum.rows[i] == 11 * (i + 1));
  CHECK(sum.wall_ns == 500);
  CHECK(sum.dropped[0] == 0);
  CHECK(sum.dropped[1] == 12);
  CHECK(sum.folded[0] == 9);
  other.wall_ns = 600;
  sum.add(other);
  CHECK(sum.wall_ns == 600);
}
