/* The profiler as the system sees it: a library to be preloaded before libcommprof.so. It looks at the system calls
 * that the profiler makes, and at no others; it adds up the memory that the profiler maps, and refuses what a test
 * wants refused.
 *
 *   SYSTEM_REFUSES=KIND:N   from the Nth time on (0: always), the profiler is refused
 *     memory       pages
 *     space        room in files: No space left on device
 *     descriptors  to open files: Too many open files
 *     changes      to make, rename or remove anything: Read-only file system
 *     clock        a steady clock: it jumps by hours, forwards and back
 *     whole writes to write more than a half of what it asks for
 *     life         to live on: the process ends as it writes rows
 *   SYSTEM_REFUSES_RANK=R   only on that rank
 *   SYSTEM_SHARES=PATH:…    these directories and all below them are on NFS
 *   SYSTEM_FAILS_INIT=1     the first MPI_Init of all processes fails
 *   SYSTEM_REPORT=PREFIX    each rank R writes PREFIX.R: the bytes mapped as MPI_Finalize begins, and the most until
 *                           the MPI's own begins; the resident bytes likewise; how many directories it asked to make
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

struct range {
  uintptr_t first, last;
};
/* The front, and the flavour that it opens at the first call of MPI. */
static struct range profiler[2];
static char const* const names_of_profiler[] = {"libcommprof.so", "/lib/commprof/"};

static int find_profiler(struct dl_phdr_info* library, size_t size, void* data) {
  (void)size, (void)data;
  for (int part = 0; part < 2; ++part) {
    if (strstr(library->dlpi_name, names_of_profiler[part]) == NULL) continue;
    struct range range = {UINTPTR_MAX, 0};
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      if (library->dlpi_phdr[i].p_type != PT_LOAD) continue;
      uintptr_t const first = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr,
                      last = first + library->dlpi_phdr[i].p_memsz;
      if (first < range.first) range.first = first;
      if (last > range.last) range.last = last;
    }
    profiler[part] = range;
  }
  return 0;
}

static int is_profiler(void const* caller) {
  if (profiler[1].last == 0) dl_iterate_phdr(find_profiler, NULL);
  for (int part = 0; part < 2; ++part)
    if ((uintptr_t)caller >= profiler[part].first && (uintptr_t)caller < profiler[part].last) return 1;
  return 0;
}

static int own_rank(void) {
  char const* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return rank == NULL ? 0 : atoi(rank);
}

