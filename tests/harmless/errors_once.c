// An error handler sees each error of the program once. The profiler asked MPI about windows, communicators and infos
// that were invalid, so the handler ran two or three times.
//
// expect: run.json dropped.calls_on_unknown_communicators=4
#include <mpi.h>
#include <stdio.h>

// Handles that each MPI refuses.
#ifdef OPEN_MPI
#define BAD_WINDOW MPI_WIN_NULL
#define BAD_INFO ((MPI_Info)0)
#else
#define BAD_WINDOW ((MPI_Win)0x12345678)
#define BAD_INFO ((MPI_Info)0x12345678)
#endif

static int handled;
static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}

static void tell(char const* what) {
  printf("%s: %d\n", what, handled);
  handled = 0;
}

int main(int argc, char** argv) {
  int data = 0;
  MPI_Win window = BAD_WINDOW;
  MPI_Comm comm;
  MPI_Errhandler handler;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Win_fence(0, window), tell("fence");
  MPI_Put(&data, 1, MPI_INT, 0, 0, 1, MPI_INT, window), tell("put");
  MPI_Win_free(&window), tell("free");
  MPI_Comm_spawn("nothing", MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &comm, MPI_ERRCODES_IGNORE);
  tell("spawn on no communicator");
  MPI_Comm_spawn("nothing", MPI_ARGV_NULL, 1, BAD_INFO, 0, MPI_COMM_SELF, &comm, MPI_ERRCODES_IGNORE);
  tell("spawn with no info");
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
}
