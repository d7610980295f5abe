// MPI_Pcontrol: while paused, calls are not counted, but communicators and requests are tracked, so that later calls
// count under the right name.
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr int tag = 1;
constexpr int size = 10;

struct Program {
  Ring comm;
  std::vector<int> out, in;

  explicit Program(MPI_Comm where) : comm(where), out(size), in(size) {}

  MPI_Request receive() {
    MPI_Request request;
    MPI_Irecv(in.data(), size, MPI_INT, comm.left(), tag, comm.handle, &request);
    return request;
  }
  MPI_Request send() {
    MPI_Request request;
    MPI_Isend(out.data(), size, MPI_INT, comm.right(), tag, comm.handle, &request);
    return request;
  }

  void completed_while_paused() {
    MPI_Request receiving = receive(), sending = send();
    MPI_Pcontrol(0);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
  }

  void issued_while_paused() {
    MPI_Pcontrol(0);
    MPI_Request receiving = receive(), sending = send();
    MPI_Pcontrol(1);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  }

  void matched_while_paused() {
    MPI_Message message;
    MPI_Pcontrol(0);
    MPI_Request sending = send();
    MPI_Mprobe(comm.left(), tag, comm.handle, &message, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Mrecv(in.data(), size, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  }

  void nothing_while_paused() {
    MPI_Pcontrol(0);
    MPI_Pcontrol(0);
    MPI_Sendrecv(out.data(), size, MPI_INT, comm.right(), tag, in.data(), size, MPI_INT, comm.left(), tag, comm.handle,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(comm.handle);
    int flag = 0;
    MPI_Iprobe(comm.left(), tag, comm.handle, &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
    MPI_Pcontrol(1);
  }

  // Levels without a meaning for the profiler change nothing, and no level reads a missing argument.
  void other_levels() {
    for (int const level : {1, 3, -1, 4711}) MPI_Pcontrol(level);
    MPI_Barrier(comm.handle);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm paused, freed, named;
  Program program(workload::reversed());
  program.completed_while_paused();
  program.issued_while_paused();
  program.matched_while_paused();
  program.nothing_while_paused();
  program.other_levels();

  // A communicator created while paused has its place in the order of names, and its row.
  MPI_Pcontrol(0);
  MPI_Comm_dup(MPI_COMM_WORLD, &paused);
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  MPI_Comm_set_name(paused, "made in a pause");
  MPI_Comm_free(&freed);
  MPI_Pcontrol(1);
  MPI_Barrier(paused);
  workload::require_name(paused, "W_d2");
  MPI_Comm_dup(MPI_COMM_WORLD, &named);
  MPI_Barrier(named);
  workload::require_name(named, "W_d4");

  MPI_Pcontrol(0);  // a program may end in a pause
  MPI_Barrier(MPI_COMM_WORLD);
  return workload::finish();
}
