/* Code made at run time, which has no unwind tables, calls MPI after an error handler has left a call by longjmp. These
 * calls were taken for calls within the one that was left: 1,000 of 1,010 did not count.
 * expect: comm=SELF op=Barrier calls=1010
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static jmp_buf out;
static void on_error(MPI_Comm* comm, int* error, ...) { longjmp(out, 1); }
static void barrier(void) { MPI_Barrier(MPI_COMM_SELF); }
__attribute__((noinline)) static void deeper(void (*code)(void (*)(void)), int times) {
  volatile char room[4096];
  room[0] = 0;
  for (int i = 0; i < times; ++i) code(barrier);
  room[1] = room[0];
}
static void call(void (*function)(void)) { function(); }

int main(int argc, char** argv) {
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  void (*code)(void (*)(void)) = call;
#ifdef __x86_64__
  /* sub rsp, 8; call rdi; add rsp, 8; ret */
  unsigned char const bytes[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x08, 0xc3};
  void* const page = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) {
    memcpy(page, bytes, sizeof bytes);
    memcpy(&code, &page, sizeof code);
  }
#endif
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  deeper(code, 10);
  if (setjmp(out) == 0) MPI_Barrier(MPI_COMM_NULL);
  deeper(code, 1000);
  puts("done");
  MPI_Finalize();
  return 0;
}
