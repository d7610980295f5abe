#include <errno.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "profile/output.hpp"
#include "support/environment.hpp"

using namespace commprof;

namespace {

// The name by which the program was started, replaced during a test.
class ProgramName {
 public:
  explicit ProgramName(std::string name) : name_(std::move(name)), before_(program_invocation_short_name) {
    program_invocation_short_name = name_.data();
  }
  ProgramName(ProgramName const&) = delete;
  ProgramName& operator=(ProgramName const&) = delete;
  ~ProgramName() { program_invocation_short_name = before_; }

 private:
  std::string name_;
  char* before_;
};

constexpr std::size_t ids_of_jobs = 7;  // and numbers in arrays behind them
constexpr char const* batch_variables[] = {"SLURM_JOB_ID",    "PBS_JOBID",   "LSB_JOBID",    "JOB_ID",
                                           "COBALT_JOBID",    "FLUX_JOB_ID", "OAR_JOB_ID",   "SLURM_ARRAY_TASK_ID",
                                           "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX", "SGE_TASK_ID"};

class NoBatchSystem : public Environment {
 public:
  NoBatchSystem() {
    for (char const* const variable : batch_variables) unset(variable);
  }
};

RunFacts facts_of_test() {
  RunFacts facts;
  facts.ranks = 128;
  facts.pid = 4321;
  facts.start_time.tv_sec = 1'795'391'999;  // 2026-11-22 23:59:59 UTC
  std::strcpy(facts.start_directory, "/start");
  std::strcpy(facts.host, "node07");
  return facts;
}

std::string expanded(std::string_view pattern, RunFacts const& facts = facts_of_test()) {
  char path[PATH_MAX];
  REQUIRE(expand_path(pattern, facts, path));
  return path;
}

}  // namespace

TEST_CASE("each letter stands for its fact") {
  NoBatchSystem environment;
  ProgramName const program("lmp");
  CHECK(expanded("/out/%x.%n.%h/%p-%d") == "/out/lmp.128.node07/4321-2026-11-22");
  CHECK(expanded("/%j%a") == "/43210");  // no batch system: the pid, and no array of jobs
  CHECK(expanded("/%%x100%%") == "/%x100%");
  CHECK(expanded("../run") == "/start/../run");  // as the user says
  RunFacts facts = facts_of_test();
  facts.start_directory[0] = '\0';  // it is unknown
  CHECK(expanded("run", facts) == "run");
}

TEST_CASE("the job's id, and the number in an array of jobs, are those of the batch system") {
  for (std::size_t i = 0; i < std::size(batch_variables); ++i) {
    NoBatchSystem environment;
    char const* const variable = batch_variables[i];
    INFO(variable);
    environment.set(variable, "777.server");
    CHECK(expanded("/%j-%a") == (i < ids_of_jobs ? "/777.server-0" : "/4321-777.server"));
    environment.set(variable, "");
    CHECK(expanded("/%j-%a") == "/4321-0");
    environment.set(variable, std::string(10'000, '7'));
    CHECK(expanded("/%j").size() <= 64);
  }
  NoBatchSystem environment;
  environment.set("SGE_TASK_ID", "undefined");
  CHECK(expanded("/%a") == "/0");
}

TEST_CASE("the user is that of the environment, else the number") {
  Environment environment;
  environment.set("USER", "ada");
  environment.set("LOGNAME", "charles");
  CHECK(expanded("/%u/p") == "/ada/p");
  environment.unset("USER");
  CHECK(expanded("/%u/p") == "/charles/p");
  environment.set("LOGNAME", "../eve");
  CHECK(expanded("/%u/p") == "/.._eve/p");
  environment.unset("LOGNAME");
  CHECK(expanded("/%u/p") == "/" + std::to_string(getuid()) + "/p");
}

TEST_CASE("what is put into a path stays one component of it") {
  std::pair<std::string, std::string> const cases[] = {{"../../etc", ".._.._etc"},
                                                       {"/", "_"},
                                                       {"..", "_"},
                                                       {".", "_"},
                                                       {"", "_"},
                                                       {"a\nb\x1b", "a_b_"},
                                                       {"$(rm);'\"`|&*?~", "__rm__________"},
                                                       {"%j%x", "_j_x"},
                                                       {"caf\xc3\xa9", "caf__"},
                                                       {"a.b_c+d-1", "a.b_c+d-1"},
                                                       {"...", "..."}};
  NoBatchSystem environment;
  for (auto const& [value, component] : cases) {
    INFO("'" << value << "'");
    ProgramName const program(value);
    CHECK(expanded("/out/%x") == "/out/" + component);
    RunFacts facts = facts_of_test();
    std::strcpy(facts.host, value.c_str());
    CHECK(expanded("/out/%h", facts) == "/out/" + component);
    environment.set("SLURM_JOB_ID", value);
    CHECK(expanded("/out/%j") == "/out/" + (value.empty() ? "4321" : component));  // an empty id counts as missing
  }
}
