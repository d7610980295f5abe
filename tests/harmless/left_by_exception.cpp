// An exception leaves a call. A callback that freed a communicator later wrote to where MPI_Comm_free had its frame:
// the program's own array changed.
//
// expect: comm=SELF op=Comm_dup calls=3
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static MPI_Comm freed;

static void on_error(MPI_Comm*, int*, ...) { throw std::runtime_error("mpi"); }
static int copy(MPI_Comm, int, void*, void*, void*, int* flag) {
  MPI_Comm same = freed;
  MPI_Comm_free(&same);
  *flag = 0;
  return MPI_SUCCESS;
}
[[gnu::noinline]] static void fail() {
  MPI_Comm null = MPI_COMM_NULL;
  try {
    MPI_Comm_free(&null);
  } catch (std::exception const&) {
    std::puts("caught");
  }
}
[[gnu::noinline]] static int changed_after_dup(MPI_Comm base) {
  MPI_Comm volatile own[2048];
  MPI_Comm dup;
  for (auto& one : own) one = freed;
  MPI_Comm_dup(base, &dup);
  int changed = 0;
  for (auto& one : own)
    if (one != freed) ++changed;
  return changed;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm base, last;
  int key;
  MPI_Comm_dup(MPI_COMM_SELF, &base);
  MPI_Comm_dup(MPI_COMM_SELF, &freed);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(base, key, nullptr);
  fail();
  std::printf("changed %d\n", changed_after_dup(base));
  MPI_Comm_dup(MPI_COMM_SELF, &last);
  MPI_Finalize();
}
