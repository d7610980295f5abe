/* message_waits MODE [killed|alarm]: processes that wait for each other's messages. All delays are sleeps, so that what
 * waits for whom, and for which share of the time, is known. message_waits.py has what must be in the profile. killed:
 * in place of MPI_Finalize, all are killed. alarm: the second rank is killed at some moment before. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { STEPS = 150, LARGE = 1 << 20 };

static char large[LARGE];
static int rank, size, token;

static void send(int to, int tag) { MPI_Send(&token, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }
static void receive(int from, int tag) { MPI_Recv(&token, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static void rest(double ms) {
  struct timespec const time = {0, (long)(ms * 1e6)};
  nanosleep(&time, NULL);
}

/* Each rank sends on what it receives. Rank 0 is slow: the others wait for the one before, and rank 0 is the cause. */
static double delay_of_pipeline = 3;

static void pipeline(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(delay_of_pipeline);
    else receive(rank - 1, i);
    if (rank < size - 1) send(rank + 1, i);
  }
}

/* Rank 1 is slow; all exchange with both neighbours. */
static void halo(void) {
  int const left = (rank + size - 1) % size, right = (rank + 1) % size;
  int values[4];
  MPI_Request all[6] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                        MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < STEPS / 3; ++i) {
    if (rank == 1) rest(10);
    MPI_Irecv(values, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(values + 1, 1, MPI_INT, right, 2, MPI_COMM_WORLD, &all[1]);
    MPI_Isend(values + 2, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(values + 3, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &all[3]);
    MPI_Irecv(values, 1, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &all[4]);
    MPI_Status statuses[6];
    MPI_Waitall(6, all, statuses);
  }
}

/* Rank 1 waits for rank 2, which waits in a barrier, or in a pause, for the last rank. */
static MPI_Comm last_ones;

static void wait_behind(void (*until_last_comes)(void)) {
  MPI_Comm_split(MPI_COMM_WORLD, rank >= 2, rank, &last_ones);
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 3) rest(3);
    if (rank >= 2) until_last_comes();
    if (rank == 2) send(1, 0);
    if (rank == 1) receive(2, 0);
  }
  MPI_Comm_free(&last_ones);
}
static void enter_barrier(void) { MPI_Barrier(last_ones); }
static void in_barrier(void) { wait_behind(enter_barrier); }
static void receive_in_pause(void) {
  if (rank == 3) MPI_Send(&token, 1, MPI_INT, 0, 0, last_ones);
  if (rank != 2) return;
  MPI_Pcontrol(0);
  MPI_Recv(&token, 1, MPI_INT, 1, 0, last_ones, MPI_STATUS_IGNORE);
  MPI_Pcontrol(1);
}
static void in_pause(void) { wait_behind(receive_in_pause); }

/* A call awaits messages of several numbers in their streams; that of one stream or of the other is sent last. */
static void mixed(void) {
  int values[4];
  for (int i = 0; i < STEPS; ++i) {
    int const last = i % 2;
    MPI_Request all[4];
    if (rank == 0) {
      send(1, 0), send(1, 1 - last);
      rest(3);
      send(1, last);
      receive(1, 2);
    } else if (rank == 1) {
      for (int k = 0; k < 3; ++k) MPI_Irecv(values + k, 1, MPI_INT, 0, k == 0 ? 0 : k - 1, MPI_COMM_WORLD, &all[k]);
      MPI_Isend(values + 3, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &all[3]);
      MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    }
  }
}

/* A call awaits more messages than are kept. */
static void many_requests(void) {
  enum { REQUESTS = 300 };
  static int values[REQUESTS];
  MPI_Request all[REQUESTS];
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(5);
    for (int k = 0; k < REQUESTS; ++k)
      if (rank == 0) send(1, k);
      else MPI_Irecv(values + k, 1, MPI_INT, 0, k, MPI_COMM_WORLD, &all[k]);
    if (rank == 1) MPI_Waitall(REQUESTS, all, MPI_STATUSES_IGNORE);
  }
}

/* Calls that end with one message or some of them, though others have not been sent. */
static void any_and_some(void) {
  for (int i = 0; i < STEPS; ++i) {
    int const first = i % 2, with_some = i / 2 % 2;
    if (rank == 0) rest(1.5), send(1, first), rest(1.5), send(1, 1 - first);
    if (rank != 1) continue;
    int values[2], done[2];
    MPI_Request both[2];
    for (int tag = 0; tag < 2; ++tag) MPI_Irecv(values + tag, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, &both[tag]);
    for (int left = 2; left > 0;) {
      int count = 1;
      if (with_some) MPI_Waitsome(2, both, &count, done, MPI_STATUSES_IGNORE);
      else MPI_Waitany(2, both, done, MPI_STATUS_IGNORE);
      left -= count;
    }
  }
}

