// An exception leaves a call. A callback that freed a communicator later wrote to where MPI_Comm_free had its frame:
// the program's own array changed. MPI_Waitall is left because one receive is too short: what the others have received
// was lost. With and without statuses, and the exception is caught where the call was made, or further up.
//
// expect: comm=SELF op=Comm_dup calls=3
// expect: op=Isend calls=80 bytes=1120
// expect: op=Irecv calls=80 bytes=960
// expect: op=Waitall calls=20
// expect: run.json dropped.requests_unfinished=0
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

constexpr int n = 4;
static int received[n][8], sent[8];

static void receive_here(MPI_Request* requests, MPI_Status* statuses) {
  for (int i = 0; i < n; ++i) MPI_Irecv(received[i], i == n - 1 ? 1 : 8, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
  MPI_Waitall(n, requests, statuses);
}
[[gnu::noinline]] static void receive_far(MPI_Request* requests, MPI_Status* statuses) {
  char volatile room[1000];
  room[0] = 0;
  receive_here(requests, statuses);
  room[1] = room[0];
}
[[gnu::noinline]] static bool fails(bool has_statuses, bool is_far) {
  MPI_Request sends[n], requests[n] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[n], *const given = has_statuses ? statuses : MPI_STATUSES_IGNORE;
  constexpr int counts[n] = {8, 4, 0, 2};  // the last one does not fit
  for (int i = 0; i < n; ++i) MPI_Isend(sent, counts[i], MPI_INT, 0, i, MPI_COMM_SELF, &sends[i]);
  bool is_left = false;
  try {
    if (is_far) receive_far(requests, given);
    else receive_here(requests, given);
  } catch (std::exception const&) {
    is_left = true;
  }
  for (MPI_Request const request : requests) is_left = is_left && request == MPI_REQUEST_NULL;
  MPI_Waitall(n, sends, MPI_STATUSES_IGNORE);
  return is_left;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Comm base, last;
  int key, left = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &base);
  MPI_Comm_dup(MPI_COMM_SELF, &freed);
  MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm_set_attr(base, key, nullptr);
  fail();
  std::printf("changed %d\n", changed_after_dup(base));
  MPI_Comm_dup(MPI_COMM_SELF, &last);
  for (int i = 0; i < 20; ++i) left += fails(i % 2 == 0, i / 2 % 2 == 0);
  std::printf("left %d\n", left);
  MPI_Finalize();
}
