/* A program in C that reads the messages it has sent by MPI_T, and is not linked with the profiler.
 *
 *   monitored           rank 0 prints for each rank the most messages and the most bytes that any rank sends to it
 *   monitored list      without MPI_Init: prints the number of variables
 *
 * Each rank sends as many messages as its number, counted from 1, to each other one; those to rank r have 100 r bytes.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { tag = 5, unit = 100 };

static void send_to_all(int rank, int ranks) {
  char* const out = calloc((size_t)ranks, unit);
  char* const in = calloc((size_t)ranks, unit);
  for (int step = 1; step < ranks; ++step) {
    int const to = (rank + step) % ranks, from = (rank + ranks - step) % ranks;
    MPI_Request* const requests = malloc((size_t)(rank + 1) * sizeof *requests);
    for (int i = 0; i <= rank; ++i) MPI_Isend(out, unit * to, MPI_CHAR, to, tag, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i <= from; ++i) MPI_Recv(in, unit * rank, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i <= rank; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    free(requests);
  }
  free(out);
  free(in);
}

static MPI_T_pvar_handle begin(MPI_T_pvar_session session, char const* name, void* object, int* length) {
  MPI_T_pvar_handle handle;
  int index;
  if (MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_SIZE, &index) != MPI_SUCCESS ||
      MPI_T_pvar_handle_alloc(session, index, object, &handle, length) != MPI_SUCCESS ||
      MPI_T_pvar_start(session, handle) != MPI_SUCCESS)
    return MPI_T_PVAR_HANDLE_NULL;
  return handle;
}

static void end(MPI_T_pvar_session session, MPI_T_pvar_handle handle, size_t* largest, int length) {
  MPI_T_pvar_read(session, handle, largest);
  MPI_Allreduce(MPI_IN_PLACE, largest, length, MPI_UNSIGNED_LONG, MPI_MAX, MPI_COMM_WORLD);
  MPI_T_pvar_stop(session, handle);
  MPI_T_pvar_handle_free(session, &handle);
}

int main(int argc, char** argv) {
  int provided, rank, ranks, length = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (argc > 1 && strcmp(argv[1], "list") == 0) {
    int variables;
    MPI_T_pvar_get_num(&variables);
    printf("%d\n", variables);
    MPI_T_finalize();
    return 0;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_T_pvar_session session;
  MPI_T_pvar_session_create(&session);
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_T_pvar_handle const count = begin(session, "commprof_messages_count", &comm, &length);
  MPI_T_pvar_handle const size = begin(session, "commprof_messages_size", &comm, &length);
  send_to_all(rank, ranks);
  if (count == MPI_T_PVAR_HANDLE_NULL || size == MPI_T_PVAR_HANDLE_NULL) {
    if (rank == 0) printf("there are no such variables\n");
  } else {
    size_t* const counts = malloc((size_t)length * sizeof *counts);
    size_t* const sizes = malloc((size_t)length * sizeof *sizes);
    end(session, count, counts, length);
    end(session, size, sizes, length);
    if (rank == 0)
      for (int i = 0; i < length; ++i) printf("%d: %zu messages, %zu bytes\n", i, counts[i], sizes[i]);
    free(counts);
    free(sizes);
  }
  MPI_T_pvar_session_free(&session);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
