// MPI_Isendrecv and MPI_Isendrecv_replace: one request for a message in each direction. MPICH 4.0.2 does not set the
// status of such requests, so receives are posted with the size that arrives.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int size = 7;

struct Program {
  ProfileTest& test;
  NamedComm const& comm;
  int out[30] = {}, in[30] = {};

  void count(char const* op, std::uint64_t sent = 0, std::uint64_t received = 0) {
    test.expect(comm.name, op, {1, sent, received});
  }

  void around_the_ring() {
    std::uint64_t const m = bytes(size, MPI_INT);
    MPI_Request request;
    MPI_Isendrecv(out, size, MPI_INT, comm.right(), 1, in, size, MPI_INT, comm.left(), 1, comm.handle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count("Isendrecv", m, m), count("Wait");

    MPI_Isendrecv_replace(in, size, MPI_INT, comm.right(), 2, comm.left(), 2, comm.handle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count("Isendrecv_replace", m, m), count("Wait");

#if MPI_VERSION >= 4  // Open MPI 5.0 has no large counts
    MPI_Isendrecv_c(out, size, MPI_INT, comm.right(), 3, in, size, MPI_INT, comm.left(), 3, comm.handle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count("Isendrecv", m, m), count("Wait");
    MPI_Isendrecv_replace_c(in, size, MPI_INT, comm.right(), 4, comm.left(), 4, comm.handle, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    count("Isendrecv_replace", m, m), count("Wait");
#endif
  }

  // Several requests at once; some have MPI_PROC_NULL as a partner.
  void along_the_line() {
    bool const is_first = comm.rank == 0, is_last = comm.rank == comm.size - 1;
    int const next = is_last ? MPI_PROC_NULL : comm.right(), previous = is_first ? MPI_PROC_NULL : comm.left();
    std::vector<MPI_Request> requests(3);
    for (int i = 0; i < 3; ++i) {
      auto const n = static_cast<std::size_t>(i);
      MPI_Isendrecv(out, i, MPI_INT, next, 5 + i, in + 10 * i, i, MPI_INT, previous, 5 + i, comm.handle, &requests[n]);
      count("Isendrecv", is_last ? 0 : bytes(i, MPI_INT), is_first ? 0 : bytes(i, MPI_INT));
    }
    MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
    count("Waitall");
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});
  NamedComm const comm(reversed, "W_s1.0");
  Program program{test, comm};
  program.around_the_ring();
  program.along_the_line();
  return test.finish();
}
