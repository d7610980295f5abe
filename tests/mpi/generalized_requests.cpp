// Generalized requests belong to the program: MPI knows no communicator for them, so calls that complete them count on
// SELF, and they end as they would without the profiler.
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

constexpr int elements = 1000;

// The callbacks that MPI has called for a request.
struct Work {
  int queries = 0, releases = 0, cancellations = 0;
  bool complete_when_cancelled = false;
};

int query(void* state, MPI_Status* status) {
  auto& work = *static_cast<Work*>(state);
  ++work.queries;
  MPI_Status_set_elements(status, MPI_BYTE, elements);
  MPI_Status_set_cancelled(status, work.complete_when_cancelled ? 1 : 0);
  status->MPI_SOURCE = 7;
  status->MPI_TAG = 8;
  return MPI_SUCCESS;
}
int release(void* state) {
  ++static_cast<Work*>(state)->releases;
  return MPI_SUCCESS;
}
int cancel(void* state, int) {
  ++static_cast<Work*>(state)->cancellations;
  return MPI_SUCCESS;
}

class Program {
 public:
  void wait() {
    Work work;
    MPI_Request request = start(work);
    MPI_Grequest_complete(request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int arrived = 0;
    MPI_Get_count(&status, MPI_BYTE, &arrived);
    require(arrived == elements && status.MPI_SOURCE == 7 && status.MPI_TAG == 8, "the status is not the program's");
    require(request == MPI_REQUEST_NULL, "MPI_Wait leaves a request");
    ended(work);
  }

  void test() {
    Work work;
    MPI_Request request = start(work);
    int flag = 1;
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    require(flag == 0, "it is not complete yet");
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    require(flag == 0, "it is not complete yet");
    MPI_Grequest_complete(request);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    require(flag != 0, "it is complete");
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    require(flag != 0, "it is complete");
    require(work.releases == 1, "the request is not released");
  }

  void cancel_one() {
    Work work{.complete_when_cancelled = true};
    MPI_Request request = start(work);
    MPI_Cancel(&request);
    require(work.cancellations == 1, "MPI_Cancel did not call the program");
    MPI_Grequest_complete(request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    require(cancelled != 0, "the status is not that of a cancelled request");
    ended(work);
  }

  // The program frees the request first: it ends when it is complete; on MPICH 4.0.2, at once.
  void free_one() {
    Work work;
    MPI_Request request = start(work), copy = request;
    MPI_Request_free(&request);
    require(request == MPI_REQUEST_NULL, "MPI_Request_free leaves a request");
#ifndef MPICH_VERSION
    require(work.releases == 0, "it ends before it is complete");
#endif
    if (work.releases == 0) MPI_Grequest_complete(copy);
    require(work.releases == 1, "it does not end");
  }

  // Completed together with requests of a communicator: the call counts there, too.
  void among_others() {
    Work works[3];
    int out = 0, in = 0;
    MPI_Request requests[5];
    for (int i = 0; i < 3; ++i) requests[i] = start(works[i]), MPI_Grequest_complete(requests[i]);
    MPI_Irecv(&in, 1, MPI_INT, Ring(MPI_COMM_WORLD).rank, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(&out, 1, MPI_INT, Ring(MPI_COMM_WORLD).rank, 0, MPI_COMM_WORLD, &requests[4]);
    std::vector<MPI_Status> statuses(5);
    MPI_Waitall(5, requests, statuses.data());
    for (int i = 0; i < 3; ++i) ended(works[i]);
    int arrived = 0;
    MPI_Get_count(&statuses[2], MPI_BYTE, &arrived);
    require(arrived == elements, "the status is not the program's");

    Work first, second;
    MPI_Request both[] = {start(first), start(second)};
    MPI_Grequest_complete(both[1]);
    int index = -1, number = 0;
    MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
    require(index == 1, "MPI_Waitany names the wrong one");
    MPI_Grequest_complete(both[0]);
    MPI_Waitsome(2, both, &number, &index, statuses.data());
    require(number == 1 && index == 0, "MPI_Waitsome names the wrong one");
    ended(first), ended(second);
  }

 private:
  MPI_Request start(Work& work) {
    MPI_Request request;
    MPI_Grequest_start(query, release, cancel, &work, &request);
    return request;
  }
  void ended(Work const& work) { require(work.queries == 1 && work.releases == 1, "not queried and released once"); }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Program program;
  program.wait();
  program.test();
  program.cancel_one();
  program.free_one();
  program.among_others();
  return workload::finish();
}
