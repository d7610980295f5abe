// COMMPROF_INTERNAL=1 with several threads that call MPI: one may send another's messages, and none is lost. Each
// thread has a communicator of its own, on which it reduces with a nonblocking call and completes it.
#include <mpi.h>

#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::ProfileTest;
using profile_test::Row;

namespace {

constexpr int times = 50, bytes = 24, threads = 3;

void reduce(MPI_Comm comm) {
  char out[bytes]{}, in[bytes];
  for (int i = 0; i < times; ++i) {
    MPI_Request request;
    MPI_Iallreduce(out, in, bytes, MPI_CHAR, MPI_MAX, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  for (char const* const op : {"Comm_dup", "Iallreduce", "Wait", "Barrier"}) test.ignore(op);
  MPI_Comm comms[threads];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> running;
  for (MPI_Comm const comm : comms) running.emplace_back(reduce, comm);
  for (std::thread& thread : running) thread.join();
  MPI_Barrier(MPI_COMM_WORLD);
  test.finish();

  // Each reduction goes up a tree to rank 0, and down another one. A thread may send a message for another's operation
  // before that is known; all other messages are attributed correctly.
  std::uint64_t all = 0, known = 0;
  for (Row const& row : test.peers()) {
    if (row.at("class") != "internal" || row.at("op") == "Comm_dup" || row.at("op") == "Barrier") continue;
    auto const messages = std::stoull(row.at("messages"));
    test.require(std::stoull(row.at("bytes")) == messages * bytes, "a message of another size");
    all += messages;
    if (row.at("op") == "Iallreduce") known += messages;
  }
  auto const expected = static_cast<std::uint64_t>(threads * times * 2 * (test.ranks - 1));
  test.require(all == expected, std::to_string(all) + " messages, expected " + std::to_string(expected));
  test.require(known * 10 >= expected * 9,
               std::to_string(known) + " messages of Iallreduce, expected almost " + std::to_string(expected));
  return test.exit_code();
}
