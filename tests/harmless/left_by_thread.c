/* A thread ends in an error handler, in the middle of a call; the next thread counts in the same records. And a thread
 * leaves a call by longjmp and ends.
 * expect: comm=SELF op=Irecv calls=40 bytes=160
 * expect: comm=SELF op=Waitall calls=40
 * expect: comm=SELF op=Barrier calls=60
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local jmp_buf out;
static _Thread_local int is_to_end;

static void on_error(MPI_Comm* comm, int* error, ...) {
  MPI_Barrier(MPI_COMM_SELF); /* part of the call that fails */
  if (is_to_end) pthread_exit(0);
  longjmp(out, 1);
}
static void* work(void* end) {
  int x = 1, y = 0;
  MPI_Request requests[2];
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Irecv(&y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests);
  MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests + 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (y != 1) puts("wrong");
  is_to_end = end != 0;
  if (setjmp(out) == 0) MPI_Barrier(MPI_COMM_NULL);
  MPI_Barrier(MPI_COMM_SELF); /* only of those that leave by longjmp */
  return 0;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Errhandler handler;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  for (int i = 0; i < 40; ++i) {
    pthread_t thread;
    pthread_create(&thread, 0, work, i % 2 == 0 ? &provided : 0);
    pthread_join(thread, 0);
  }
  puts("done");
  MPI_Finalize();
  return 0;
}
