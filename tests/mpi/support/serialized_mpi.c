/* Preloaded behind the profiler: only one thread at a time is within MPI, while all may be within the profiler.
 * MPICH 4.0.2 reports MPI_THREAD_MULTIPLE for a session beside a world with a lower level, and does not lock. */
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define SERIALIZE(name, parameters, arguments)                  \
  int name parameters {                                         \
    pthread_mutex_lock(&mutex);                                 \
    static __typeof__(&name) next = NULL;                       \
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, #name); \
    int const result = next arguments;                          \
    pthread_mutex_unlock(&mutex);                               \
    return result;                                              \
  }

SERIALIZE(PMPI_Irecv,
          (void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request),
          (buf, count, type, source, tag, comm, request))
SERIALIZE(PMPI_Issend,
          (void const* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request* request),
          (buf, count, type, dest, tag, comm, request))
SERIALIZE(PMPI_Testall, (int count, MPI_Request requests[], int* flag, MPI_Status statuses[]),
          (count, requests, flag, statuses))

/* Lets other threads enter while this one waits. */
int PMPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  int flag = 0, result;
  while ((result = PMPI_Testall(count, requests, &flag, statuses)) == MPI_SUCCESS && !flag) sched_yield();
  return result;
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) { return PMPI_Waitall(1, request, status); }
