// Two threads test one request, which MPI allows until 4.0. The one that finds it null or inactive gets the empty
// status, which says nothing of the message: the size that counts is that of the other thread. Not for Open MPI 4.1.4,
// which hangs: a thread uses the request that another one has completed and freed.
//
// mpi: mpich
// expect: comm=SELF_d1 op=Irecv calls=1500 bytes_received=30000
// expect: comm=SELF_d2 op=Start calls=1500 bytes_received=30000
// expect: op=Send calls=3000 bytes_sent=60000
#include <mpi.h>

#include <barrier>
#include <thread>

static void tested_by_two(MPI_Comm comm, bool is_persistent) {
  constexpr int times = 1500;
  int in[8], out[5]{};
  MPI_Request request = MPI_REQUEST_NULL;
  if (is_persistent) MPI_Recv_init(in, 8, MPI_INT, 0, 3, comm, &request);
  std::barrier turn(3);
  auto const test_often = [&] {
    for (int i = 0; i < times; ++i) {
      turn.arrive_and_wait();
      for (int done = 0; done == 0;) MPI_Testall(1, &request, &done, MPI_STATUSES_IGNORE);
      turn.arrive_and_wait();
    }
  };
  std::thread first(test_often), second(test_often);
  for (int i = 0; i < times; ++i) {
    if (is_persistent) MPI_Start(&request);
    else MPI_Irecv(in, 8, MPI_INT, 0, 3, comm, &request);
    turn.arrive_and_wait();
    MPI_Send(out, 5, MPI_INT, 0, 3, comm);
    turn.arrive_and_wait();
  }
  first.join();
  second.join();
  if (is_persistent) MPI_Request_free(&request);
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  for (bool const is_persistent : {false, true}) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    tested_by_two(dup, is_persistent);
  }
  MPI_Finalize();
}
