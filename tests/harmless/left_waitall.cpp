// An exception leaves MPI_Waitall because one receive is too short. What the others have received was lost. With and
// without statuses, and the exception is caught where the call was made, or further up.
// expect: op=Isend calls=80 bytes=1120
// expect: op=Irecv calls=80 bytes=960
// expect: op=Waitall calls=20
// expect: run.json dropped.requests_unfinished=0
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static void on_error(MPI_Comm*, int*, ...) { throw std::runtime_error("mpi"); }

constexpr int n = 4;
static int received[n][8], sent[8];

[[gnu::noinline]] static void receive(MPI_Request* requests, MPI_Status* statuses) {
  char volatile room[1000];
  room[0] = 0;
  for (int i = 0; i < n; ++i) MPI_Irecv(received[i], i == n - 1 ? 1 : 8, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
  MPI_Waitall(n, requests, statuses);
  room[1] = room[0];
}
[[gnu::noinline]] static bool fails(bool has_statuses, bool is_far) {
  MPI_Request sends[n], requests[n] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[n];
  constexpr int counts[n] = {8, 4, 0, 2};  // the last one does not fit
  for (int i = 0; i < n; ++i) MPI_Isend(sent, counts[i], MPI_INT, 0, i, MPI_COMM_SELF, &sends[i]);
  bool is_left = false;
  try {
    MPI_Status* const given = has_statuses ? statuses : MPI_STATUSES_IGNORE;
    if (is_far) {
      receive(requests, given);
    } else {
      for (int i = 0; i < n; ++i)
        MPI_Irecv(received[i], i == n - 1 ? 1 : 8, MPI_INT, 0, i, MPI_COMM_SELF, &requests[i]);
      MPI_Waitall(n, requests, given);
    }
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
  int left = 0;
  for (int i = 0; i < 20; ++i) left += fails(i % 2 == 0, i / 2 % 2 == 0);
  std::printf("left %d\n", left);
  MPI_Finalize();
}
