// A thread is within dlopen(), whose constructor waits for another thread's first call of a function of MPI. The
// profiler looked the function up at its first call, which takes the dynamic linker's lock: both waited for ever.
// library: waits_for_thread
// expect: op=Allreduce comm=SELF calls=1
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

atomic_int may_go, is_done;

static void* work(void* unused) {
  while (may_go == 0) usleep(1000);
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  is_done = 1;
  return unused;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  char path[4096];
  snprintf(path, sizeof path, "%s/waits_for_thread.so", getenv("HERE"));
  if (dlopen(path, RTLD_NOW) == NULL) puts(dlerror());
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
