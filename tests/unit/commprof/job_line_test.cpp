#include <catch2/catch.hpp>

#include "launch/launchers.hpp"

using namespace commprof_launcher;

namespace {

JobLine parsed(Launcher kind, Words const& words) { return parse_job_line(words, {kind, 0}); }

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

TEST_CASE("a value of srun or Flux is the next word, or the rest of its own") {
  for (Words const& option :
       std::vector<Words>{{"-n", "4"}, {"-n4"}, {"-l"}, {"--ntasks", "4"}, {"--ntasks=4"}, {"-I"}}) {
    Words words{"srun"};
    words.insert(words.end(), option.begin(), option.end());
    words.emplace_back("a");
    CHECK(parsed(Launcher::srun, words).programs[0].options == std::vector<Words>{option});
  }
}
