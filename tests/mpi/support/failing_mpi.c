/* An MPI that fails: a library to be preloaded before libcommprof.so, which has calls of the profiler into MPI return
 * MPI_ERR_OTHER.
 *
 *   MPI_FAILS=CALL:N     the Nth call (from 0) fails and is not made; CALL is Irecv, Isend, Recv, Send, Ibcast,
 *                        Iallreduce, Comm_idup, or Test: the Nth Test that completes its request is made and fails;
 *                        Lookup_name: for the names of hosts, not for that of the answer
 *   MPI_FAILS=CALL:N+    the Nth call and all after it fail
 *   MPI_FAILS_RANK=R     only on that rank
 *   MPI_FAILS_IN=WHERE   where the calls count: start (in MPI_Init and MPI_Init_thread), flush (in commprof_flush) or
 * end (in
 *                        MPI_Finalize)
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int commprof_flush(char const* path);

static atomic_int is_there; /* this process is where calls count */

static void enter(char const* where, int is_entered) {
  char const* const wish = getenv("MPI_FAILS_IN");
  if (wish != NULL && strcmp(wish, where) == 0) is_there = is_entered;
}

static int is_on_this_rank(void) {
  char const* const wish = getenv("MPI_FAILS_RANK");
  char const* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return wish == NULL || rank == NULL || atoi(wish) == atoi(rank);
}

static int fails(char const* call) {
  static atomic_long times;
  char const* const wish = getenv("MPI_FAILS");
  size_t const length = strlen(call);
  if (!is_there || wish == NULL || strncmp(wish, call, length) != 0 || wish[length] != ':' || !is_on_this_rank())
    return 0;
  long const first = atol(wish + length + 1), now = atomic_fetch_add(&times, 1);
  return wish[strlen(wish) - 1] == '+' ? now >= first : now == first;
}

#define NEXT(name)                                \
  static __typeof__(name)* next;                  \
  if (next == NULL) {                             \
    void* const symbol = dlsym(RTLD_NEXT, #name); \
    memcpy(&next, &symbol, sizeof next);          \
  }
#define FAILING(call, parameters, arguments)              \
  int PMPI_##call parameters {                            \
    NEXT(PMPI_##call)                                     \
    return fails(#call) ? MPI_ERR_OTHER : next arguments; \
  }

FAILING(Irecv, (void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, source, tag, comm, request))
FAILING(Isend, (void const* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request),
        (data, count, type, dest, tag, comm, request))
FAILING(Recv, (void* data, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status),
        (data, count, type, source, tag, comm, status))
FAILING(Send, (void const* data, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm),
        (data, count, type, dest, tag, comm))
FAILING(Ibcast, (void* data, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request),
        (data, count, type, root, comm, request))
FAILING(Iallreduce,
        (void const* from, void* to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request* request),
        (from, to, count, type, op, comm, request))
FAILING(Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request), (comm, made, request))

int PMPI_Test(MPI_Request* request, int* is_complete, MPI_Status* status) {
  NEXT(PMPI_Test)
  int const result = next(request, is_complete, status);
  return result == MPI_SUCCESS && *is_complete && fails("Test") ? MPI_ERR_OTHER : result;
}

int PMPI_Lookup_name(char const* name, MPI_Info info, char* port) {
  NEXT(PMPI_Lookup_name)
  if (info == MPI_INFO_NULL) fprintf(stderr, "commprof: a look-up without a range\n");
  return strstr(name, ".-1") == NULL && fails("Lookup_name") ? MPI_ERR_NAME : next(name, info, port);
}

int MPI_Init(int* argc, char*** argv) {
  NEXT(MPI_Init)
  enter("start", 1);
  int const result = next(argc, argv);
  enter("start", 0);
  return result;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  NEXT(MPI_Init_thread)
  enter("start", 1);
  int const result = next(argc, argv, required, provided);
  enter("start", 0);
  return result;
}
int commprof_flush(char const* path) {
  NEXT(commprof_flush)
  enter("flush", 1);
  int const result = next(path);
  enter("flush", 0);
  return result;
}
int MPI_Finalize(void) {
  NEXT(MPI_Finalize)
  enter("end", 1);
  return next();
}
