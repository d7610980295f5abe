// A program of one process for an MPI with the standard ABI. check.py knows how often it calls what. With an argument,
// it asks for a snapshot.
#include <stdio.h>
#include <string.h>

#include "mpi.h"

int commprof_flush(char const* path) __attribute__((weak));

static int copies, deletions;

static int copy(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in;
  ++copies;
  *flag = 1;
  return MPI_SUCCESS;
}
static int delete (MPI_Comm comm, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  ++deletions;
  if (comm == MPI_COMM_SELF) MPI_Barrier(comm);  // in MPI_Finalize: the profile has it
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = -1, size = 0, key = 0, failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_keyval(copy, delete, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &key);

  MPI_Comm dup = MPI_COMM_NULL, half = MPI_COMM_NULL, none = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  MPI_Comm_split(dup, 0, rank, &half);
  MPI_Comm_split(dup, MPI_UNDEFINED, rank, &none);
  failures += none != MPI_COMM_NULL;

  double numbers[10], received[10] = {0};
  for (int i = 0; i < 10; ++i) numbers[i] = i;
  for (int i = 0; i < 3; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(received, 10, MPI_DOUBLE, 0, i, dup, &requests[0]);
    MPI_Isend(numbers, 5 + i, MPI_DOUBLE, 0, i, dup, &requests[1]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    failures += statuses[0].MPI_TAG != i || statuses[0].MPI_SOURCE != 0 || requests[0] != MPI_REQUEST_NULL;
  }
  failures += memcmp(numbers, received, 7 * sizeof *numbers) != 0;
  MPI_Send(numbers, 4, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD);
  MPI_Recv(received, 10, MPI_DOUBLE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(numbers, 4, MPI_DOUBLE, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
  for (int i = 0; i < 7; ++i) MPI_Allreduce(numbers, received, 3, MPI_INT, MPI_SUM, half);
  MPI_Barrier(MPI_COMM_SELF);

  double memory[10] = {0};
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, half, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&numbers[2], 3, MPI_DOUBLE, 0, 5, 3, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  failures += memory[7] != 4;
  MPI_Win_free(&window);
  if (argc > 1 && commprof_flush != NULL) commprof_flush(NULL);

  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(half, "file", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  failures += file != MPI_FILE_NULL;
  MPI_Comm_free(&half);
  MPI_Comm_free(&dup);
  failures += dup != MPI_COMM_NULL;
  MPI_Finalize();
  printf("rank %d of %d, %d copies, %d deletions, %d failures\n", rank, size, copies, deletions, failures);
  return failures != 0;
}
