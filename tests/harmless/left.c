// A thread ends in an error handler, in the middle of a call; the next thread counts in the same records. Threads leave
// calls by longjmp, and end. Code made at run time, which has no unwind tables, calls MPI after that: its calls were
// taken for calls within the one that was left.
// expect: comm=SELF op=Irecv calls=40 bytes=160
// expect: comm=SELF op=Waitall calls=40
// expect: comm=SELF op=Barrier calls=1070
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static _Thread_local jmp_buf way_out;
static _Thread_local int is_to_end;

static void barrier(void) { MPI_Barrier(MPI_COMM_SELF); }
static void on_error(MPI_Comm* comm, int* error, ...) {
  (void)comm, (void)error;
  barrier(); /* part of the call that fails */
  if (is_to_end) pthread_exit(0);
  longjmp(way_out, 1);
}
static void* work(void* end) {
  int x = 1, y = 0;
  MPI_Request requests[2];
  barrier();
  MPI_Irecv(&y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests);
  MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, requests + 1);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  if (y != 1) puts("wrong");
  is_to_end = end != NULL;
  if (setjmp(way_out) == 0) MPI_Barrier(MPI_COMM_NULL);
  barrier(); /* only of those that leave by longjmp */
  return NULL;
}

__attribute__((noinline)) static void deeper(void (*code)(void (*)(void)), int times) {
  volatile char room[4096];
  room[0] = 0;
  for (int i = 0; i < times; ++i) code(barrier);
  room[1] = room[0];
}
static void call(void (*function)(void)) { function(); }

int main(int argc, char** argv) {
  int provided;
  MPI_Errhandler handler;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  for (int i = 0; i < 40; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, i % 2 == 0 ? &provided : NULL);
    pthread_join(thread, NULL);
  }
  void (*code)(void (*)(void)) = call;
#ifdef __x86_64__
  /* sub rsp, 8; call rdi; add rsp, 8; ret */
  unsigned char const bytes[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  void* const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    memcpy(page, bytes, sizeof bytes);
    memcpy(&code, &page, sizeof code);
  }
#endif
  deeper(code, 10);
  if (setjmp(way_out) == 0) MPI_Barrier(MPI_COMM_NULL);
  deeper(code, 1000);
  MPI_Finalize();
}
