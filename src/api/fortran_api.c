/* The Fortran forms of the functions in commprof.h, as compilers for Linux call them: with one underscore or two, and
 * the lengths of texts at the end.
 *
 * They are in the profiler, and alone in libcommprof_api.a, for Fortran programs that are to link without the profiler:
 * the functions in C are looked for when the program runs, and where they are not nothing happens. */
#include <stddef.h>
#include <string.h>

#include "commprof/commprof.h"

/* A text from Fortran, without the blanks that fill it up, cut off where the room ends; NULL if nothing is left of it,
 * or if it is an optional argument that is not there. */
static char const* to_c(char const* text, size_t length, char* room, size_t capacity) {
  if (text == NULL) return NULL;
  while (length > 0 && text[length - 1] == ' ') --length;
  if (length >= capacity) length = capacity - 1;
  memcpy(room, text, length);
  room[length] = '\0';
  return length == 0 ? NULL : room;
}

static void region_begin(char const* name, size_t length) {
  char room[1024];
  commprof_region_begin(to_c(name, length, room, sizeof room));
}

static void region_end(char const* name, size_t length) {
  char room[1024];
  commprof_region_end(to_c(name, length, room, sizeof room));
}

static void flush(char const* path, int* ierror, size_t length) {
  char room[8192]; /* longer than any path that a system takes: what is cut off is refused */
  int const result = commprof_flush(to_c(path, length, room, sizeof room));
  if (ierror != NULL) *ierror = result;
}

void commprof_region_begin_(char const* name, size_t length);
void commprof_region_begin__(char const* name, size_t length);
void commprof_region_end_(char const* name, size_t length);
void commprof_region_end__(char const* name, size_t length);
void commprof_flush_(char const* path, int* ierror, size_t length);
void commprof_flush__(char const* path, int* ierror, size_t length);

void commprof_region_begin_(char const* name, size_t length) { region_begin(name, length); }
void commprof_region_begin__(char const* name, size_t length) { region_begin(name, length); }
void commprof_region_end_(char const* name, size_t length) { region_end(name, length); }
void commprof_region_end__(char const* name, size_t length) { region_end(name, length); }
void commprof_flush_(char const* path, int* ierror, size_t length) { flush(path, ierror, length); }
void commprof_flush__(char const* path, int* ierror, size_t length) { flush(path, ierror, length); }
