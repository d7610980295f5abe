/* Lets calls of the profiler to libc and to the MPI fail, and no others: a library to be preloaded before
 * libcommprof.so.
 *
 *   FAILS=WHAT:N       the Nth call (from 0) is not made, and fails; WHAT is a kind (system, memory, mpi) or a
 *                      function (openat, Irecv). Calls of a program that the profiler passes on to the MPI do not count.
 *                      clock:N is the Nth reading of the time, which jumps by hours; short:N writes a half; end:N ends
 *                      the process at the Nth call of the system
 *   FAILS=WHAT:N+      the Nth call and all after it
 *   FAILS_RANK=R       only on that rank
 *   FAILS_REPORT=FILE  says at the end of the process how many calls there were, and which one failed last
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "callers.h"

static atomic_long calls;
static char const* failed = "";
static _Thread_local char const* call_of_program = "";

static int fails_as(char const* what, char const* name) {
  char const* const wish = getenv("FAILS");
  size_t const length = strlen(what);
  if (wish == NULL || strncmp(wish, what, length) != 0 || wish[length] != ':') return 0;
  char const* const rank = getenv("FAILS_RANK");
  if (rank != NULL && atoi(rank) != own_rank()) return 0;
  long const first = atol(wish + length + 1), now = atomic_fetch_add(&calls, 1);
  if (now != first && (now < first || wish[strlen(wish) - 1] != '+')) return 0;
  failed = name;
  return 1;
}
static int fails(char const* kind, char const* name, void const* caller) {
  if (!is_profiler(caller)) return 0;
  if (strcmp(kind, "system") == 0 && fails_as("end", name)) _exit(0);
  return fails_as(kind, name) || fails_as(name, name);
}

__attribute__((destructor)) static void report(void) {
  char const* const path = getenv("FAILS_REPORT");
  FILE* const file = path == NULL ? NULL : fopen(path, "w");
  if (file == NULL) return;
  fprintf(file, "%ld %s\n", (long)calls, failed);
  fclose(file);
}

/* A function whose parameters are integers and pointers: twelve words hold them, be they in registers or on the stack.
 */
typedef long function(long, long, long, long, long, long, long, long, long, long, long, long);
#define DEFINE(name, symbol)               \
  function failing_##name __asm__(symbol); \
  long failing_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l)
#define NEXT(symbol)                                                      \
  ({                                                                      \
    static function* next;                                                \
    if (next == NULL) next = (function*)dlsym(RTLD_NEXT, symbol);         \
    next == NULL ? some_error : next(a, b, c, d, e, f, g, h, i, j, k, l); \
  })
enum { some_error = 16 };

