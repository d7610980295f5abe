/* A program that adapts itself to what it reads of its own messages, by the performance variables of MPI_T. It knows
 * nothing of the profiler: without it the variables are not there, and the program goes on as it began.
 *
 * Parcels go around a ring: many small ones to the right, few large ones to the left. At first each is a message. After
 * some steps each rank reads how many messages of which size it has sent to each neighbour. Where there are many small
 * ones, all parcels of a step go together from then on. The receiver need not know: it takes what comes until it has
 * all.
 *
 * Usage: mpirun -n N adaptive [STEPS] */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { measured_steps = 3, many = 8, small_bytes = 1024 };
enum { small_parcels = 64, large_parcels = 2 };

typedef struct {
  int to, from, tag;
  int parcels, length; /* of each, in doubles */
  bool together;
  double *out, *in;
} Direction;

static Direction make(int to, int from, int tag, int parcels, int length) {
  Direction const made = {to,
                          from,
                          tag,
                          parcels,
                          length,
                          false,
                          calloc((size_t)(parcels * length), sizeof(double)),
                          calloc((size_t)(parcels * length), sizeof(double))};
  return made;
}

static int send(Direction const* way, MPI_Request* requests) {
  int const messages = way->together ? 1 : way->parcels;
  int const length = way->parcels * way->length / messages;
  for (int i = 0; i < messages; ++i)
    MPI_Isend(way->out + i * length, length, MPI_DOUBLE, way->to, way->tag, MPI_COMM_WORLD, &requests[i]);
  return messages;
}

static void receive(Direction const* way) {
  for (int have = 0; have < way->parcels * way->length;) {
    MPI_Status status;
    int length;
    MPI_Probe(way->from, way->tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &length);
    MPI_Recv(way->in + have, length, MPI_DOUBLE, way->from, way->tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    have += length;
  }
}

static void step(Direction* ways, int count) {
  MPI_Request requests[small_parcels + large_parcels];
  MPI_Status statuses[small_parcels + large_parcels];
  int sent = 0;
  for (int i = 0; i < count; ++i) sent += send(&ways[i], requests + sent);
  for (int i = 0; i < count; ++i) receive(&ways[i]);
  MPI_Waitall(sent, requests, statuses);
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < ways[i].parcels * ways[i].length; ++j) ways[i].out[j] = 0.5 * ways[i].in[j] + j;
}

/* Begins to measure; the null handle where there is no such variable. */
static MPI_T_pvar_handle measure(MPI_T_pvar_session session, char const* name) {
  MPI_T_pvar_handle handle;
  MPI_Comm comm = MPI_COMM_WORLD;
  int index, length;
  if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS) return MPI_T_PVAR_HANDLE_NULL;
  if (MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &length) != MPI_SUCCESS) return MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_start(session, handle);
  return handle;
}

/* values: one for each process. */
static bool read_and_free(MPI_T_pvar_session session, MPI_T_pvar_handle handle, unsigned long* values) {
  if (handle == MPI_T_PVAR_HANDLE_NULL) return false;
  bool const is_read = MPI_T_pvar_read(session, handle, values) == MPI_SUCCESS;
  MPI_T_pvar_handle_free(session, &handle);
  return is_read;
}

static void adapt(Direction* ways, int count, unsigned long const* messages, unsigned long const* bytes, int rank) {
  for (int i = 0; i < count; ++i) {
    unsigned long const sent = messages[ways[i].to];
    ways[i].together = sent > many * measured_steps && bytes[ways[i].to] / sent < small_bytes;
    if (ways[i].together && rank == 0)
      printf("rank 0 sends %lu messages of %lu bytes a step to rank %d: from now on together\n", sent / measured_steps,
             bytes[ways[i].to] / sent, ways[i].to);
  }
}

int main(int argc, char** argv) {
  int provided, rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  int const steps = argc > 1 ? atoi(argv[1]) : 100;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int const right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
  Direction ways[] = {make(right, left, 0, small_parcels, 2), make(left, right, 1, large_parcels, 1024)};

  MPI_T_pvar_session session;
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_handle const count = measure(session, "commprof_messages_count");
  MPI_T_pvar_handle const size = measure(session, "commprof_messages_size");
  unsigned long* const messages = calloc((size_t)ranks, sizeof *messages);
  unsigned long* const bytes = calloc((size_t)ranks, sizeof *bytes);
  for (int i = 0; i < steps; ++i) {
    step(ways, 2);
    if (i + 1 != measured_steps) continue;
    bool const has_messages = read_and_free(session, count, messages), has_bytes = read_and_free(session, size, bytes);
    if (has_messages && has_bytes) adapt(ways, 2, messages, bytes, rank);
  }
  MPI_T_pvar_session_free(&session);
  MPI_T_finalize();

  double sum = 0, all = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < ways[i].parcels * ways[i].length; ++j) sum += ways[i].in[j];
  MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d steps, sum %.6f\n", steps, all);
  for (int i = 0; i < 2; ++i) {
    free(ways[i].out);
    free(ways[i].in);
  }
  free(messages);
  free(bytes);
  MPI_Finalize();
  return 0;
}
