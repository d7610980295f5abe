// The remaining ways in which requests end: freed, cancelled, completed by the program itself, or never.
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

constexpr int tag = 1;
constexpr int tag_of_nothing = 2;
constexpr int size = 11;

struct Program {
  Ring comm;
  std::vector<int> out = std::vector<int>(size), in = std::vector<int>(size);

  MPI_Request receive(int with_tag) {
    MPI_Request request;
    MPI_Irecv(in.data(), size, MPI_INT, comm.left(), with_tag, comm.handle, &request);
    return request;
  }

  void free_a_send() {
    MPI_Request request;
    MPI_Isend(out.data(), size, MPI_INT, comm.right(), tag, comm.handle, &request);
    MPI_Request_free(&request);
    require(request == MPI_REQUEST_NULL, "MPI_Request_free leaves a request");
    MPI_Recv(in.data(), size, MPI_INT, comm.left(), tag, comm.handle, MPI_STATUS_IGNORE);
  }

  // The size of a freed receive's message is never known. A later message, which cannot overtake it, shows that it has
  // arrived.
  void free_a_receive() {
    MPI_Request request = receive(tag);
    MPI_Request_free(&request);
    for (int i = 0; i < 2; ++i) {
      MPI_Request send;
      MPI_Isend(out.data(), size, MPI_INT, comm.right(), tag, comm.handle, &send);
      if (i == 1) {
        MPI_Recv(in.data(), size, MPI_INT, comm.left(), tag, comm.handle, MPI_STATUS_IGNORE);
      }
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
  }

  void cancel_a_receive() {
    auto const cancel = [&] {
      MPI_Request request = receive(tag_of_nothing);
      MPI_Cancel(&request);
      return request;
    };
    MPI_Request request = cancel();
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    require(cancelled != 0, "a cancelled receive does not say so");

    request = cancel();
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Request several[] = {cancel(), receive(tag), cancel()};
    MPI_Request send;
    MPI_Isend(out.data(), size, MPI_INT, comm.right(), tag, comm.handle, &send);
    MPI_Waitall(3, several, MPI_STATUSES_IGNORE);
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }

  // The message has arrived already, so it is received in spite of the cancellation.
  void cancel_too_late() {
    MPI_Request request = receive(tag), send;
    MPI_Isend(out.data(), size, MPI_INT, comm.right(), tag, comm.handle, &send);
    for (int flag = 0; flag == 0;) {
      MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Cancel(&request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 1;
    MPI_Test_cancelled(&status, &cancelled);
    require(cancelled == 0, "a receive is cancelled that was complete");
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }

  // A generalized request has no communicator; if another request has one, the call counts on both.
  void complete_by_hand() {
    auto const query = [](void*, MPI_Status* status) {
      MPI_Status_set_elements(status, MPI_BYTE, 1000);
      MPI_Status_set_cancelled(status, 0);
      status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
      return MPI_SUCCESS;
    };
    auto const nothing = [](void*) { return MPI_SUCCESS; };
    auto const ignore = [](void*, int) { return MPI_SUCCESS; };
    auto const start = [&] {
      MPI_Request request;
      MPI_Grequest_start(query, nothing, ignore, nullptr, &request);
      MPI_Grequest_complete(request);
      return request;
    };
    MPI_Request request = start();
    MPI_Status status;
    MPI_Wait(&request, &status);
    int elements = 0;
    MPI_Get_count(&status, MPI_BYTE, &elements);
    require(elements == 1000, "a generalized request has the wrong status");

    MPI_Request both[] = {start(), MPI_REQUEST_NULL};
    MPI_Isend(out.data(), size, MPI_INT, MPI_PROC_NULL, tag, comm.handle, &both[1]);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
  }

  // A receive that is never completed is in the profile nevertheless; so is a send.
  void forget() {
    receive(tag_of_nothing);
    MPI_Request send;
    MPI_Isend(out.data(), size, MPI_INT, MPI_PROC_NULL, tag, comm.handle, &send);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Program program{Ring(workload::reversed())};
  program.free_a_send();
  program.free_a_receive();
  program.cancel_a_receive();
  program.cancel_too_late();
  program.complete_by_hand();
  program.forget();
  return workload::finish();
}
