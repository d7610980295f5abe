#include "launch/injection.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

using namespace commprof_launcher;
using Words = std::vector<std::string>;

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

std::string contents(std::string const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Injection const ours{"/lib/c.so", {{"COMMPROF_OPS", "Send,Recv"}}};

// The --help of srun.
constexpr char help_of_srun[] =
    "Usage: srun [OPTIONS(0)... [executable(0) [args(0)...]]]\n"
    "  -n, --ntasks=ntasks         number of tasks to run\n"
    "  -I, --immediate[=secs]      exit if resources not available in \"secs\"\n"
    "  -l, --label                 prepend task number to lines of stdout/err\n"
    "      --export=env_vars|NONE  environment variables passed to launcher with\n"
    "      --mpi=type              type of MPI being used\n";

Command by(Launcher kind, Words words, std::size_t at = 0) {
  return inject(std::move(words), {kind, at}, ours, help_of_srun);
}

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
       {"mpirun", "-n", "2", "a", ":", "-n", "1", "b"},
       {"mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "-n", "2", "a", ":", "-x",
        "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "-n", "1", "b"}},
      {Launcher::open_mpi,
       {"timeout", "9", "mpirun", "a"},
       {"timeout", "9", "mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "a"},
       2},
      // A program that preloads something of its own takes nothing from the others.
      {Launcher::open_mpi,
       {"mpirun", "-n", "1", "-x", "LD_PRELOAD=/lib/j.so", "a", ":", "-n", "1", "b"},
       {"mpirun", "-x", "COMMPROF_OPS=Send,Recv", "-n", "1", "-x", "LD_PRELOAD=/lib/c.so:/lib/j.so", "a", ":", "-x",
        "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "-n", "1", "b"}},
      {Launcher::open_mpi,
       {"mpirun", "-x", "LD_PRELOAD", "-x", "COMMPROF_OPS=Bcast", "a"},
       {"mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Bcast", "a"}},
      {Launcher::hydra,
       {"mpiexec", "-genv", "LD_PRELOAD", "j.so", "-n", "2", "a"},
       {"mpiexec", "-genv", "COMMPROF_OPS", "Send,Recv", "-genv", "LD_PRELOAD", "/lib/c.so:j.so", "-n", "2", "a"}},
      {Launcher::hydra,
       {"mpiexec", "-n", "1", "-env", "LD_PRELOAD=j.so", "a", ":", "b", "-env", "LD_PRELOAD", "c"},
       {"mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "-genv", "COMMPROF_OPS", "Send,Recv", "-n", "1", "-env",
        "LD_PRELOAD", "/lib/c.so:j.so", "a", ":", "b", "-env", "LD_PRELOAD", "c"}},
      {Launcher::srun,
       {"srun", "-n", "2", "a"},
       {"srun", "--export=ALL,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "-n", "2", "a"}},
      {Launcher::srun,
       {"srun", "-n", "2", "--export", "A=1", "-l", "a", "--export=me"},
       {"srun", "--export=A=1,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "-n", "2", "-l", "a", "--export=me"}},
      {Launcher::srun,
       {"srun", "--export=NONE", "a", ":", "-n4", "--export=B", "b"},
       {"srun", "--export=COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "a", ":", "--export=B,COMMPROF_OPS,LD_PRELOAD=/lib/c.so",
        "-n4", "b"}},
      {Launcher::srun,
       {"srun", "--export=ALL,LD_PRELOAD=j.so,A", "a"},
       {"srun", "--export=ALL,A,COMMPROF_OPS,LD_PRELOAD=/lib/c.so:j.so", "a"}},
      {Launcher::flux,
       {"flux", "run", "--env=-*", "--env", "LD_PRELOAD=j.so", "-n", "2", "a"},
       {"flux", "run", "--env=-*", "--env", "LD_PRELOAD=j.so", "--env=LD_PRELOAD=/lib/c.so:j.so",
        "--env=COMMPROF_OPS=Send,Recv", "-n", "2", "a"}},
      {Launcher::flux,
       {"flux", "run", "-n", "2", "a"},
       {"flux", "run", "--env=LD_PRELOAD=/lib/c.so", "--env=COMMPROF_OPS=Send,Recv", "-n", "2", "a"}},
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
    CHECK(command.files.empty());
    CHECK_FALSE(command.environment.contains("OMPI_MCA_mca_base_env_list"));
  }
}

TEST_CASE("a list of variables of Open MPI, beside which it takes no -x, gets ours as well") {
  Command const on_line =
      by(Launcher::open_mpi, {"mpirun", "--mca", "mca_base_env_list", "A=1;LD_PRELOAD=j.so;B", "a"});
  CHECK(on_line.words ==
        Words{"mpirun", "--mca", "mca_base_env_list", "A=1;LD_PRELOAD=/lib/c.so:j.so;B;COMMPROF_OPS=Send,Recv", "a"});
  CHECK(on_line.environment.empty());
  Variable const list("OMPI_MCA_mca_base_env_list", "A=1");
  Command const in_environment = by(Launcher::open_mpi, {"mpirun", "a"});
  CHECK(in_environment.words == Words{"mpirun", "a"});
  CHECK(in_environment.environment ==
        Variables{{"OMPI_MCA_mca_base_env_list", "A=1;LD_PRELOAD=/lib/c.so;COMMPROF_OPS=Send,Recv"}});
  CHECK_THROWS_AS(inject({"mpirun", "a"}, {Launcher::open_mpi, 0}, {"/lib/c.so", {{"COMMPROF_OUTPUT", "a;b"}}}),
                  std::runtime_error);
}

TEST_CASE("programs of a file of Open MPI get variables by a list in the environment") {
  TemporaryFile const file("-n 1 a\n# no program\n-n 2 b -x arg\n");
  Command const command = by(Launcher::open_mpi, {"mpirun", "--app", file.path()});
  CHECK(command.words == Words{"mpirun", "--app", file.path()});
  CHECK(command.environment ==
        Variables{{"OMPI_MCA_mca_base_env_list", "LD_PRELOAD=/lib/c.so;COMMPROF_OPS=Send,Recv"}});
}

TEST_CASE("a file of Open MPI with a -x is copied, and the copy has ours as well") {
  TemporaryFile const file("-n 1 -x LD_PRELOAD=j.so a\n-n 2\tb -x arg\n");
  Command const command = by(Launcher::open_mpi, {"mpirun", "--app", file.path()});
  CHECK(command.environment.empty());
  REQUIRE(command.files.size() == 1);
  CHECK(command.words == Words{"mpirun", "--app", command.files.front()->path()});
  CHECK(contents(command.files.front()->path()) ==
        "-x COMMPROF_OPS=Send,Recv -n 1 -x LD_PRELOAD=/lib/c.so:j.so a\n"
        "-x LD_PRELOAD=/lib/c.so -x COMMPROF_OPS=Send,Recv -n 2 b -x arg\n");
  CHECK_THROWS_AS(
      inject({"mpirun", "--app", file.path()}, {Launcher::open_mpi, 0}, {"/lib/c.so", {{"COMMPROF_OUTPUT", "a b"}}}),
      std::runtime_error);
}

TEST_CASE("a file of Hydra in which something is preloaded is copied") {
  TemporaryFile const plain("-n 1 a\n"), file("-n 1 -env LD_PRELOAD j.so a\n-n 1 b\n");
  Command const command = by(Launcher::hydra, {"mpiexec", "-configfile", file.path()});
  REQUIRE(command.files.size() == 1);
  CHECK(command.words == Words{"mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "-genv", "COMMPROF_OPS", "Send,Recv",
                               "-configfile", command.files.front()->path()});
  CHECK(contents(command.files.front()->path()) == "-n 1 -env LD_PRELOAD /lib/c.so:j.so a\n-n 1 b\n");
  CHECK(by(Launcher::hydra, {"mpiexec", "-configfile", plain.path()}).words.back() == plain.path());
}

TEST_CASE("srun gets our values through its environment, since they may have commas") {
  Command const command = by(Launcher::srun, {"srun", "-n", "2", "a"});
  CHECK(command.environment == ours.variables);
  CHECK(command.removed == Words{"LD_PRELOAD"});  // a value in srun's environment would override the list
  Variable const list("SLURM_EXPORT_ENV", "C");
  CHECK(by(Launcher::srun, {"srun", "a"}).words == Words{"srun", "--export=C,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "a"});
  CHECK_THROWS_AS(inject({"srun", "a"}, {Launcher::srun, 0}, {"/li,b/c.so", {}}), std::runtime_error);
}

TEST_CASE("a plain program gets the environment") {
  Command const command = by(Launcher::none, {"a", "b c"});
  CHECK(command.words == Words{"a", "b c"});
  CHECK(command.environment == Variables{{"COMMPROF_OPS", "Send,Recv"}, {"LD_PRELOAD", "/lib/c.so"}});
}
