/* transport OPERATION BYTES CALLS [BYTES...]: collective calls whose messages transport.py and algorithms.py expect.
 * Each of CALLS rounds has a call with each number of bytes; those with names of MPI's functions take several.
 *
 * pending: each call has two nonblocking broadcasts under way, from 0 on MPI_COMM_WORLD and from the last process on a
 * duplicate with twice the bytes, which messages of the program bring on. threads: CALLS calls of MPI_Allreduce by each
 * of two threads, on communicators of their own, with BYTES and twice as many. strided: messages to the next process,
 * of every second byte. again: like pending, with communicators and a window that come and go before each call.
 * beside: a nonblocking broadcast among messages of the program, to the next process and from the one before, with
 * MPI_Waitall for all of them. persistent: an MPI_Allreduce that is started twice. send: messages to the next process.
 * put, get, accumulate: one-sided calls to the next process, in one epoch of fences. killed: ends by a signal. */
#include <fcntl.h>
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank, ranks, bytes, calls;
static char *out, *in;

static void pending(MPI_Comm other) {
  int const next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  MPI_Request requests[2];
  MPI_Ibcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibcast(in, 2 * bytes, MPI_CHAR, ranks - 1, other, &requests[1]);
  for (int done = 0; !done;) {
    char mine = 0, theirs = 0;
    MPI_Sendrecv(&mine, 1, MPI_CHAR, next, 0, &theirs, 1, MPI_CHAR, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);
    MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  }
}

/* Creating these takes tags, which must not be mistaken for tags of later operations on the parent. The new duplicate
 * gets the handle of the old one, most likely. */
static void come_and_go(MPI_Comm* other) {
  MPI_Group group;
  MPI_Comm made[4];
  MPI_Win window;
  int const periodic = 0;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  MPI_Comm_create(MPI_COMM_WORLD, group, &made[0]);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &made[1]);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, 1, &made[2]);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made[3]);
  for (int i = 0; i < 4; ++i) MPI_Comm_free(&made[i]);
  MPI_Group_free(&group);
  MPI_Win_create(out, bytes, 1, MPI_INFO_NULL, *other, &window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Comm_free(other);
  MPI_Comm_dup(MPI_COMM_WORLD, other);
}

