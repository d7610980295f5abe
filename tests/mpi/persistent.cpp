// Persistent requests: a start counts with the bytes that it moves; that of a receive when they have arrived.
#include <string>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

struct Program {
  ProfileTest& test;
  NamedComm const& a;
  NamedComm const& b;
  int next, previous;
  int out[100] = {}, in[100] = {};

  void expect(NamedComm const& comm, char const* op, std::uint64_t sent = 0, std::uint64_t received = 0) {
    test.expect(comm.name, op, {1, sent, received});
  }

  // The receive's buffer is larger than the message.
  void point_to_point() {
    std::uint64_t const m = bytes(4, MPI_INT);
    MPI_Request requests[2];
    MPI_Send_init(out, 4, MPI_INT, next, 1, a.handle, &requests[0]);
    MPI_Recv_init(in, 100, MPI_INT, previous, 1, a.handle, &requests[1]);
    expect(a, "Send_init");
    expect(a, "Recv_init");
    for (int i = 0; i < 3; ++i) {
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      expect(a, "Startall", m, m);
      expect(a, "Waitall");
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Status status;
    MPI_Wait(&requests[1], &status);
    int arrived = 0;
    MPI_Get_count(&status, MPI_INT, &arrived);
    test.require(arrived == 4, "the program's status does not tell what arrived");
    expect(a, "Start", 0, m);
    expect(a, "Start", m, 0);
    expect(a, "Wait");
    expect(a, "Wait");
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);  // inactive: returns at once, and no bytes arrive again
    expect(a, "Wait");
    for (MPI_Request& request : requests) MPI_Request_free(&request), expect(a, "Request_free");
  }

  // One call that starts requests on two communicators counts on both.
  void on_two_communicators() {
    std::vector<MPI_Request> requests(4);
    MPI_Ssend_init(out, 1, MPI_INT, next, 2, a.handle, &requests[0]);
    MPI_Recv_init(in, 1, MPI_INT, previous, 2, a.handle, &requests[1]);
    MPI_Send_init(out, 5, MPI_INT, next, 3, b.handle, &requests[2]);
    MPI_Recv_init(in + 1, 5, MPI_INT, previous, 3, b.handle, &requests[3]);
    expect(a, "Ssend_init"), expect(a, "Recv_init"), expect(b, "Send_init"), expect(b, "Recv_init");
    MPI_Startall(4, requests.data());
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
    expect(a, "Startall", bytes(1, MPI_INT), bytes(1, MPI_INT));
    expect(b, "Startall", bytes(5, MPI_INT), bytes(5, MPI_INT));
    expect(a, "Waitall"), expect(b, "Waitall");
    for (int i = 0; i < 4; ++i)
      MPI_Request_free(&requests[static_cast<std::size_t>(i)]), expect(i < 2 ? a : b, "Request_free");
  }

  // A buffered send is complete before anybody receives. Started again at once, it has another handle in Open MPI.
  void started_again_at_once() {
    constexpr int count = 20'000, times = 3;
    std::vector<char> buffer(times * (count + MPI_BSEND_OVERHEAD)), data(count);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    MPI_Request request;
    MPI_Bsend_init(data.data(), count, MPI_CHAR, next, 5, a.handle, &request);
    expect(a, "Bsend_init");
    for (int i = 0; i < times; ++i) {
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(a, "Start", count);
      expect(a, "Wait");
    }
    for (int i = 0; i < times; ++i) {
      MPI_Recv(data.data(), count, MPI_CHAR, previous, 5, a.handle, MPI_STATUS_IGNORE);
      expect(a, "Recv", 0, count);
    }
    MPI_Request_free(&request);
    expect(a, "Request_free");
    void* detached;
    int size;
    MPI_Buffer_detach(static_cast<void*>(&detached), &size);
    test.expect("SELF", "Buffer_detach", {1, 0, 0});
  }

  void to_nobody() {
    MPI_Request request;
    MPI_Send_init(out, 5, MPI_INT, MPI_PROC_NULL, 2, a.handle, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    for (char const* const op : {"Send_init", "Start", "Wait", "Request_free"}) expect(a, op);
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm handles[2];
  for (MPI_Comm& handle : handles) MPI_Comm_dup(MPI_COMM_WORLD, &handle), test.expect("W", "Comm_dup", {1, 0, 0});
  NamedComm const a(handles[0], "W_d1"), b(handles[1], "W_d2");
  Program program{test, a, b, (test.rank + 1) % test.ranks, (test.rank + test.ranks - 1) % test.ranks};
  program.point_to_point();
  program.on_two_communicators();
  program.started_again_at_once();
  program.to_nobody();
  return test.finish();
}
