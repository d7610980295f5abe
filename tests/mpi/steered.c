/* A program in C for scripts to run: does what its arguments say, in their order, and a barrier after each.
 *
 *   steered [begin=NAME | end=NAME | end | flush=PATH | flush | pause | resume | abort=(w|s|d)CODE]…
 *
 * Rank 0 prints of each flush whether it succeeded, and it ends the job on the world (w), itself (s) or a duplicate
 * (d), while the others wait. */
#include <commprof/commprof.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char const* value_of(char const* argument, char const* name) {
  size_t const length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1 : NULL;
}

static void end_job(char const* comm, char const* code, int rank) {
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Barrier(dup);
  if (rank > 0) return;
  puts("before");
  fflush(stdout);
  MPI_Abort(*comm == 'w' ? MPI_COMM_WORLD : *comm == 's' ? MPI_COMM_SELF : dup, atoi(code));
  for (;;) pause(); /* MPICH 4.2.1 returns, and its launcher ends the process later */
}

static void obey(char const* argument, int rank) {
  char const* value;
  if ((value = value_of(argument, "begin")) != NULL) commprof_region_begin(value);
  else if ((value = value_of(argument, "end")) != NULL || strcmp(argument, "end") == 0) commprof_region_end(value);
  else if ((value = value_of(argument, "abort")) != NULL) end_job(value, value + 1, rank);
  else if (strcmp(argument, "pause") == 0) MPI_Pcontrol(COMMPROF_PAUSE);
  else if (strcmp(argument, "resume") == 0) MPI_Pcontrol(COMMPROF_RESUME);
  else {
    int const result = commprof_flush(value_of(argument, "flush"));
    if (rank == 0) printf("flush %s\n", result == MPI_SUCCESS ? "succeeded" : "failed");
  }
}

static void run(int argc, char** argv, MPI_Comm world) {
  int rank;
  MPI_Comm_rank(world, &rank);
  for (int i = 0; i < argc; ++i) {
    obey(argv[i], rank);
    MPI_Barrier(world);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run(argc - 1, argv + 1, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
