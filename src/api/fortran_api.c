/* The Fortran forms of the functions in commprof.h, under the symbols that compilers for Linux call: with one
 * underscore, and the lengths of texts at the end.
 *
 * They are part of the profiler, and alone in libcommprof_api.a, for Fortran programs that link without the
 * profiler. The C functions are weak: without the profiler in the process, the calls do nothing. */
#include <stddef.h>
#include <string.h>

#include "commprof/commprof.h"

/* Converts a text of Fortran: removes trailing blanks, cuts it off at the capacity. NULL if nothing is left, or if
 * it is an optional argument that is absent. */
static char const* to_c(char const* text, size_t length, char* room, size_t capacity) {
  if (text == NULL) return NULL;
  while (length > 0 && text[length - 1] == ' ') --length;
  if (length >= capacity) length = capacity - 1;
  memcpy(room, text, length);
  room[length] = '\0';
  return length == 0 ? NULL : room;
}

void commprof_region_begin_(char const* name, size_t length);
void commprof_region_end_(char const* name, size_t length);
void commprof_flush_(char const* path, int* ierror, size_t length);

void commprof_region_begin_(char const* name, size_t length) {
  char room[1024];
  commprof_region_begin(to_c(name, length, room, sizeof room));
}

void commprof_region_end_(char const* name, size_t length) {
  char room[1024];
  commprof_region_end(to_c(name, length, room, sizeof room));
}

void commprof_flush_(char const* path, int* ierror, size_t length) {
  char room[8192]; /* longer than any path that a system accepts: a path that was cut off is refused */
  int const result = commprof_flush(to_c(path, length, room, sizeof room));
  if (ierror != NULL) *ierror = result;
}