static void persistent(void) {
  MPI_Request request = MPI_REQUEST_NULL;
#ifdef MPI_SESSION_NULL /* MPI 4.0, and Open MPI 5.0 */
  MPI_Allreduce_init(out, in, bytes, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#elif defined OPEN_MPI
  MPIX_Allreduce_init(out, in, bytes, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
  for (int i = 0; i < 2; ++i) MPI_Start(&request), MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

struct Thread {
  MPI_Comm comm;
  int bytes;
};

static void* reduce(void* argument) {
  struct Thread const* const thread = argument;
  char* const result = malloc((size_t)thread->bytes);
  for (int i = 0; i < calls; ++i) MPI_Allreduce(out, result, thread->bytes, MPI_CHAR, MPI_MAX, thread->comm);
  free(result);
  return NULL;
}

static void threads(MPI_Comm other) {
  struct Thread const all[] = {{MPI_COMM_WORLD, bytes}, {other, 2 * bytes}};
  pthread_t second;
  pthread_create(&second, NULL, reduce, (void*)&all[1]);
  reduce((void*)&all[0]);
  pthread_join(second, NULL);
}

static void strided(void) {
  MPI_Datatype type;
  MPI_Type_vector(bytes, 1, 2, MPI_CHAR, &type);
  MPI_Type_commit(&type);
  MPI_Sendrecv(out, 1, type, (rank + 1) % ranks, 0, in, 1, type, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Type_free(&type);
}

static void one_sided(char const* operation) {
  char* memory;
  MPI_Win win;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  int const next = (rank + 1) % ranks;
  MPI_Win_fence(0, win);
  for (int i = 0; i < calls; ++i) {
    if (strcmp(operation, "put") == 0) MPI_Put(out, bytes, MPI_CHAR, next, 0, bytes, MPI_CHAR, win);
    else if (strcmp(operation, "get") == 0) MPI_Get(in, bytes, MPI_CHAR, next, 0, bytes, MPI_CHAR, win);
    else MPI_Accumulate(out, bytes / 4, MPI_INT, next, 0, bytes / 4, MPI_INT, MPI_SUM, win);
  }
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

static void send_to_next(void) {
  MPI_Sendrecv(out, bytes, MPI_CHAR, (rank + 1) % ranks, 0, in, bytes, MPI_CHAR, (rank + ranks - 1) % ranks, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void beside(void) {
  MPI_Request requests[3];
  MPI_Irecv(in, bytes, MPI_CHAR, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, bytes, MPI_CHAR, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibcast(out + bytes, bytes, MPI_CHAR, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static bool call(char const* operation, int size) {
  MPI_Request request = MPI_REQUEST_NULL;
  int* const counts = malloc((size_t)ranks * sizeof(int));
  for (int i = 0; i < ranks; ++i) counts[i] = size;
  if (strcmp(operation, "reduce") == 0) MPI_Reduce(out, in, size, MPI_CHAR, MPI_MAX, 0, MPI_COMM_WORLD);
  else if (strcmp(operation, "bcast") == 0) MPI_Bcast(out, size, MPI_CHAR, 0, MPI_COMM_WORLD);
  else if (strcmp(operation, "barrier") == 0) MPI_Barrier(MPI_COMM_WORLD);
  else if (strcmp(operation, "allreduce") == 0) MPI_Allreduce(out, in, size, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  else if (strcmp(operation, "iallreduce") == 0)
    MPI_Iallreduce(out, in, size, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD, &request);
  else if (strcmp(operation, "ibcast") == 0) MPI_Ibcast(out, size, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
  else if (strcmp(operation, "ireduce") == 0)
    MPI_Ireduce(out, in, size, MPI_CHAR, MPI_MAX, 0, MPI_COMM_WORLD, &request);
  else if (strcmp(operation, "iallgather") == 0)
    MPI_Iallgather(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD, &request);
  else if (strcmp(operation, "iscan") == 0) MPI_Iscan(out, in, size, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD, &request);
  else if (strcmp(operation, "alltoall") == 0) MPI_Alltoall(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
  else if (strcmp(operation, "allgather") == 0) MPI_Allgather(out, size, MPI_CHAR, in, size, MPI_CHAR, MPI_COMM_WORLD);
  else if (strcmp(operation, "gather") == 0) MPI_Gather(out, size, MPI_CHAR, in, size, MPI_CHAR, 0, MPI_COMM_WORLD);
  else if (strcmp(operation, "scatter") == 0) MPI_Scatter(out, size, MPI_CHAR, in, size, MPI_CHAR, 0, MPI_COMM_WORLD);
  else if (strcmp(operation, "scan") == 0) MPI_Scan(out, in, size, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  else if (strcmp(operation, "exscan") == 0) MPI_Exscan(out, in, size, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  else if (strcmp(operation, "reduce_scatter") == 0)
    MPI_Reduce_scatter(out, in, counts, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  else if (strcmp(operation, "reduce_scatter_block") == 0)
    MPI_Reduce_scatter_block(out, in, size, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  else return false;
  if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  free(counts);
  return true;
}

/* Until all processes are here, without a message, which would be counted. */
static void meet_in_a_file(void) {
  struct stat met;
  int const file = open("met", O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0600);
  if (file < 0 || write(file, "", 1) != 1) abort();
  while (fstat(file, &met) == 0 && met.st_size < ranks) usleep(1000);
}

/* A child process is no part of the profile. */
static void fork_a_child(void) {
  pid_t const child = fork();
  if (child == 0) _exit(0);
  waitpid(child, NULL, 0);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  char const* const operation = argc > 1 ? argv[1] : "";
  bytes = argc > 2 ? atoi(argv[2]) : 0;
  calls = argc > 3 ? atoi(argv[3]) : 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  size_t room = (size_t)(2 * bytes) * (size_t)ranks + 1;
  for (int i = 4; i < argc; ++i) room += (size_t)atoi(argv[i]) * (size_t)ranks;
  out = calloc(room, 1);
  in = calloc(room, 1);
  MPI_Comm other = MPI_COMM_NULL;
  int const comes_and_goes = strcmp(operation, "again") == 0;
  if (comes_and_goes || strcmp(operation, "pending") == 0 || strcmp(operation, "threads") == 0)
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
  if (strcmp(operation, "fork") == 0) fork_a_child();
  int const is_one_sided =
      strcmp(operation, "put") == 0 || strcmp(operation, "get") == 0 || strcmp(operation, "accumulate") == 0;
  if (is_one_sided) one_sided(operation);
  for (int i = 0; i < calls && !is_one_sided; ++i) {
    if (comes_and_goes) come_and_go(&other);
    if (call(operation, bytes))
      for (int further = 4; further < argc; ++further) call(operation, atoi(argv[further]));
    else if (comes_and_goes || strcmp(operation, "pending") == 0) pending(other);
    else if (strcmp(operation, "beside") == 0) beside();
    else if (strcmp(operation, "persistent") == 0) persistent();
    else if (strcmp(operation, "strided") == 0) strided();
    else if (strcmp(operation, "send") == 0) send_to_next();
    else if (strcmp(operation, "threads") != 0) MPI_Allreduce(out, in, bytes, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD);
  }
  if (strcmp(operation, "threads") == 0) threads(other);
  if (strcmp(operation, "killed") == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    meet_in_a_file(); /* a process can leave the barrier before others have sent all its messages */
    raise(SIGKILL);
  }
  if (other != MPI_COMM_NULL) MPI_Comm_free(&other);
  MPI_Finalize();
  return 0;
}
