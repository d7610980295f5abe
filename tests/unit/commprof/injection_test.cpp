#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>

#include "launch/launchers.hpp"

using namespace commprof_launcher;

namespace {

// Sets an environment variable during its lifetime.
class Variable {
 public:
  Variable(char const* name, char const* value) : name_(name) { setenv(name, value, 1); }
  Variable(Variable const&) = delete;
  Variable& operator=(Variable const&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  char const* name_;
};

Injection const ours{"/lib/c.so", {{"COMMPROF_OUTPUT", "Send,Recv"}}};

Command by(Launcher kind, Words words, std::size_t at = 0) { return inject(std::move(words), {kind, at}, ours); }

}  // namespace

TEST_CASE(
    "each launcher gets our variables, behind the profiler what the user preloads, and the program's words stay") {
  struct Case {
    Launcher kind;
    Words words, expected;
    std::size_t at = 0;
  };
  Case const cases[] = {
      {Launcher::open_mpi,
       {"mpirun", "-x", "LD_PRELOAD", "-x", "COMMPROF_OUTPUT=Bcast", "a"},
       {"mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OUTPUT=Bcast", "a"}},
      {Launcher::srun,
       {"srun", "-n", "2", "a"},
       {"srun", "--export=ALL,COMMPROF_OUTPUT,LD_PRELOAD=/lib/c.so", "-n", "2", "a"}},
      {Launcher::srun,
       {"srun", "-n", "2", "--export", "A=1", "-l", "a", "--export=me"},
       {"srun", "--export=A=1,COMMPROF_OUTPUT,LD_PRELOAD=/lib/c.so", "-n", "2", "-l", "a", "--export=me"}},
      {Launcher::srun,
       {"srun", "--export=NONE", "a", ":", "-n4", "--export=B", "b"},
       {"srun", "--export=COMMPROF_OUTPUT,LD_PRELOAD=/lib/c.so", "a", ":",
        "--export=B,COMMPROF_OUTPUT,LD_PRELOAD=/lib/c.so", "-n4", "b"}},
      {Launcher::srun,
       {"srun", "--export=ALL,LD_PRELOAD=j.so,A", "a"},
       {"srun", "--export=ALL,A,COMMPROF_OUTPUT,LD_PRELOAD=/lib/c.so:j.so", "a"}},
      {Launcher::flux,
       {"flux", "run", "--env=-*", "--env", "LD_PRELOAD=j.so", "-n", "2", "a"},
       {"flux", "run", "--env=-*", "--env", "LD_PRELOAD=j.so", "--env=LD_PRELOAD=/lib/c.so:j.so",
        "--env=COMMPROF_OUTPUT=Send,Recv", "-n", "2", "a"}},
      {Launcher::flux,
       {"flux", "run", "-n", "2", "a"},
       {"flux", "run", "--env=LD_PRELOAD=/lib/c.so", "--env=COMMPROF_OUTPUT=Send,Recv", "-n", "2", "a"}},
  };
  for (Case const& one : cases) CHECK(by(one.kind, one.words, one.at).words == one.expected);
}

TEST_CASE("what belongs to a program is not changed") {
  Words const program{"a", "--app", "file", "-x", "LD_PRELOAD=mine.so", "-genv", "LD_PRELOAD", "mine.so", "--export=B"};
  for (Launcher const kind : {Launcher::open_mpi, Launcher::hydra, Launcher::srun, Launcher::flux}) {
    Words words{"launcher", "run", "-n", "2"};
    if (kind != Launcher::flux) words.erase(words.begin() + 1);
    words.insert(words.end(), program.begin(), program.end());
    Command const command = by(kind, words);
    REQUIRE(command.words.size() > program.size());
    CHECK(Words(command.words.end() - static_cast<std::ptrdiff_t>(program.size()), command.words.end()) == program);
  }
}

TEST_CASE("what a launcher would not hand on is refused") {
  auto const throws = [](Words const& words, Launcher kind, Injection const& injection) {
    CHECK_THROWS_AS(inject(words, {kind, 0}, injection), std::runtime_error);
  };
  throws({"mpirun", "--app", "file"}, Launcher::open_mpi, ours);
  throws({"mpirun", "--mca", "mca_base_env_list", "A=1", "a"}, Launcher::open_mpi, ours);
  throws({"srun", "a"}, Launcher::srun, {"/li,b/c.so", {}});
  Variable const list("OMPI_MCA_mca_base_env_list", "A=1");
  throws({"mpirun", "a"}, Launcher::open_mpi, ours);
}

TEST_CASE("srun gets our values through its environment, since they may have commas") {
  Command const command = by(Launcher::srun, {"srun", "-n", "2", "a"});
  CHECK(command.environment == ours.variables);
  CHECK(command.removed == Words{"LD_PRELOAD"});  // a value in srun's environment would override the list
  Variable const list("SLURM_EXPORT_ENV", "C");
  CHECK(by(Launcher::srun, {"srun", "a"}).words ==
        Words{"srun", "--export=C,COMMPROF_OUTPUT,LD_PRELOAD=/lib/c.so", "a"});
}

TEST_CASE("a plain program gets the environment") {
  Command const command = by(Launcher::none, {"a", "b c"});
  CHECK(command.words == Words{"a", "b c"});
  CHECK(command.environment == Variables{{"COMMPROF_OUTPUT", "Send,Recv"}, {"LD_PRELOAD", "/lib/c.so"}});
}
