/* Makes MPI processes that wait yield: a library to be preloaded behind the profiler. MPICH spins while it waits and
 * never yields. With more processes than processors, waiting processes keep the one they wait for from running, for
 * a time slice each. Open MPI yields by itself when it is told to oversubscribe. */
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

typedef unsigned Progress(void* worker);

/* The function that MPICH calls in every round of a wait; returns how much it found to do. */
unsigned ucp_worker_progress(void* worker) {
  static _Atomic(Progress*) ucx;
  if (ucx == NULL) {
    void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    /* a plugin opened with RTLD_LOCAL has brought its own MPI */
    if (found == NULL) found = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    ucx = *(Progress* const*)&found;
  }
  unsigned const done = ucx(worker);
  if (done == 0) sched_yield();
  return done;
}
