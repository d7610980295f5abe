// A program for scripts to run: a barrier on the world and on a duplicate, one line on stdout and one on stderr.
//
//   small_program [--exit CODE] [--chdir DIRECTORY] [--name FILE] [--region FILE] [--file-limit BYTES]
//                 [--scribble CHARACTER] [--fork DIRECTORY] [ANYTHING…]
//
// exit: its exit code. chdir: where it goes to once MPI has started. name: a file whose contents are the name of the
// duplicate. region: the same of a region around the barriers. file-limit: no file of this process may grow beyond
// that, from before MPI_Finalize on. scribble: the variables of the profiler lie in a buffer of the program, which
// fills their values with the character once MPI has started, and removes COMMPROF_CLOCK.
// fork: a child asks for a snapshot there, and exits.
#include <commprof/commprof.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

std::string contents(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The environment variables that begin with COMMPROF_, in memory of the program.
class OwnVariables {
 public:
  void take() {
    for (char** variable = environ; *variable != nullptr; ++variable)
      if (std::string_view(*variable).starts_with("COMMPROF_")) texts_.emplace_back(*variable);
    for (std::string& text : texts_) putenv(text.data());
  }
  void fill(char with) {
    for (std::string& text : texts_)
      std::fill(text.begin() + static_cast<std::ptrdiff_t>(text.find('=')) + 1, text.end(), with);
    unsetenv("COMMPROF_CLOCK");
  }

 private:
  std::vector<std::string> texts_;
};

}  // namespace

int main(int argc, char** argv) {
  int exit_code = 0;
  std::string directory, name_file, region_file, file_limit, scribble, snapshot_of_child;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string const option = argv[i];
    if (option == "--exit") exit_code = std::atoi(argv[i + 1]);
    else if (option == "--chdir") directory = argv[i + 1];
    else if (option == "--name") name_file = argv[i + 1];
    else if (option == "--region") region_file = argv[i + 1];
    else if (option == "--file-limit") file_limit = argv[i + 1];
    else if (option == "--fork") snapshot_of_child = argv[i + 1];
    else if (option == "--scribble") scribble = argv[i + 1];
    else break;
  }

  static OwnVariables variables;  // static, because the environment may be read at any later time
  if (!scribble.empty()) variables.take();
  MPI_Init(&argc, &argv);
  if (!scribble.empty()) variables.fill(scribble[0]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!directory.empty() && chdir(directory.c_str()) != 0) return 99;
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  if (!name_file.empty()) MPI_Comm_set_name(dup, contents(name_file).c_str());
  if (!region_file.empty()) commprof_region_begin(contents(region_file).c_str());
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(dup);
  if (!snapshot_of_child.empty()) {
    pid_t const child = fork();
    if (child == 0) {
      commprof_flush(snapshot_of_child.c_str());
      _exit(0);
    }
    waitpid(child, nullptr, 0);
  }
  if (rank == 0) {
    std::puts("a line on stdout");
    std::fputs("a line on stderr\n", stderr);
    std::fflush(stdout);
  }
  if (!file_limit.empty()) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = static_cast<rlim_t>(std::atoll(file_limit.c_str()));
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  MPI_Finalize();
  return exit_code;
}
