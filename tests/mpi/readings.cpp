// Readings of the program's own numbers while it runs: requests, pauses, sizes and errors. That readings equal the
// counts on each communicator, the counter checks at the end of every program that it judges.
#include <cstring>
#include <vector>

#include "workload.hpp"

using workload::require;

namespace {

bool reads(MPI_Comm comm, char const* op, unsigned long long calls, unsigned long long sent,
           unsigned long long received) {
  commprof_numbers found{};
  return commprof_read(comm, op, &found, sizeof found) == MPI_SUCCESS && found.calls == calls &&
         found.bytes_sent == sent && found.bytes_received == received && (found.time_s > 0) == (calls > 0);
}

// A receive is in a reading when it has completed; requests that are prepared send each time.
void requests_and_pauses(MPI_Comm comm) {
  workload::Ring const ring(comm);
  auto const size = static_cast<std::size_t>(ring.size);
  std::vector<unsigned long long> messages(size + 1, 4711), bytes(size + 1, 4711), expected(size + 1);
  int out[10] = {}, in[10];
  MPI_Request requests[2];
  MPI_Irecv(in, 10, MPI_INT, ring.left(), 1, comm, &requests[0]);
  MPI_Isend(out, 7, MPI_INT, ring.right(), 1, comm, &requests[1]);
  require(reads(comm, "Irecv", 0, 0, 0) && reads(comm, nullptr, 1, 28, 0), "a pending receive is read");
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  require(reads(comm, "Irecv", 1, 0, 28) && reads(comm, nullptr, 3, 28, 28), "a receive is not read");
  MPI_Send_init(out, 1, MPI_INT, MPI_PROC_NULL, 1, comm, &requests[0]);
  MPI_Send_init(out, 2, MPI_INT, ring.right(), 1, comm, &requests[1]);
  for (int i = 0; i < 3; ++i) {
    MPI_Startall(2, requests);
    MPI_Recv(in, 2, MPI_INT, ring.left(), 1, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  require(reads(comm, "Startall", 3, 24, 0) && reads(comm, "Recv", 3, 0, 24), "starts are not read");
  auto const read_peers = [&] { return commprof_read_peers(comm, messages.data(), bytes.data(), ring.size); };
  auto const is_all = [&](unsigned long long number, unsigned long long sum) {
    expected.assign(size, 0), expected.push_back(4711);
    expected[static_cast<std::size_t>(ring.right())] = number;
    bool const are_messages = messages == expected;
    expected[static_cast<std::size_t>(ring.right())] = sum;
    return are_messages && bytes == expected;
  };
  require(read_peers() == MPI_SUCCESS && is_all(4, 52), "messages to peers");
  require(commprof_read_peers(comm, messages.data(), nullptr, ring.size) == MPI_SUCCESS && is_all(4, 52),
          "messages alone");
  require(commprof_read_peers(comm, nullptr, bytes.data(), ring.size) == MPI_SUCCESS && is_all(4, 52), "bytes alone");
  require(commprof_read_peers(comm, messages.data(), nullptr, ring.size - 1) == MPI_ERR_ARG, "a short array");

  commprof_pause();
  MPI_Sendrecv(out, 5, MPI_INT, ring.right(), 1, in, 5, MPI_INT, ring.left(), 1, comm, MPI_STATUS_IGNORE);
  commprof_resume();
  require(reads(comm, "Sendrecv", 0, 0, 0), "calls in a pause");
  MPI_Sendrecv(out, 4, MPI_INT, ring.right(), 1, in, 5, MPI_INT, ring.left(), 1, comm, MPI_STATUS_IGNORE);
  require(reads(comm, "Sendrecv", 1, 16, 16) && read_peers() == MPI_SUCCESS && is_all(5, 68), "calls after a pause");
}

void errors() {
  commprof_numbers numbers{1, 2, 3, 4};
  char name[COMMPROF_MAX_NAME] = "unchanged";
  auto const is = [](int result, int expected, char const* what) { require(result == expected, what); };
  is(commprof_read(MPI_COMM_NULL, nullptr, &numbers, sizeof numbers), MPI_ERR_COMM, "the null communicator is read");
  is(commprof_read(MPI_COMM_WORLD, "Sand", &numbers, sizeof numbers), MPI_ERR_ARG, "an unknown operation is read");
  is(commprof_read(MPI_COMM_WORLD, "MPI_Send", &numbers, sizeof numbers), MPI_ERR_ARG, "one with MPI_ is read");
  is(commprof_read(MPI_COMM_WORLD, nullptr, nullptr, sizeof numbers), MPI_ERR_ARG, "nowhere is read to");
  is(commprof_read_peers(MPI_COMM_NULL, nullptr, nullptr, 100), MPI_ERR_COMM, "the peers of no communicator");
  is(commprof_read_peers(MPI_COMM_SELF, nullptr, nullptr, 1), MPI_SUCCESS, "no array is wanted");
  is(commprof_comm_name(MPI_COMM_NULL, name, sizeof name), MPI_ERR_COMM, "the name of no communicator");
  is(commprof_comm_name(MPI_COMM_WORLD, nullptr, 0), MPI_ERR_ARG, "a name to nowhere");
  require(numbers.calls == 1 && numbers.time_s == 4.0 && std::strcmp(name, "unchanged") == 0, "an error has a result");
}

// A profiler newer than the program, and an older one.
void sizes() {
  struct {
    commprof_numbers numbers;
    unsigned long long further[2];
  } larger{{}, {1, 2}};
  commprof_numbers numbers{1, 2, 3, 4};
  MPI_Barrier(MPI_COMM_SELF);
  commprof_read(MPI_COMM_SELF, nullptr, &larger.numbers, sizeof larger);
  commprof_read(MPI_COMM_SELF, nullptr, &numbers, sizeof numbers.calls);
  require(larger.numbers.calls > 0 && larger.further[0] == 0 && larger.further[1] == 0, "unknown members are 0");
  require(numbers.calls == larger.numbers.calls && numbers.bytes_sent == 2 && numbers.time_s == 4.0,
          "a smaller struct");
}

}  // namespace

int main(int argc, char** argv) {
  commprof_numbers numbers{};
  auto const refuses = [&] {
    return commprof_read(MPI_COMM_WORLD, nullptr, &numbers, sizeof numbers) == MPI_ERR_UNSUPPORTED_OPERATION;
  };
  require(refuses(), "readings before MPI_Init");
  commprof_pause();  // there is nothing to pause
  MPI_Init(&argc, &argv);
  requests_and_pauses(workload::reversed());
  errors();
  sizes();
  int const code = workload::finish();
  return refuses() ? code : 1;
}
