#include "launch/job_line.hpp"

#include <catch2/catch.hpp>

using namespace commprof_launcher;

namespace {

JobLine parsed(Launcher kind, Words const& words) {
  return parse_job_line(words, {kind, 0}, words_of_option(kind, ""));
}

}  // namespace

TEST_CASE("programs are told apart by a colon") {
  Words const words{"mpiexec", "-n", "1", "a", ":", "-env", "A=1", "-env", "B", "2", "b", ":", "c"};
  JobLine const line = parsed(Launcher::hydra, words);
  REQUIRE(line.programs.size() == 3);
  CHECK(line.programs[1].options == std::vector<Words>{{"-env", "A=1"}, {"-env", "B", "2"}});
  CHECK(line.programs[1].program == Words{"b"});
  CHECK(line.words() == words);
}

TEST_CASE("an option that is not known has a value if nothing can be run by that name") {
  JobLine const line = parsed(Launcher::hydra, {"mpiexec", "-unknown", "7", "-unknown", "sh", "-c", "x"});
  CHECK(line.programs[0].options == std::vector<Words>{{"-unknown", "7"}, {"-unknown"}});
  CHECK(line.programs[0].program == Words{"sh", "-c", "x"});
}

TEST_CASE("command lines without a program, or cut off, stay as they are") {
  for (Launcher const kind : {Launcher::open_mpi, Launcher::hydra, Launcher::srun, Launcher::flux})
    for (Words const& words : std::vector<Words>{{"m"},
                                                 {"m", "-n"},
                                                 {"m", "--mca", "a"},
                                                 {"m", ":"},
                                                 {"m", ":", ":", "-x"},
                                                 {"m", "-env"},
                                                 {"m", "--", "-n", "2"},
                                                 {"m", "-", "a"}})
      CHECK(parsed(kind, words).words() == words);
}

TEST_CASE("which options of srun take the next word is read from its help") {
  OptionsWithValues const options(
      "Usage: srun [OPTIONS(0)... [executable(0) [args(0)...]]]\n"
      "  -n, --ntasks=ntasks         number of tasks to run\n"
      "  -I, --immediate[=secs]      exit if resources not available in \"secs\"\n"
      "  -l, --label                 prepend task number to lines of stdout/err\n"
      "      --mpi=type              type of MPI being used\n");
  for (char const* const option : {"-n", "-ln", "--ntasks", "--mpi"}) CHECK(options.words_of(option) == 2);
  for (char const* const option : {"-n4", "-l", "-I", "--ntasks=4", "--immediate"})
    CHECK(options.words_of(option) == 1);
}