/* A request that sends and receives, where the MPI has it. */
static void exchange_by_request(int dest, int source) {
  int value = 0;
  MPI_Request request;
#if MPI_VERSION >= 4
  MPI_Isendrecv(&token, 1, MPI_INT, dest, 0, &value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, &request);
#else
  MPI_Send(&token, 1, MPI_INT, dest, 0, MPI_COMM_WORLD);
  MPI_Irecv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, &request);
#endif
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Further calls that send and receive: between two, and around the ring and back, where the source is another rank than
 * the destination. Rank 0 is slow. */
static void exchanges(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(1.5), send(1, 0), receive(1, 0);
    if (rank != 1) continue;
    MPI_Sendrecv_replace(&token, 1, MPI_INT, 0, 0, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int const left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(3);
    exchange_by_request(right, left);
    exchange_by_request(left, right);
  }
}

/* Around the ring, where all wait for their left neighbour. */
static void by_request(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(3);
    exchange_by_request((rank + 1) % size, (rank + size - 1) % size);
  }
}

/* Communicators of which nothing is known, if COMMPROF_MAX_COMMS=1 folds them. */
static void folded(void) {
  MPI_Comm all[3];
  for (int k = 0; k < 3; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &all[k]);
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(1.5), MPI_Send(&token, 1, MPI_INT, 1, 0, all[i % 3]), rest(1.5), send(1, 0);
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, 0, 0, all[i % 3], MPI_STATUS_IGNORE), receive(0, 0);
  }
  for (int k = 0; k < 3; ++k) MPI_Comm_free(&all[k]);
}

/* The message is too large to be sent before its receive is posted. */
static void late_receiver(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) MPI_Send(large, LARGE, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank != 1) continue;
    rest(3);
    MPI_Recv(large, LARGE, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* A small message is sent before its receive is posted, so its sender does not wait. It then waits for an answer. */
static void eager(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) send(1, 0), receive(1, 1);
    if (rank == 1) rest(3), receive(0, 0), send(0, 1);
  }
}

/* A master with wildcards: workers wait while it rests, it waits while they all do. */
static void farm(void) {
  MPI_Status status;
  int left = STEPS;
  if (rank > 0) {
    for (;;) {
      send(0, 0);
      MPI_Recv(&token, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      if (status.MPI_TAG == 2) return;
      rest(rank == 1 ? 6 : 3);
    }
  }
  for (int open = size - 1; open > 0;) {
    MPI_Request request;
    MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    if (left-- <= 0) --open;
    send(status.MPI_SOURCE, left < 0 ? 2 : 1);
  }
}

static void persistent(void) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Send_init(&token, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Recv_init(&token, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
  for (int i = 0; i < STEPS && rank < 2; ++i) {
    if (rank == 0) rest(3);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (rank < 2) MPI_Request_free(&request);
}

/* Receives that are cancelled take no message. Waiting begins only after that: if their numbers were lost, each
 * message would seem to be sent too late. */
static void cancelled(void) {
  MPI_Request request;
  if (rank == 1) {
    for (int i = 0; i < 20; ++i) {
      MPI_Irecv(&token, 1, MPI_INT, i % 2 == 0 ? 0 : MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0)
      rest(1.5), send(1, 3), rest(1.5), MPI_Recv(large, LARGE, MPI_CHAR, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
      MPI_Sendrecv(large, LARGE, MPI_CHAR, 0, 4, &token, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/* The first receive fails, because its message is larger than its buffer. It takes its message or not: if that were
 * counted wrong, each later receive would seem to wait for the message before its own, and so never. On another
 * communicator, all is known. */
static void truncated(void) {
  MPI_Comm other;
  int two[2] = {0, 0};
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS) abort();
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0)
      rest(1.5), MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD), rest(1.5),
          MPI_Send(&token, 1, MPI_INT, 1, 0, other);
    if (rank == 1)
      MPI_Recv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          MPI_Recv(&token, 1, MPI_INT, 0, 0, other, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&other);
}

/* Probes await a message without taking it; matched probes take it. */
static void probes(void) {
  MPI_Status status;
  MPI_Message message;
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(1.5), send(1, 0), rest(1.5), send(1, 0);
    if (rank != 1) continue;
    MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
    receive(0, 0);
    MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(&token, 1, MPI_INT, &message, &status);
  }
}

/* On another communicator, with ranks in the opposite order, and on an intercommunicator. */
static void communicators(void) {
  MPI_Comm turned, half, inter;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &turned);
  MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < size / 2 ? size / 2 : 0, 7, &inter);
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) {
      rest(1.5);
      MPI_Send(&token, 1, MPI_INT, size - 2, 0, turned);
      rest(1.5);
      MPI_Send(&token, 1, MPI_INT, size - size / 2 - 1, 0, inter);
    }
    if (rank == 1) MPI_Recv(&token, 1, MPI_INT, size - 1, 0, turned, MPI_STATUS_IGNORE);
    if (rank == size - 1) MPI_Recv(&token, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&turned);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/* A pause does not change the numbers of messages. */
static void paused(void) {
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 1) MPI_Pcontrol(i % 3 == 0 ? 0 : 1);
    if (rank == 0) send(1, 0), rest(3), send(1, 0);
    if (rank == 1) receive(0, 0), receive(0, 0);
  }
  MPI_Pcontrol(1);
}

