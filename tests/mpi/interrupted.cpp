// A program that signals interrupt all the time and that starts other programs meanwhile; its output does not depend on
// the timing.
#include <commprof/commprof.h>
#include <mpi.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

volatile std::sig_atomic_t alarms = 0;

void every_millisecond(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: system calls end early
  sigaction(signal, &action, nullptr);
  itimerval const interval{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &interval, nullptr);
}

void stop(int signal) {
  itimerval const none{};
  setitimer(ITIMER_REAL, &none, nullptr);
  std::signal(signal, SIG_IGN);
}

// Runs body in a child process and returns the child's exit code.
template <class Body>
int in_child(Body const& body) {
  pid_t const child = fork();
  if (child == 0) {
    body();
    std::exit(5);  // runs exit handlers, including those of the profiler and the MPI
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

int main(int argc, char** argv) {
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) {
    std::puts("MPI_Init failed");
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 9;
  }
  std::fflush(stdout);  // a child would print it again
  int rank = 0, size = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  every_millisecond(SIGALRM, [](int) { alarms = alarms + 1; });
  for (int i = 0; alarms < 100 || i < 300; ++i) {
    int value = 0;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Sendrecv(&i, 1, MPI_INT, 0, 0, &value, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
    if (value != i) return 9;
  }
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  commprof_flush(NULL);
  if (rank == 0) {
    int const codes[] = {in_child([] {}), in_child([] { _exit(6); }),
                         in_child([] { execlp("sh", "sh", "-c", "exit 7", nullptr); }),
                         WEXITSTATUS(std::system("exit 8"))};
    stop(SIGALRM);  // a line to a terminal, as Open MPI's launcher has one, would be lost
    std::printf("sum %d\nchild %d\nchild that leaves %d\nchild of another program %d\nshell %d\n", sum, codes[0],
                codes[1], codes[2], codes[3]);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
