// Processes that do not come to the end together, or not at all:  ends_apart HOW [RANK]
//
//   late RANK       comes to MPI_Finalize two seconds after the others
//   exit RANK       ends by exit(3) without MPI_Finalize
//   leave RANK      ends by _exit(3)
//   kill RANK       ends by SIGKILL
//   stay RANK       never ends
//   others-flush    all but rank 0 ask for a snapshot, which rank 0 never does
//   first-flushes   rank 0 asks for two snapshots, rank 1 for one, all others for none
//   pending         ends with receives pending, on a communicator that lives and on one that is freed
//   at-exit         finalizes MPI in a function registered with atexit
#include <commprof/commprof.h>
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  std::string const how = argv[1];
  int const chosen = argc > 2 ? std::atoi(argv[2]) : -1;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("started"), std::fflush(stdout);

  if (rank == chosen) {
    usleep(how == "late" ? 2000000 : 200000);
    if (how == "exit") std::exit(3);
    if (how == "leave") _exit(3);
    if (how == "kill") std::raise(SIGKILL);
    if (how == "stay") sleep(1000);
  }
  int error = MPI_SUCCESS;
  if (how == "others-flush" && rank != 0) error = commprof_flush(NULL);
  if (how == "first-flushes" && rank <= 1) error = commprof_flush(NULL);
  if (how == "first-flushes" && rank == 0) error = commprof_flush(NULL);
  // Counted whatever became of the snapshot.
  for (int i = 0; i < 3; ++i) MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
  if (how == "others-flush" && (error == MPI_SUCCESS) != (rank == 0 || !commprof_flush)) return 9;
  if (how == "first-flushes" && error != MPI_SUCCESS) return 9;

  if (how == "pending") {
    static int into[2];
    MPI_Comm live, freed;
    MPI_Comm_dup(MPI_COMM_WORLD, &live);
    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    MPI_Request requests[2];
    MPI_Irecv(&into[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, live, &requests[0]);
    MPI_Irecv(&into[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, freed, &requests[1]);
    MPI_Comm_free(&freed);
  }
  if (how == "at-exit") {
    std::atexit([] { MPI_Finalize(); });
    return 0;
  }
  MPI_Finalize();
  return 0;
}
