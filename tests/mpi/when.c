/* when MODE [killed]: programs that change while they run, at known times. when.py has what must be in the profile.
 * killed: the first rank ends the job by a signal. */
#include <commprof/commprof.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void rest(double ms) {
  struct timespec const time = {(time_t)(ms / 1000), (long)((ms - 1000 * (double)(time_t)(ms / 1000)) * 1e6)};
  nanosleep(&time, NULL);
}
/* Marks this moment in the profile: only here the first rank completes a request. */
static void mark(void) {
  int in = 0;
  MPI_Request request;
  if (rank != 0) return;
  MPI_Isend(&size, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &request);
  MPI_Recv(&in, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
static void sum(void) {
  int one = 1, all = 0;
  MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* From the middle on, the second rank is slow, so that the others wait in MPI. */
static void change(void) {
  for (int i = 0; i < 200; ++i) {
    if (i == 100) mark();
    rest(i < 100 || rank == 1 ? 8 : 1);
    sum();
  }
}

/* Twelve times: small steps for a while, then all wait for the second rank. */
static void phases(void) {
  for (int i = 0; i < 12; ++i) {
    for (int step = 0; step < 6; ++step) {
      rest(40);
      sum();
    }
    if (rank == 1) rest(160);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* One call lasts for most of the run, and then a few large messages are sent. */
static void long_call(void) {
  static char large[1 << 20];
  int token = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  mark();
  if (rank == 0) {
    rest(800);
    MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  mark();
  for (int i = 0; i < 10; ++i) {
    rest(10);
    if (rank == 0) MPI_Send(large, sizeof large, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(large, sizeof large, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* Calls of each kind, nonblocking ones and such as find nothing among them, with a pause in the middle. */
static void kinds(void) {
  int in[2] = {0, 0}, flag = 0, *memory = NULL;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Win window;
  MPI_File file;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  for (int i = 0; i < 300; ++i) {
    if (i == 100) MPI_Pcontrol(0);
    if (i == 200) MPI_Pcontrol(1);
    MPI_Irecv(in, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(in + 1, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Testall(2, requests, &flag, statuses);
    if (!flag) MPI_Waitall(2, requests, statuses);
    MPI_Win_fence(0, window);
    sum();
  }
  MPI_Win_free(&window);
  if (MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS) {
    MPI_File_write_at(file, (MPI_Offset)rank * 4, in, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  MPI_Irecv(in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &requests[0]); /* never completes */
}

/* Forty steps with a sum. */
static void steps(void) {
  for (int i = 0; i < 40; ++i) {
    rest(5);
    sum();
  }
}

static void pause_between(void) {
  steps();
  mark();
  commprof_pause();
  steps();
  commprof_resume();
  mark();
  steps();
}

/* A region does not change what windows have. */
static void steered(void) {
  steps();
  commprof_region_begin("solve");
  steps();
  commprof_region_end("solve");
  steps();
}

static void* receive(void* unused) {
  int token = 0;
  MPI_Recv(&token, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return unused;
}
/* A thread waits in one call while another one makes many. Not for its own process: MPICH 4.0.2 may not wake it. */
static void threads(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, receive, NULL);
  for (int i = 0; i < 100; ++i) {
    rest(4);
    sum();
  }
  MPI_Send(&size, 1, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD);
  pthread_join(thread, NULL);
}

/* A short run. The first rank says how long it goes on. */
static void brief(void) {
  double const until = MPI_Wtime() + 0.01;
  for (int goes_on = 1; goes_on;) {
    goes_on = MPI_Wtime() < until;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  static struct {
    char const* name;
    void (*run)(void);
  } const modes[] = {{"change", change},       {"phases", phases},   {"long_call", long_call}, {"kinds", kinds},
                     {"pause", pause_between}, {"steered", steered}, {"threads", threads},     {"brief", brief}};
  int level = 0;
  MPI_Init_thread(&argc, &argv, strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i)
    if (strcmp(argv[1], modes[i].name) == 0) modes[i].run();
  if (argc > 2) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) raise(SIGKILL);
    sleep(100);
  }
  MPI_Finalize();
  return 0;
}