/* Whether this request of the profiler for the kind is to be refused. */
static int refuses(char const* kind, void const* caller) {
  static atomic_long times;
  char const* const wish = getenv("SYSTEM_REFUSES");
  size_t const length = strlen(kind);
  if (wish == NULL || strncmp(wish, kind, length) != 0 || wish[length] != ':' || !is_profiler(caller)) return 0;
  char const* const rank = getenv("SYSTEM_REFUSES_RANK");
  if (rank != NULL && atoi(rank) != own_rank()) return 0;
  return atomic_fetch_add(&times, 1) >= atol(wish + length + 1);
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))
#define NEXT(name)               \
  static __typeof__(name)* next; \
  if (next == NULL) next = (__typeof__(name)*)dlsym(RTLD_NEXT, #name)
#define REFUSE(kind, error) \
  if (refuses(kind, CALLER)) return errno = (error), -1

// A hole of a file that is mapped with MAP_NORESERVE is address space; blocks that are allocated there are memory.
static atomic_long mapped, most_mapped, bytes_of_hole;

static void count_mapped(long bytes) {
  long const now = atomic_fetch_add(&mapped, bytes) + bytes;
  for (long most = most_mapped; now > most && !atomic_compare_exchange_weak(&most_mapped, &most, now);) continue;
}

void* mmap(void* address, size_t length, int protection, int flags, int file, off_t offset) {
  NEXT(mmap);
  if (refuses("memory", CALLER)) return errno = ENOMEM, MAP_FAILED;
  void* const pages = next(address, length, protection, flags, file, offset);
  int const is_hole = (flags & MAP_NORESERVE) != 0 && file >= 0;
  if (pages != MAP_FAILED && is_profiler(CALLER)) {
    if (is_hole) bytes_of_hole = (long)length;
    else count_mapped((long)length);
  }
  return pages;
}
int munmap(void* address, size_t length) {
  NEXT(munmap);
  if (is_profiler(CALLER)) count_mapped(-(long)length);
  return next(address, length);
}

ssize_t write(int file, void const* data, size_t length) {
  NEXT(write);
  if (file > STDERR_FILENO) REFUSE("space", ENOSPC);
  return next(file, data, length);
}
ssize_t pwrite(int file, void const* data, size_t length, off_t offset) {
  NEXT(pwrite);
  REFUSE("space", ENOSPC);
  if (refuses("life", CALLER)) _exit(3);
  if (refuses("whole writes", CALLER) && length > 1) length = (length + 1) / 2;
  return next(file, data, length, offset);
}
int ftruncate(int file, off_t length) {
  NEXT(ftruncate);
  REFUSE("space", ENOSPC);
  return next(file, length);
}
int fallocate(int file, int mode, off_t offset, off_t length) {
  NEXT(fallocate);
  REFUSE("space", ENOSPC);
  if (is_profiler(CALLER) && offset + length <= bytes_of_hole) count_mapped(mode == 0 ? length : -length);
  return next(file, mode, offset, length);
}
int posix_fallocate(int file, off_t offset, off_t length) {
  NEXT(posix_fallocate);
  if (refuses("space", CALLER)) return ENOSPC;
  return next(file, offset, length);
}

int open(char const* path, int flags, ...) {
  NEXT(open);
  va_list further;
  va_start(further, flags);
  mode_t const mode = (flags & O_CREAT) != 0 ? va_arg(further, mode_t) : 0;
  va_end(further);
  REFUSE("descriptors", EMFILE);
  if ((flags & O_CREAT) != 0) REFUSE("changes", EROFS);
  return next(path, flags, mode);
}
int openat(int directory, char const* path, int flags, ...) {
  NEXT(openat);
  va_list further;
  va_start(further, flags);
  mode_t const mode = (flags & O_CREAT) != 0 ? va_arg(further, mode_t) : 0;
  va_end(further);
  REFUSE("descriptors", EMFILE);
  if ((flags & O_CREAT) != 0) REFUSE("changes", EROFS);
  return next(directory, path, flags, mode);
}

static atomic_long directories;

int mkdir(char const* path, mode_t mode) {
  NEXT(mkdir);
  REFUSE("changes", EROFS);
  if (is_profiler(CALLER)) ++directories;
  return next(path, mode);
}
int mkdirat(int directory, char const* path, mode_t mode) {
  NEXT(mkdirat);
  REFUSE("changes", EROFS);
  if (is_profiler(CALLER)) ++directories;
  return next(directory, path, mode);
}
#define CHANGES(name, parameters, arguments) \
  int name parameters {                      \
    NEXT(name);                              \
    REFUSE("changes", EROFS);                \
    return next arguments;                   \
  }
CHANGES(rename, (char const* from, char const* to), (from, to))
CHANGES(unlink, (char const* path), (path))
CHANGES(unlinkat, (int directory, char const* path, int flags), (directory, path, flags))
CHANGES(rmdir, (char const* path), (path))

static int is_below(char const* path, char const* directory, size_t length) {
  return strncmp(path, directory, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

int statfs(char const* path, struct statfs* status) {
  NEXT(statfs);
  int const result = next(path, status);
  char const* shared = getenv("SYSTEM_SHARES");
  if (!is_profiler(CALLER)) shared = NULL;
  while (shared != NULL) {
    size_t const length = strcspn(shared, ":");
    if (is_below(path, shared, length)) status->f_type = 0x6969;
    shared = shared[length] == ':' ? shared + length + 1 : NULL;
  }
  return result;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  NEXT(clock_gettime);
  static atomic_uint jumps;
  int const result = next(clock, time);
  if (refuses("clock", CALLER)) time->tv_sec += 3600 * (atomic_fetch_add(&jumps, 1) * 2654435761U >> 30);
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

static long mapped_at_end, resident_at_end;

/* The profiler's MPI_Finalize, and the functions that it calls when the profile is written. */
int MPI_Finalize(void) {
  NEXT(MPI_Finalize);
  mapped_at_end = mapped;
  most_mapped = mapped_at_end;
  /* The kernel may replace a few pages by a huge one at any time, which then counts as a growth of two MiB. */
  prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
  resident_at_end = resident();
  return next();
}
int PMPI_Finalize(void) {
  NEXT(PMPI_Finalize);
  char const* const prefix = getenv("SYSTEM_REPORT");
  char path[4096];
  if (prefix != NULL && snprintf(path, sizeof path, "%s.%d", prefix, own_rank()) < (int)sizeof path) {
    FILE* const report = fopen(path, "w");
    if (report == NULL) abort();
    fprintf(report, "mapped %ld\nmost_mapped %ld\nresident %ld\nresident_after %ld\n", mapped_at_end, most_mapped,
            resident_at_end, resident());
    fprintf(report, "directories %ld\n", (long)directories);
    fclose(report);
  }
  return next();
}
