/* Counts the calls that the profiler makes into MPI: preloaded behind it, this library stands between it and the MPI
 * library.
 *
 * It forwards every PMPI function that the profiler imports, as the build has listed them in pmpi_names.inc. Arguments
 * are passed on without knowing them: MPI's are all integers and pointers, at most twelve, which common calling
 * conventions pass alike; what a call does not have is read from the caller's frame and never used. */
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
    ++counts[index_of_##name];                                                                                       \
    return next(a, b, c, d, e, f, g, h, i, j, k, l);                                                                 \
  }
#include "pmpi_names.inc"
