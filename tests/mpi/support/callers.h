/* For libraries that are preloaded before libcommprof.so, to look at the calls that the profiler itself makes. */
#pragma once

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

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
