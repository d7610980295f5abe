/* What a generated wrapper tells the counter of a call: its arguments, by what they are. */
#ifndef COMMPROF_COUNTER_H
#define COMMPROF_COUNTER_H

#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

struct call {
  int operation, is_large, is_copy; /* is_copy: the request was given by value */
  MPI_Comm comm, *new_comm;
  uintptr_t window, file;
  MPI_Win* windows;
  MPI_File* files;
  MPI_Message* message;
  MPI_Request* requests;
  MPI_Status** statuses;
  MPI_Op op;
  long long request_count, count, in_count, partitions;
  MPI_Datatype type, in_type;
  void const *out, *in, *counts, *in_counts;
  MPI_Datatype const *types, *in_types;
  int dest, source, root, tag, in_tag, reorder;
  int *flag, *index, *outcount, *indices;
  /* The counter fills these. */
  struct comm* on;
  int64_t entry, exit;
};

extern _Thread_local int inside; /* calls of the MPI or the profiler on itself are not the program's */
void* next_definition(char const* name);
void enter(struct call* call);
void leave(struct call* call, int result);

#endif
