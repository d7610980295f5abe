// One handle for many requests: an MPI may give all small sends that complete at once the same handle. Each request
// still counts on its own communicator, in whatever order and from whatever variables the program completes them.
//
// The requests here are sends to MPI_PROC_NULL, and to the process itself, on three communicators: 1 on A, 2 on B, 3 on
// C.
#include <algorithm>
#include <functional>
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

constexpr int tag = 9;

struct Program {
  std::vector<Ring> comms;  // A, B, C
  int data = 0;

  MPI_Request send_to_nobody(int comm) {
    MPI_Request request;
    MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, tag, comms[static_cast<std::size_t>(comm)].handle, &request);
    return request;
  }

  // Issues A's request first, then B's, then C's, each into a variable of its own.
  std::vector<MPI_Request> issue(int times = 1) {
    std::vector<MPI_Request> requests(static_cast<std::size_t>(6 * times));
    std::size_t place = 0;
    for (int comm = 0; comm < 3; ++comm) {
      for (int i = 0; i < times * (comm + 1); ++i, ++place) {
        MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, tag, comms[static_cast<std::size_t>(comm)].handle,
                  &requests[place]);
      }
    }
    require(std::adjacent_find(requests.begin(), requests.end(), std::not_equal_to<>()) == requests.end(),
            "these requests have different handles: the test shows nothing on this MPI");
    return requests;
  }

  void in_one_call() {
    std::vector<MPI_Request> requests = issue();
    MPI_Waitall(6, requests.data(), MPI_STATUSES_IGNORE);
  }

  void in_one_call_from_copies() {
    std::vector<MPI_Request> const requests = issue();
    std::vector<MPI_Request> copies(requests.rbegin(), requests.rend());
    MPI_Waitall(6, copies.data(), MPI_STATUSES_IGNORE);
  }

  // Completes requests from the variables in which MPI stored them, in reverse order. A different call for each
  // communicator shows whether each request was found on its own.
  void in_separate_calls(int times = 1) {
    std::vector<MPI_Request> requests = issue(times);
    int flag = 0;
    MPI_Waitall(3 * times, &requests[static_cast<std::size_t>(3 * times)], MPI_STATUSES_IGNORE);
    MPI_Testall(2 * times, &requests[static_cast<std::size_t>(times)], &flag, MPI_STATUSES_IGNORE);
    for (int i = 0; i < times; ++i) MPI_Wait(&requests[static_cast<std::size_t>(i)], MPI_STATUS_IGNORE);
  }

  // Completes requests from copies, in order: only the order distinguishes the requests.
  void in_separate_calls_from_copies() {
    std::vector<MPI_Request> const requests = issue();
    std::vector<MPI_Request> copies = requests;
    int flag = 0;
    MPI_Wait(&copies[0], MPI_STATUS_IGNORE);
    MPI_Testall(2, &copies[1], &flag, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, &copies[3], MPI_STATUSES_IGNORE);
  }

  // Issues all requests into one variable and copies them from there.
  void through_one_variable() {
    std::vector<MPI_Request> copies;
    MPI_Request request;
    for (int comm = 0; comm < 3; ++comm) {
      MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, tag, comms[static_cast<std::size_t>(comm)].handle, &request);
      if (comm < 2) copies.push_back(request);
    }
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);  // the variable holds the request on C
    MPI_Wait(&copies[0], MPI_STATUS_IGNORE);
    MPI_Test(&copies[1], &data, MPI_STATUS_IGNORE);
  }

  // Like through_one_variable(), with another request in between: the variable holds the request on C, no longer the
  // one on A.
  void through_two_variables() {
    MPI_Request request, other;
    auto const issue_into = [&](MPI_Request& where, int comm) {
      MPI_Isend(&data, 1, MPI_INT, MPI_PROC_NULL, tag, comms[static_cast<std::size_t>(comm)].handle, &where);
    };
    issue_into(request, 0);
    MPI_Request copy = request;
    issue_into(other, 1);
    issue_into(request, 2);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    MPI_Test(&other, &data, MPI_STATUS_IGNORE);
    MPI_Wait(&copy, MPI_STATUS_IGNORE);
  }

  // Each call counts on the communicator of the request that it completes.
  void one_by_one() {
    std::vector<MPI_Request> requests = issue();
    for (int i = 0; i < 6; ++i) {
      int index = -1;
      MPI_Waitany(6, requests.data(), &index, MPI_STATUS_IGNORE);
    }
  }

  void freed() {
    std::vector<MPI_Request> requests = issue();
    MPI_Request_free(&requests[5]);
    MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
  }

  // Sends real messages.
  void to_itself() {
    std::vector<MPI_Request> requests(3);
    int in[3];
    for (std::size_t i = 0; i < 3; ++i) {
      Ring const& comm = comms[i];
      MPI_Irecv(&in[i], 1, MPI_INT, comm.rank, tag, comm.handle, &requests[i]);
    }
    std::vector<MPI_Request> sends(3);
    for (std::size_t i = 0; i < 3; ++i) {
      Ring const& comm = comms[i];
      MPI_Isend(&data, 1, MPI_INT, comm.rank, tag, comm.handle, &sends[i]);
    }
    require(sends[0] == sends[1] && sends[1] == sends[2], "sends to oneself have different handles on this MPI");
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    MPI_Waitall(1, &sends[2], MPI_STATUSES_IGNORE);
    MPI_Waitall(2, &sends[0], MPI_STATUSES_IGNORE);
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Program program;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    program.comms.emplace_back(dup);
  }
  program.in_one_call();
  program.in_one_call_from_copies();
  program.in_separate_calls();
  program.in_separate_calls(10);  // 60 requests at once
  program.in_separate_calls_from_copies();
  program.through_one_variable();
  program.through_two_variables();
  program.one_by_one();
  program.freed();
  program.to_itself();
  return workload::finish();
}
