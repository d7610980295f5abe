/* Counts the calls that the profiler makes into MPI: preloaded behind it, this library stands between it and the MPI
 * library.
 *
 * It forwards every PMPI function that the profiler imports, as the build has listed them in pmpi_names.inc. Arguments
 * are passed on without knowing them: MPI's are all integers and pointers, at most twelve, which common calling
 * conventions pass alike; what a call does not have is read from the caller's frame and never used. Calls that the MPI
 * makes of itself do not count: Open MPI's Sendrecv_replace with nobody at one end is a Sendrecv. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

typedef long (*Function)(long, long, long, long, long, long, long, long, long, long, long, long);

enum {
#define NAME(name) index_of_##name,
#include "pmpi_names.inc"
#undef NAME
  number_of_names
};

static char const* const names[] = {
#define NAME(name) #name,
#include "pmpi_names.inc"
#undef NAME
};

static unsigned long counts[number_of_names];
static _Thread_local int depth;

/* The name, without PMPI_, of each function in turn; NULL after the last one. */
char const* pmpi_census_name(int index) { return index < number_of_names ? names[index] : NULL; }

/* How often it was called since the start of the process. */
unsigned long pmpi_census_count(int index) { return counts[index]; }

#define NAME(name)                                                                                                   \
  long PMPI_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l);  \
  long PMPI_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l) { \
    static Function next;                                                                                            \
    if (next == NULL) {                                                                                              \
      void* const symbol = dlsym(RTLD_NEXT, "PMPI_" #name);                                                          \
      memcpy(&next, &symbol, sizeof next);                                                                           \
    }                                                                                                                \
    if (depth++ == 0) {                                                                                              \
      __atomic_fetch_add(&counts[index_of_##name], 1, __ATOMIC_RELAXED);                                             \
    }                                                                                                                \
    long const result = next(a, b, c, d, e, f, g, h, i, j, k, l);                                                    \
    --depth;                                                                                                         \
    return result;                                                                                                   \
  }
#include "pmpi_names.inc"
