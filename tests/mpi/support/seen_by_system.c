/* The profiler as the system sees it: a library to be preloaded before libcommprof.so. It looks at the system calls
 * that the profiler makes, and at no others, and adds up the memory that the profiler maps.
 *
 *   SYSTEM_SHARES=PATH:…    these directories and all below them are on NFS
 *   SYSTEM_COPIES=PATH:…    these directories and all below them are on Btrfs
 *   SYSTEM_FAILS_INIT=1     the first MPI_Init of all processes fails
 *   SYSTEM_REPORT=PREFIX    each rank R writes PREFIX.R: the bytes mapped as MPI_Finalize begins, and the most since
 *                           then; the resident bytes then, and when the profile is written; how many directories it
 *                           asked to make
 */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "callers.h"

#define NEXT(name)               \
  static __typeof__(name)* next; \
  if (next == NULL) next = (__typeof__(name)*)dlsym(RTLD_NEXT, #name)

static atomic_long mapped, most_mapped;

static void count_mapped(long bytes) {
  long const now = atomic_fetch_add(&mapped, bytes) + bytes;
  for (long most = most_mapped; now > most && !atomic_compare_exchange_weak(&most_mapped, &most, now);) continue;
}

void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  NEXT(mmap);
  void* const pages = next(address, length, protection, flags, file, offset);
  if (pages != MAP_FAILED && is_profiler(CALLER)) count_mapped((long)length);
  return pages;
}
int munmap(void* address, size_t length) {
  NEXT(munmap);
  if (is_profiler(CALLER)) count_mapped(-(long)length);
  return next(address, length);
}

void* mremap(void* address, size_t old_length, size_t length, int flags, ...) {
  static void* (*next)(void*, size_t, size_t, int);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "mremap");
  void* const pages = next(address, old_length, length, flags);
  if (pages != MAP_FAILED && is_profiler(CALLER)) count_mapped((long)length - (long)old_length);
  return pages;
}

static atomic_long directories;

int mkdir(char const* path, mode_t mode) {
  NEXT(mkdir);
  if (is_profiler(CALLER)) ++directories;
  return next(path, mode);
}
int mkdirat(int directory, char const* path, mode_t mode) {
  NEXT(mkdirat);
  if (is_profiler(CALLER)) ++directories;
  return next(directory, path, mode);
}
/* Whether a path is one of the directories of a list, or below it. */
static int is_among(char const* path, char const* list) {
  while (list != NULL) {
    size_t const length = strcspn(list, ":");
    if (strncmp(path, list, length) == 0 && (path[length] == '\0' || path[length] == '/')) return 1;
    list = list[length] == ':' ? list + length + 1 : NULL;
  }
  return 0;
}

int statfs(char const* path, struct statfs* status) {
  NEXT(statfs);
  int const result = next(path, status);
  if (is_profiler(CALLER) && is_among(path, getenv("SYSTEM_SHARES"))) status->f_type = 0x6969;
  if (is_profiler(CALLER) && is_among(path, getenv("SYSTEM_COPIES"))) status->f_type = 0x9123683E;
  return result;
}

/* In pages, of the whole process. */
static long resident(void) {
  long total = 0, in_memory = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%ld %ld", &total, &in_memory) != 2) abort();
  fclose(file);
  return in_memory * sysconf(_SC_PAGESIZE);
}

int PMPI_Init(int* argc, char*** argv) {
  static int calls;
  int (*next)(int*, char***);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Init");
  return calls++ == 0 && getenv("SYSTEM_FAILS_INIT") != NULL ? 16 /* an MPI_ERR_OTHER */ : next(argc, argv);
}

static long mapped_at_end, resident_at_end, resident_after;

/* At last the profiler frees its communicator. */
int PMPI_Comm_free(void* comm) {
  int (*next)(void*);
  *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Comm_free");
  int const result = next(comm);
  if (mapped_at_end > 0 && is_profiler(CALLER)) resident_after = resident();
  return result;
}

/* The MPI's, in which the profile is written. */
int MPI_Finalize(void) {
  NEXT(MPI_Finalize);
  mapped_at_end = mapped;
  most_mapped = mapped_at_end;
  /* The kernel may replace a few pages by a huge one at any time, which then counts as a growth of two MiB. */
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  resident_at_end = resident_after = resident();
  int const result = next();
  char const* const prefix = getenv("SYSTEM_REPORT");
  char path[4096];
  if (prefix != NULL && snprintf(path, sizeof path, "%s.%d", prefix, own_rank()) < (int)sizeof path) {
    FILE* const report = fopen(path, "w");
    if (report == NULL) abort();
    fprintf(report, "mapped %ld\nmost_mapped %ld\nresident %ld\nresident_after %ld\n", mapped_at_end, most_mapped,
            resident_at_end, resident_after);
    fprintf(report, "directories %ld\n", (long)directories);
    fclose(report);
  }
  return result;
}
