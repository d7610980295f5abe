// Two threads complete one request.
#include <barrier>
#include <thread>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

// Two threads test one request, which MPI allows until 4.0. The one that finds it null or inactive gets the empty
// status, which says nothing of the message: the size that counts is that of the other thread. Not for Open MPI 4.1.4,
// which hangs: a thread uses the request that another one has completed and freed.
void tested_by_two(ProfileTest& test, NamedComm const& comm, bool is_persistent) {
  constexpr int tested = 1500, testers = 2, tag = 3;
  std::vector<int> in(8), out(5);
  MPI_Request request = MPI_REQUEST_NULL;
  if (is_persistent) MPI_Recv_init(in.data(), 8, MPI_INT, comm.rank, tag, comm.handle, &request);
  std::barrier turn(testers + 1);
  auto const test_often = [&] {
    for (int i = 0; i < tested; ++i) {
      turn.arrive_and_wait();
      for (int done = 0; done == 0;) MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
      turn.arrive_and_wait();
    }
  };
  std::thread first(test_often), second(test_often);
  for (int i = 0; i < tested; ++i) {
    if (is_persistent) MPI_Start(&request);
    else MPI_Irecv(in.data(), 8, MPI_INT, comm.rank, tag, comm.handle, &request);
    turn.arrive_and_wait();
    MPI_Send(out.data(), 5, MPI_INT, comm.rank, tag, comm.handle);
    turn.arrive_and_wait();
  }
  first.join();
  second.join();
  if (is_persistent) MPI_Request_free(&request);
  std::uint64_t const sum = bytes(5 * tested, MPI_INT);
  if (is_persistent) test.expect(comm.name, "Recv_init", {1, 0, 0});
  if (is_persistent) test.expect(comm.name, "Request_free", {1, 0, 0});
  test.expect(comm.name, is_persistent ? "Start" : "Irecv", {tested, 0, sum});
  test.expect(comm.name, "Send", {tested, sum, 0});
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv, MPI_THREAD_MULTIPLE);
  for (bool const is_persistent : {false, true}) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    test.expect("W", "Comm_dup", {1, 0, 0});
    tested_by_two(test, {dup, is_persistent ? "W_d2" : "W_d1"}, is_persistent);
  }
  test.ignore("Testall");
  test.ignore("Testall-none");
  return test.finish();
}
