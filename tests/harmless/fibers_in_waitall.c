/* A fiber switches within MPI_Waitall to another one that calls MPI_Waitall: they shared memory of the thread, which
 * crashed, or mixed up their requests.
 * expect: comm=SELF_d1 op=Irecv calls=15 bytes=60
 * expect: comm=SELF op=Irecv calls=4000 bytes=0
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <mpi.h>
#include <stdio.h>
#include <ucontext.h>
#define N 16
#define M 4000

static ucontext_t first, second;
static char stack[1 << 18];
static MPI_Request others[M];
static int room[M];

static void other_fiber(void) {
  MPI_Waitall(M, others, MPI_STATUSES_IGNORE);
  swapcontext(&second, &first);
}
static int query(void* state, MPI_Status* status) { /* within MPI_Waitall */
  static int calls;
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  if (calls++ == 0) swapcontext(&first, &second);
  return MPI_SUCCESS;
}
static int release(void* state) { return MPI_SUCCESS; }
static int cancel(void* state, int is_complete) { return MPI_SUCCESS; }

int main(int argc, char** argv) {
  int x = 0, y[N];
  MPI_Request requests[N];
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  getcontext(&second);
  second.uc_stack.ss_sp = stack;
  second.uc_stack.ss_size = sizeof stack;
  makecontext(&second, other_fiber, 0);
  for (int i = 0; i < M; ++i) MPI_Irecv(room + i, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, others + i);
  MPI_Grequest_start(query, release, cancel, 0, &requests[0]);
  MPI_Grequest_complete(requests[0]);
  for (int i = 1; i < N; ++i) MPI_Irecv(y + i, 1, MPI_INT, 0, i, comm, requests + i);
  for (int i = 1; i < N; ++i) {
    MPI_Request send;
    MPI_Isend(&x, 1, MPI_INT, 0, i, comm, &send);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(N, requests, MPI_STATUSES_IGNORE);
  puts("done");
  MPI_Finalize();
  return 0;
}