/* What goes to the error stream says what is lost. */
#define FAILING(name, kind, result, error)                                                                     \
  DEFINE(name, #name) {                                                                                        \
    if (a != STDERR_FILENO && fails(kind, #name, CALLER)) return errno = (error), (result);                    \
    if (c > 1 && strstr(#name, "write") != NULL && is_profiler(CALLER) && fails_as("short", #name)) c = c / 2; \
    return NEXT(#name);                                                                                        \
  }
#define SYSTEM(name, error) FAILING(name, "system", -1, error)
FAILING(mmap, "memory", -1, ENOMEM)
FAILING(madvise, "memory", -1, ENOMEM)
FAILING(mremap, "memory", -1, ENOMEM)
FAILING(pthread_key_create, "memory", EAGAIN, errno)
FAILING(getcwd, "system", 0, ENOENT)
FAILING(realpath, "system", 0, EACCES)
FAILING(opendir, "system", 0, EMFILE)
SYSTEM(access, EACCES)
SYSTEM(fallocate, ENOSPC)
SYSTEM(fstat, EIO)
SYSTEM(fstatat, ENOENT)
SYSTEM(ftruncate, ENOSPC)
SYSTEM(gethostname, EPERM)
SYSTEM(lstat, ENOENT)
SYSTEM(mkdir, EROFS)
SYSTEM(mkdirat, EROFS)
SYSTEM(open, EMFILE)
SYSTEM(openat, EMFILE)
SYSTEM(process_vm_readv, EPERM)
SYSTEM(pwrite, ENOSPC)
SYSTEM(read, EIO)
SYSTEM(readlink, EACCES)
SYSTEM(readlinkat, EACCES)
SYSTEM(rename, EROFS)
SYSTEM(rmdir, EROFS)
SYSTEM(sched_getaffinity, EPERM)
SYSTEM(stat, EACCES)
SYSTEM(statfs, ENOSYS)
SYSTEM(symlink, EROFS)
SYSTEM(syscall, ENOSYS)
SYSTEM(unlink, EROFS)
SYSTEM(unlinkat, EROFS)
SYSTEM(write, ENOSPC)

DEFINE(clock_gettime, "clock_gettime") {
  static atomic_uint jumps;
  long const result = NEXT("clock_gettime");
  if (is_profiler(CALLER) && fails_as("clock", "clock_gettime"))
    ((struct timespec*)b)->tv_sec += 3600 * (atomic_fetch_add(&jumps, 1) * 2654435761U >> 30);
  return result;
}

/* What the profiler calls for itself. Where the program calls it, the profiler passes that on. */
#define OF_MPI(name)                                                                           \
  DEFINE(MPI_##name, "MPI_" #name) {                                                           \
    char const* const outer = call_of_program;                                                 \
    call_of_program = #name;                                                                   \
    long const result = NEXT("MPI_" #name);                                                    \
    call_of_program = outer;                                                                   \
    return result;                                                                             \
  }                                                                                            \
  DEFINE(PMPI_##name, "PMPI_" #name) {                                                         \
    if (strcmp(call_of_program, #name) != 0 && fails("mpi", #name, CALLER)) return some_error; \
    return NEXT("PMPI_" #name);                                                                \
  }
OF_MPI(Allreduce)
OF_MPI(Barrier)
OF_MPI(Bcast)
OF_MPI(Comm_create_keyval)
OF_MPI(Comm_delete_attr)
OF_MPI(Comm_free)
OF_MPI(Comm_get_attr)
OF_MPI(Comm_get_errhandler)
OF_MPI(Comm_get_parent)
OF_MPI(Comm_group)
OF_MPI(Comm_idup)
OF_MPI(Comm_rank)
OF_MPI(Comm_remote_group)
OF_MPI(Comm_remote_size)
OF_MPI(Comm_set_attr)
OF_MPI(Comm_set_errhandler)
OF_MPI(Comm_size)
OF_MPI(Comm_split)
OF_MPI(Comm_test_inter)
OF_MPI(Errhandler_free)
OF_MPI(Group_free)
OF_MPI(Group_rank)
OF_MPI(Group_size)
OF_MPI(Group_translate_ranks)
OF_MPI(Iallreduce)
OF_MPI(Ibarrier)
OF_MPI(Ibcast)
OF_MPI(Iprobe)
OF_MPI(Irecv)
OF_MPI(Isend)
OF_MPI(Issend)
OF_MPI(Query_thread)
OF_MPI(Recv)
OF_MPI(Reduce)
OF_MPI(Request_get_status)
OF_MPI(Send)
OF_MPI(Sendrecv)
OF_MPI(Topo_test)
OF_MPI(Type_size)
OF_MPI(Wait)
OF_MPI(Win_create_keyval)
OF_MPI(Win_get_attr)
OF_MPI(Win_get_group)
OF_MPI(Win_set_attr)

/* A test that completes its request is made, and fails. */
DEFINE(PMPI_Test, "PMPI_Test") {
  long const result = NEXT("PMPI_Test");
  int const counts = *(int*)b != 0 && strcmp(call_of_program, "Test") != 0;
  return counts && fails("mpi", "Test", CALLER) ? some_error : result;
}
