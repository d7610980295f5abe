// Calls of two processes whose price price.py finds by callgrind. Each kind of call is made often; then the
// instructions since the first one are written down.
#include <mpi.h>
#include <time.h>
#include <valgrind/callgrind.h>

enum { calls = 1000, before = 200, window = 64 };

// The clock of the profiler, so that instants are the same in each run: 100 ns pass from one reading to the next.
int clock_gettime(clockid_t clock, struct timespec* now) {
  static long ns = 1000000000;
  (void)clock, ns += 100;
  now->tv_sec = ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  return 0;
}

static int rank, value, values[window];
static MPI_Request requests[window];

static void send(void) {
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  else MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void allreduce(void) { MPI_Allreduce(&value, values, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void iprobe(void) {
  int flag;
  MPI_Iprobe(1 - rank, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}
static void exchange(void) {
  MPI_Irecv(values, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(&value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
static void receive_many(void) {
  for (int i = 0; i < window; ++i) {
    if (rank == 0) MPI_Irecv(&values[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &requests[i]);
    else MPI_Isend(&values[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
}
static void dup_and_free(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  static struct {
    char const* name;
    void (*call)(void);
  } const kinds[] = {{"Send", send},
                     {"Allreduce", allreduce},
                     {"Iprobe", iprobe},
                     {"exchange", exchange},
                     {"64 Irecv, Waitall", receive_many},
                     {"dup and free", dup_and_free}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int kind = 0; kind < (int)(sizeof kinds / sizeof *kinds); ++kind) {
    for (int i = 0; i < before; ++i) kinds[kind].call();
    MPI_Barrier(MPI_COMM_WORLD);
    CALLGRIND_ZERO_STATS;
    for (int i = 0; i < calls; ++i) kinds[kind].call();
    CALLGRIND_DUMP_STATS_AT(kinds[kind].name);
  }
  MPI_Finalize();
}
