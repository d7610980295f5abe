#include "finalize/run_json.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

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
  for (std::size_t i = 0; i < total.rows.size(); ++i) total.rows[i] = 10 + i;
  for (std::size_t i = 0; i < total.dropped.size(); ++i) total.dropped[i] = 30 + i;
  for (std::size_t i = 0; i < total.folded.size(); ++i) total.folded[i] = 50 + i;
  nlohmann::json const run = run_json(facts, total, {2'500'000'000, 1'000'000'000}, 3);
  CHECK(run["schema_version"] == schema::version);
  CHECK(run["commprof"] == version);
  CHECK((run["ranks"] == 128 && run["snapshot"] == 3 && run["detail"] == "ranks" && run["when"].is_null()));
  CHECK(run["start"] == "2024-02-29T23:59:59.007Z");
  CHECK(run["wall_s"].get<double>() == Approx(12.345678901).epsilon(1e-12));
  CHECK(run["clock"]["hz"] == 2'500'000'000);
  CHECK(run["mpi"] ==
        nlohmann::json{{"library", "MPI of the test 1.0"}, {"version", "3.1"}, {"thread_level", "serialized"}});
  std::size_t files = 0;
  for (std::size_t i = 0; i < schema::tables.size(); ++i)
    if (auto const file = run["files"].find(std::string(schema::tables[i].name)); file != run["files"].end()) {
      CHECK((*file)["rows"] == 10 + i);
      ++files;
    }
  CHECK(files == run["files"].size());
  CHECK(run["dropped"].size() == static_cast<std::size_t>(Dropped::count_));
  CHECK(run["folded"].size() == static_cast<std::size_t>(Folded::count_));
  CHECK(run["dropped"]["records"] == 30);
  CHECK(run["dropped"]["sends_cancelled"] == 30 + static_cast<int>(Dropped::sends_cancelled));
  CHECK(run["folded"]["communicators"] == 50);
  is_initialized = false;
  CHECK(run_json()["mpi"]["thread_level"].is_null());
  CHECK(run_json()["snapshot"].is_null());
  is_initialized = true;
}

TEST_CASE("the library's version is its first line, with single spaces") {
  std::pair<std::string, std::string> const versions[] = {
      {"Open MPI v4.1.4, package: Debian", "Open MPI v4.1.4, package: Debian"},
      {"MPICH Version:\t4.0.2  beta\nMPICH Release date:\tThu Apr  7\n", "MPICH Version: 4.0.2 beta"},
      {"", ""},
      {std::string(MPI_MAX_LIBRARY_VERSION_STRING - 1, 'v'), std::string(MPI_MAX_LIBRARY_VERSION_STRING - 1, 'v')}};
  for (auto const& [text, expected] : versions) {
    library_version = text;
    CHECK(run_json()["mpi"]["library"] == expected);
  }
}

TEST_CASE("the summaries of processes add up, and the longest wall time counts") {
  RunSummary sum, other;
  for (std::size_t i = 0; i < sum.rows.size(); ++i) {
    sum.rows[i] = i + 1;
    other.rows[i] = 10 * (i + 1);
  }
  sum.wall_ns = 500;
  sum.dropped[1] = 7;
  other.wall_ns = 400;
  other.dropped[1] = 5;
  other.folded[0] = 9;
  sum.add(other);
  for (std::size_t i = 0; i < sum.rows.size(); ++i) CHECK(sum.rows[i] == 11 * (i + 1));
  CHECK((sum.wall_ns == 500 && sum.dropped[1] == 12 && sum.folded[0] == 9));
  other.wall_ns = 600;
  sum.add(other);
  CHECK(sum.wall_ns == 600);
}
