// Requests with a pause between issue and completion: the issuing call counts, with all its bytes, if it was not
// paused; the completing call counts if it is not paused.
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr int size = 10;

struct Program {
  Ring world{MPI_COMM_WORLD};
  int out[size]{}, in[size]{};
  MPI_Request requests[2]{};

  static void pause() { MPI_Pcontrol(COMMPROF_PAUSE); }
  static void resume() { MPI_Pcontrol(COMMPROF_RESUME); }
  void issue() {
    MPI_Irecv(in, size, MPI_INT, world.left(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, size, MPI_INT, world.right(), 1, MPI_COMM_WORLD, &requests[1]);
  }
  void prepare() {
    MPI_Recv_init(in, size, MPI_INT, world.left(), 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, size, MPI_INT, world.right(), 1, MPI_COMM_WORLD, &requests[1]);
  }
  void wait() { MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }
  void start() { MPI_Startall(2, requests); }
  void release() {
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }

  void issued_then_paused() {
    issue();
    pause();
    wait();
    resume();
  }
  void paused_then_completed() {
    pause();
    issue();
    resume();
    wait();
  }
  void paused_all_along() {
    pause();
    issue();
    wait();
    resume();
  }
  void paused_and_resumed_between() {
    issue();
    pause();
    resume();
    wait();
  }

  // Requests that are prepared in a pause, started and completed before or after it.
  void persistent() {
    pause();
    prepare();
    resume();
    start();
    pause();
    wait();
    start();
    resume();
    wait();
    start();
    wait();
    release();
  }
  void persistent_released_in_pause() {
    prepare();
    pause();
    start();
    wait();
    release();
    resume();
  }

  // Cancels a request in a pause; completes it at the second attempt.
  void cancelled_in_pause() {
    MPI_Irecv(in, size, MPI_INT, world.left(), 99, MPI_COMM_WORLD, &requests[0]);
    pause();
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    resume();
  }

  void collective() {
    MPI_Ibcast(out, size, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    pause();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(out, size, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    resume();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  }

  // Requests that are never completed: a receive issued in a pause is neither counted at the end nor reported as
  // missing.
  void unfinished() {
    static int never[2];
    MPI_Request request;
    MPI_Irecv(never, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(never, 1, MPI_INT, world.left(), 98, MPI_COMM_WORLD, &request);
    pause();
    MPI_Irecv(never + 1, 1, MPI_INT, world.left(), 97, MPI_COMM_WORLD, &request);
    resume();
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Program program;
  program.issued_then_paused();
  program.paused_then_completed();
  program.paused_all_along();
  program.paused_and_resumed_between();
  program.persistent();
  program.persistent_released_in_pause();
  program.cancelled_in_pause();
  program.collective();
  program.unfinished();
  return workload::finish();
}