static void* exchange(void* argument) {
  int const tag = *(int*)argument;
  int value = 0;
  for (int i = 0; i < STEPS; ++i) {
    if (rank == 0) rest(3), MPI_Send(&value, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return NULL;
}

static void threads(void) {
  pthread_t other[3];
  int tags[] = {1, 2, 3};
  for (int i = 0; i < 3; ++i) pthread_create(&other[i], NULL, exchange, &tags[i]);
  for (int i = 0; i < 3; ++i) pthread_join(other[i], NULL);
}

/* Two threads of each rank use the same stream. */
static void one_stream(void) {
  pthread_t other[2];
  int tag = 1;
  for (int i = 0; i < 2; ++i) pthread_create(&other[i], NULL, exchange, &tag);
  for (int i = 0; i < 2; ++i) pthread_join(other[i], NULL);
}

/* More tags than there are counters. */
static void many_tags(void) {
  for (int next = 0; next < STEPS * 4 * 300; ++next) {
    if (rank == 0 && next % 300 == 0) rest(2);
    if (rank == 0) send(1, next % 32768);
    if (rank == 1) receive(0, next % 32768);
  }
}

/* How long the requests of Irecv, and of Iallreduce, are pending, and how long this process is in MPI calls meanwhile.
 */
static int64_t pending[2][2];

static void overlap(void) {
  for (int i = 0; i < STEPS; ++i) {
    MPI_Request request;
    int sum = 0;
    if (rank == 1) {
      MPI_Irecv(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      int64_t const left = now();
      rest(4);
      int64_t const entry = now();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      pending[0][0] += now() - left;
      pending[0][1] += now() - entry;
    } else {
      rest(7);
      MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    int64_t const left = now();
    if (rank == 0) rest(5);
    int64_t const entry = now();
    MPI_Barrier(MPI_COMM_WORLD); /* its time is no computation */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pending[1][0] += now() - left;
    pending[1][1] += now() - entry;
  }
  int64_t sums[2][2];
  MPI_Reduce(pending, sums, 4, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  for (int k = 0; k < 2 && rank == 0; ++k)
    printf("pending %s %f %f\n", k == 0 ? "Irecv" : "Iallreduce", (double)sums[k][0] * 1e-9,
           (double)sums[k][1] / (double)sums[k][0]);
}

/* Once all have come here. */
static void get_killed(void) {
  PMPI_Barrier(MPI_COMM_WORLD);
  raise(SIGKILL);
}

/* In the midst of the pipeline, whose delays outweigh those of a busy machine. */
static void set_alarm(void) {
  struct itimerval const once = {{0, 0}, {0, 250000}};
  setitimer(ITIMER_REAL, &once, NULL);
}

#define MODE(name) \
  { #name, name }

int main(int argc, char** argv) {
  static struct {
    char const* name;
    void (*run)(void);
  } const modes[] = {MODE(in_pause),      MODE(in_barrier),    MODE(pipeline),  MODE(halo),       MODE(mixed),
                     MODE(many_requests), MODE(any_and_some),  MODE(exchanges), MODE(folded),     MODE(one_stream),
                     MODE(eager),         MODE(late_receiver), MODE(farm),      MODE(persistent), MODE(cancelled),
                     MODE(truncated),     MODE(probes),        MODE(paused),    MODE(many_tags),  MODE(communicators),
                     MODE(threads),       MODE(overlap),       MODE(by_request)};
  int level = 0;
  int const has_threads = strcmp(argv[1], "threads") == 0 || strcmp(argv[1], "one_stream") == 0;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char const* const end = argc > 2 ? argv[2] : "";
  if (strcmp(end, "alarm") == 0) {
    delay_of_pipeline = 12;
    if (rank == 1) set_alarm();
  }
  for (size_t i = 0; i < sizeof modes / sizeof *modes; ++i)
    if (strcmp(argv[1], modes[i].name) == 0) modes[i].run();
  if (strcmp(end, "killed") == 0) get_killed();
  MPI_Finalize();
  return 0;
}
