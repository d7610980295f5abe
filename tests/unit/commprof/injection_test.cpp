#include "launch/injection.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <stdexcept>

using namespace commprof_launcher;

namespace {

using Words = std::vector<std::string>;

Injection const ours{"/lib/c.so", {{"COMMPROF_OPS", "Send,Recv"}}};

// As srun prints them.
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

TEST_CASE("Open MPI gets variables for each program of the job") {
  CHECK(by(Launcher::open_mpi, {"mpirun", "-n", "2", "a", ":", "-n", "1", "b"}).words ==
        Words{"mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "-n", "2", "a", ":", "-x",
              "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "-n", "1", "b"});
  CHECK(by(Launcher::open_mpi, {"timeout", "9", "mpirun", "a"}, 2).words ==
        Words{"timeout", "9", "mpirun", "-x", "LD_PRELOAD=/lib/c.so", "-x", "COMMPROF_OPS=Send,Recv", "a"});
}

TEST_CASE("what the user preloads stays, behind the profiler") {
  CHECK(by(Launcher::open_mpi, {"mpirun", "-x", "LD_PRELOAD=/lib/j.so", "a"}).words ==
        Words{"mpirun", "-x", "COMMPROF_OPS=Send,Recv", "-x", "LD_PRELOAD=/lib/c.so:/lib/j.so", "a"});
}

TEST_CASE("programs of a file of Open MPI get variables by a list in the environment") {
  Command const command = by(Launcher::open_mpi, {"mpirun", "--app", "file"});
  CHECK(command.words == Words{"mpirun", "--app", "file"});
  CHECK(command.environment ==
        Variables{{"OMPI_MCA_mca_base_env_list", "LD_PRELOAD=/lib/c.so;COMMPROF_OPS=Send,Recv"}});
  CHECK_THROWS_AS(
      inject({"mpirun", "--app", "file"}, {Launcher::open_mpi, 0}, {"/lib/c.so", {{"COMMPROF_OUTPUT", "a;b"}}}),
      std::runtime_error);
}

TEST_CASE("Hydra gets variables once for all programs") {
  CHECK(by(Launcher::hydra, {"mpiexec", "-n", "2", "a", ":", "b"}).words ==
        Words{"mpiexec", "-genv", "LD_PRELOAD", "/lib/c.so", "-genv", "COMMPROF_OPS", "Send,Recv", "-n", "2", "a", ":",
              "b"});
}

TEST_CASE("srun gets our values through its environment, since they may have commas") {
  Command const command = by(Launcher::srun, {"srun", "-n", "2", "a"});
  CHECK(command.words == Words{"srun", "--export=ALL,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "-n", "2", "a"});
  CHECK(command.environment == ours.variables);
  CHECK(command.removed == Words{"LD_PRELOAD"});  // what it has in its environment would hold
}

TEST_CASE("srun's --export of the user is joined with ours, and that of the program is not touched") {
  CHECK(by(Launcher::srun, {"srun", "-n", "2", "--export", "A=1", "-l", "a", "--export=me"}).words ==
        Words{"srun", "--export=A=1,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "-n", "2", "-l", "a", "--export=me"});
  CHECK(by(Launcher::srun, {"srun", "--export=NONE", "a", ":", "-n4", "--export=B", "b"}).words ==
        Words{"srun", "--export=COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "a", ":",
              "--export=B,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "-n4", "b"});
  setenv("SLURM_EXPORT_ENV", "C", 1);
  CHECK(by(Launcher::srun, {"srun", "a"}).words == Words{"srun", "--export=C,COMMPROF_OPS,LD_PRELOAD=/lib/c.so", "a"});
  unsetenv("SLURM_EXPORT_ENV");
  CHECK_THROWS_AS(inject({"srun", "a"}, {Launcher::srun, 0}, {"/li,b/c.so", {}}), std::runtime_error);
}

TEST_CASE("Flux gets variables behind its command") {
  CHECK(by(Launcher::flux, {"flux", "run", "-n", "2", "a"}).words ==
        Words{"flux", "run", "--env=LD_PRELOAD=/lib/c.so", "--env=COMMPROF_OPS=Send,Recv", "-n", "2", "a"});
}

TEST_CASE("a plain program gets the environment") {
  Command const command = by(Launcher::none, {"a", "b c"});
  CHECK(command.words == Words{"a", "b c"});
  CHECK(command.environment == Variables{{"COMMPROF_OPS", "Send,Recv"}, {"LD_PRELOAD", "/lib/c.so"}});
}

TEST_CASE("which options take the next word is read from the help") {
  OptionsWithValues const options(help_of_srun);
  CHECK(options.words_of("-n") == 2);
  CHECK(options.words_of("-n4") == 1);
  CHECK(options.words_of("-ln") == 2);
  CHECK(options.words_of("-l") == 1);
  CHECK(options.words_of("-I") == 1);
  CHECK(options.words_of("--ntasks") == 2);
  CHECK(options.words_of("--ntasks=4") == 1);
  CHECK(options.words_of("--immediate") == 1);
  CHECK(options.words_of("--mpi") == 2);
}
