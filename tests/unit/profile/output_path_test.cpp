#include "profile/output_path.hpp"

#include <errno.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

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

class NoBatchSystem : public Environment {
 public:
  NoBatchSystem() {
    for (char const* const variable :
         {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID", "FLUX_JOB_ID", "OAR_JOB_ID",
          "SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX", "SGE_TASK_ID"})
      unset(variable);
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
  CHECK(expanded("/out/%x") == "/out/lmp");
  CHECK(expanded("/out/%p") == "/out/4321");
  CHECK(expanded("/out/%h") == "/out/node07");
  CHECK(expanded("/out/%n") == "/out/128");
  CHECK(expanded("/out/%d") == "/out/2026-11-22");
  CHECK(expanded("/out/%a") == "/out/0");  // no array of jobs
  CHECK(expanded("/out/100%%") == "/out/100%");
  CHECK(expanded("/out/%j") == "/out/4321");  // no batch system: the pid
  CHECK(expanded("/out/%x.%n.%h/%j%p") == "/out/lmp.128.node07/43214321");
  CHECK(expanded("/out/%%x") == "/out/%x");
}

TEST_CASE("the job's id is that of the batch system") {
  char const* const variable =
      GENERATE("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID", "COBALT_JOBID", "FLUX_JOB_ID", "OAR_JOB_ID");
  NoBatchSystem environment;
  environment.set(variable, "777.server");
  CHECK(expanded("/%j") == "/777.server");
  environment.set(variable, "");
  CHECK(expanded("/%j") == "/4321");
}

TEST_CASE("the number in an array of jobs is that of the batch system") {
  char const* const variable =
      GENERATE("SLURM_ARRAY_TASK_ID", "PBS_ARRAY_INDEX", "PBS_ARRAYID", "LSB_JOBINDEX", "SGE_TASK_ID");
  NoBatchSystem environment;
  environment.set(variable, "17");
  CHECK(expanded("/%j-%a") == "/4321-17");
  environment.set(variable, "");
  CHECK(expanded("/%a") == "/0");
  environment.set(variable, "undefined");
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

TEST_CASE("a relative path starts where the program was started") {
  CHECK(expanded("run") == "/start/run");
  CHECK(expanded("a/b") == "/start/a/b");
  CHECK(expanded("../run") == "/start/../run");  // as the user says
  CHECK(expanded("/run") == "/run");
  RunFacts facts = facts_of_test();
  facts.start_directory[0] = '\0';  // it is unknown
  CHECK(expanded("run", facts) == "run");
}

TEST_CASE("what is put into a path stays one component of it") {
  struct Case {
    std::string value;
    std::string component;
  };
  std::vector<Case> const cases{{"../../etc", ".._.._etc"},
                                {"a/b", "a_b"},
                                {"/", "_"},
                                {"..", "_"},
                                {".", "_"},
                                {"", "_"},
                                {"two words", "two_words"},
                                {"a\nb\x1b", "a_b_"},
                                {"$(rm);'\"`|&*?~", "__rm__________"},
                                {"%j%x", "_j_x"},
                                {"caf\xc3\xa9", "caf__"},
                                {"-rf", "-rf"},
                                {"a.b_c+d-1", "a.b_c+d-1"},
                                {"...", "..."}};
  NoBatchSystem environment;
  for (Case const& hostile : cases) {
    INFO("'" << hostile.value << "'");
    ProgramName const program(hostile.value);
    CHECK(expanded("/out/%x") == "/out/" + hostile.component);
    RunFacts facts = facts_of_test();
    std::strcpy(facts.host, hostile.value.c_str());
    CHECK(expanded("/out/%h", facts) == "/out/" + hostile.component);
    environment.set("SLURM_JOB_ID", hostile.value);
    std::string const without_job = "4321";  // an empty id counts as missing
    CHECK(expanded("/out/%j") == "/out/" + (hostile.value.empty() ? without_job : hostile.component));
  }
}

TEST_CASE("a job id of any length makes a component of bounded length") {
  NoBatchSystem environment;
  environment.set("PBS_JOBID", std::string(10'000, '7'));
  CHECK(expanded("/%j") == "/" + std::string(63, '7'));
}

TEST_CASE("a path that does not fit is refused") {
  auto const facts = facts_of_test();
  char path[PATH_MAX];
  CHECK(expand_path("/" + std::string(PATH_MAX - 2, 'a'), facts, path));  // PATH_MAX counts the final zero
  CHECK(std::strlen(path) == PATH_MAX - 1);
  CHECK_FALSE(expand_path("/" + std::string(PATH_MAX - 1, 'a'), facts, path));
  CHECK(std::strlen(path) < PATH_MAX);
  CHECK_FALSE(expand_path(std::string(PATH_MAX - 3, 'a'), facts, path));  // with "/start/" in front
  std::string repeated;
  for (int i = 0; i < 1000; ++i) repeated += "/%h";
  CHECK_FALSE(expand_path(repeated, facts, path));
}
