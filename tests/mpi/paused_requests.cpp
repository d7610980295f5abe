// Requests with a pause between issue and completion: the issuing call counts, with all its bytes, if it was not
// paused; the completing call counts if it is not paused.
#include <commprof/commprof.h>

#include <vector>

#include "profile_test.hpp"

using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int size = 10;
constexpr std::uint64_t message = size * sizeof(int);

struct Program {
  ProfileTest& test;
  NamedComm world{MPI_COMM_WORLD, "W"};
  int out[size]{}, in[size]{};
  MPI_Request requests[2]{};

  static void pause() { MPI_Pcontrol(COMMPROF_PAUSE); }
  static void resume() { MPI_Pcontrol(COMMPROF_RESUME); }
  void count(char const* op, std::uint64_t calls, std::uint64_t sent = 0, std::uint64_t received = 0) {
    test.expect("W", op, {calls, sent, received});
  }
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
    count("Irecv", 1, 0, message);
    count("Isend", 1, message);
  }
  void paused_then_completed() {
    pause();
    issue();
    resume();
    wait();
    count("Waitall", 1);
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
    count("Irecv", 1, 0, message);
    count("Isend", 1, message);
    count("Waitall", 1);
  }

  // Requests that are prepared in a pause, started and completed before or after it.
  void persistent() {
    pause();
    prepare();
    resume();
    start();
    count("Startall", 1, message, message);
    pause();
    wait();
    start();
    resume();
    wait();
    count("Waitall", 1);
    start();
    wait();
    count("Startall", 1, message, message);
    count("Waitall", 1);
    release();
    count("Request_free", 2);
  }
  void persistent_released_in_pause() {
    prepare();
    count("Recv_init", 1);
    count("Send_init", 1);
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
    count("Irecv", 1);
  }

  void collective() {
    MPI_Ibcast(out, size, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    count("Ibcast", 1, 0, test.rank == 0 ? 0 : message);
    pause();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(out, size, MPI_INT, 0, MPI_COMM_WORLD, &requests[0]);
    resume();
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    count("Wait", 1);
  }

  // Requests that are never completed: a receive issued in a pause is neither counted at the end nor reported as
  // missing.
  void unfinished() {
    static int never[2];
    MPI_Request request;
    MPI_Irecv(never, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count("Irecv", 1);
    count("Wait", 1);
    MPI_Irecv(never, 1, MPI_INT, world.left(), 98, MPI_COMM_WORLD, &request);
    count("Irecv", 1);
    pause();
    MPI_Irecv(never + 1, 1, MPI_INT, world.left(), 97, MPI_COMM_WORLD, &request);
    resume();
    test.expect_dropped("requests_unfinished", static_cast<std::uint64_t>(test.ranks));
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  Program program{test};
  program.issued_then_paused();
  program.paused_then_completed();
  program.paused_all_along();
  program.paused_and_resumed_between();
  program.persistent();
  program.persistent_released_in_pause();
  program.cancelled_in_pause();
  program.collective();
  program.unfinished();
  return test.finish();
}
