/* MPI processes that wait let others run: a library to be preloaded behind the profiler. MPICH spins while it waits and
 * never yields, so of more processes than processors the ones that wait keep the one that they wait for from running,
 * for a time slice each. Open MPI yields by itself where it is told to oversubscribe. */
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>

typedef unsigned Progress(void* worker);

/* What MPICH calls in every round of a wait; it returns how much it found to do. */
unsigned ucp_worker_progress(void* worker) {
  static _Atomic(Progress*) ucx;
  if (ucx == NULL) {
    void* found = dlsym(RTLD_NEXT, "ucp_worker_progress");
    /* A plugin that was opened with RTLD_LOCAL has brought its MPI along. */
    if (found == NULL) found = dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD), "ucp_worker_progress");
    ucx = *(Progress* const*)&found;
  }
  unsigned const done = ucx(worker);
  if (done == 0) sched_yield();
  return done;
}
