/* A library keeps a file with a communicator and closes it when the communicator is freed. The MPI gives the handle of
 * the file out again: calls on the next file counted on the communicator that was freed.
 * expect: comm=SELF_d2 op=File_write_at calls=10 bytes=1000
 * expect: comm=SELF_d2 op=File_close calls=1
 * expect: comm=SELF_d1 op=File_open calls=1
 */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#include <mpi.h>
#include <stdio.h>

static int close_it(MPI_Comm comm, int key, void* file, void* extra) { return MPI_File_close(file); }

int main(int argc, char** argv) {
  MPI_Comm first, second;
  int key, x[25] = {0};
  MPI_File file, next;
  MPI_Init(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_SELF, &first);
  MPI_Comm_dup(MPI_COMM_SELF, &second);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_it, &key, 0);
  MPI_File_open(first, "callback_closes_file.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Comm_set_attr(first, key, &file);
  MPI_Comm_free(&first);
  MPI_File_open(second, "callback_closes_file.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &next);
  for (int i = 0; i < 10; ++i) MPI_File_write_at(next, 0, x, 25, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&next);
  MPI_Comm_free(&second);
  puts("done");
  MPI_Finalize();
  return 0;
}
