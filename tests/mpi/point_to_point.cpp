// Point-to-point calls on a ring: sent bytes count at the send, bytes that actually arrive at the receive.
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

using SendCall = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm);
using IssueCall = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

class Program {
 public:
  Program(ProfileTest& profile_test, NamedComm comm) : test_(profile_test), comm_(std::move(comm)) {}

  // A blocking send to the right, received by a request that has room for more.
  void send(char const* op, SendCall call, int count) {
    MPI_Request receive = post_receive(2 * count + 1);
    synchronise();  // the receive that MPI_Rsend needs is posted
    call(out_.data(), count, MPI_INT, comm_.right(), tag, comm_.handle);
    wait_for_receive(receive, count);
    expect(op, count, 0);
  }

  void issue(char const* op, IssueCall call, int count) {
    MPI_Request receive = post_receive(count);
    MPI_Request request;
    synchronise();
    call(out_.data(), count, MPI_INT, comm_.right(), tag, comm_.handle, &request);
    wait_for_receive(receive, count);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(op, count, 0);
    expect("Wait", 0, 0);
  }

  // Receives into a buffer larger than the message, with the program's own status and without one.
  void receive(int count, int room) {
    for (bool const with_status : {true, false}) {
      MPI_Request request;
      MPI_Isend(out_.data(), count, MPI_INT, comm_.right(), tag, comm_.handle, &request);
      MPI_Status status = fresh_status();
      MPI_Recv(in_.data(), room, MPI_INT, comm_.left(), tag, comm_.handle, with_status ? &status : MPI_STATUS_IGNORE);
      if (with_status) check(status, comm_.left(), count);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect("Isend", count, 0);
      expect("Recv", 0, count);
      expect("Wait", 0, 0);
    }
  }

  // Process i sends i + 1 elements to process 0, which takes them as they come.
  void receive_from_any() {
    synchronise();
    MPI_Request request;
    int const mine = comm_.rank + 1;
    MPI_Isend(out_.data(), mine, MPI_INT, 0, tag, comm_.handle, &request);
    expect("Isend", mine, 0);
    if (comm_.rank == 0) {
      for (int i = 0; i < comm_.size; ++i) {
        MPI_Status status = fresh_status();
        MPI_Recv(in_.data(), comm_.size, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_.handle, &status);
        check(status, status.MPI_SOURCE, status.MPI_SOURCE + 1);
      }
      test_.expect(comm_.name, "Recv", {number(comm_.size), 0, bytes(comm_.size * (comm_.size + 1) / 2, MPI_INT)});
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("Wait", 0, 0);
    synchronise();
  }

  // Process i sends i + 1 elements to the right, so a process receives another number of bytes than it sends.
  void send_and_receive() {
    int const to_right = comm_.rank + 1, from_left = comm_.left() + 1;
    for (bool const with_status : {true, false}) {
      MPI_Status status = fresh_status();
      MPI_Sendrecv(out_.data(), to_right, MPI_INT, comm_.right(), tag, in_.data(), comm_.size + 5, MPI_INT,
                   comm_.left(), tag, comm_.handle, with_status ? &status : MPI_STATUS_IGNORE);
      if (with_status) check(status, comm_.left(), from_left);
      expect("Sendrecv", to_right, from_left);

      status = fresh_status();
      MPI_Sendrecv_replace(out_.data(), 40, MPI_INT, comm_.right(), tag, comm_.left(), tag, comm_.handle,
                           with_status ? &status : MPI_STATUS_IGNORE);
      if (with_status) check(status, comm_.left(), 40);
      expect("Sendrecv_replace", 40, 40);
    }
  }

  // Shifts along a line, whose ends have MPI_PROC_NULL as neighbour.
  void shift_off_the_edge() {
    bool const is_first = comm_.rank == 0, is_last = comm_.rank == comm_.size - 1;
    int const to = is_last ? MPI_PROC_NULL : comm_.right(), from = is_first ? MPI_PROC_NULL : comm_.left();
    MPI_Sendrecv(out_.data(), 7, MPI_INT, to, tag, in_.data(), 7, MPI_INT, from, tag, comm_.handle, MPI_STATUS_IGNORE);
    expect("Sendrecv", is_last ? 0 : 7, is_first ? 0 : 7);
    MPI_Sendrecv_replace(out_.data(), 9, MPI_INT, to, tag, from, tag, comm_.handle, MPI_STATUS_IGNORE);
    expect("Sendrecv_replace", is_last ? 0 : 9, is_first ? 0 : 9);
  }

  // Calls with MPI_PROC_NULL count, but move nothing.
  void talk_to_nobody() {
    for (auto const& [op, call] : blocking_modes) {
      call(out_.data(), 100, MPI_INT, MPI_PROC_NULL, tag, comm_.handle);
      expect(op, 0, 0);
    }
    for (auto const& [op, call] : nonblocking_modes) {
      MPI_Request request;
      call(out_.data(), 100, MPI_INT, MPI_PROC_NULL, tag, comm_.handle, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(op, 0, 0);
      expect("Wait", 0, 0);
    }
    // Posts as many receives, so that sends and receives balance.
    MPI_Status status = fresh_status();
    for (int i = 0; i < 4; ++i) {
      MPI_Recv(in_.data(), 100, MPI_INT, MPI_PROC_NULL, tag, comm_.handle, &status);
      check_nobody(status);
      expect("Recv", 0, 0);
      MPI_Request request;
      MPI_Irecv(in_.data(), 100, MPI_INT, MPI_PROC_NULL, tag, comm_.handle, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);  // MPICH 4.0.2 gives this status a source
      expect("Irecv", 0, 0);
      expect("Wait", 0, 0);
    }
    MPI_Probe(MPI_PROC_NULL, tag, comm_.handle, &status);
    check_nobody(status);
    expect("Probe", 0, 0);
    int flag = 0;
    MPI_Iprobe(MPI_PROC_NULL, tag, comm_.handle, &flag, MPI_STATUS_IGNORE);
    test_.require(flag != 0, "MPI_Iprobe finds no MPI_PROC_NULL");
    expect("Iprobe", 0, 0);
  }

  void probe() {
    int flag = 1;
    MPI_Iprobe(comm_.left(), tag_of_nothing, comm_.handle, &flag, MPI_STATUS_IGNORE);
    test_.require(flag == 0, "MPI_Iprobe finds a message that nobody sent");
    expect("Iprobe-none", 0, 0);

    MPI_Request request;
    MPI_Isend(out_.data(), 13, MPI_INT, comm_.right(), tag, comm_.handle, &request);
    expect("Isend", 13, 0);
    MPI_Status status = fresh_status();
    MPI_Probe(comm_.left(), tag, comm_.handle, &status);
    check(status, comm_.left(), 13);
    expect("Probe", 0, 0);
    // A message that MPI_Probe has found can be found again.
    status = fresh_status();
    MPI_Iprobe(comm_.left(), tag, comm_.handle, &flag, &status);
    test_.require(flag != 0, "MPI_Iprobe does not find what MPI_Probe found");
    check(status, comm_.left(), 13);
    expect("Iprobe", 0, 0);
    MPI_Recv(in_.data(), 50, MPI_INT, comm_.left(), tag, comm_.handle, MPI_STATUS_IGNORE);
    expect("Recv", 0, 13);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect("Wait", 0, 0);
  }

  void run() {
    for (int const count : {0, 1, 5000}) {
      for (auto const& [op, call] : blocking_modes) send(op, call, count);
      for (auto const& [op, call] : nonblocking_modes) issue(op, call, count);
      receive(count, count);
      receive(count, 2 * count + 1);
    }
    receive_from_any();
    send_and_receive();
    shift_off_the_edge();
    talk_to_nobody();
    probe();
  }

 private:
  static constexpr int tag = 17;
  static constexpr int tag_of_nothing = 18;
  static constexpr int error_before = 4711;

  struct BlockingMode {
    char const* op;
    SendCall call;
  };
  struct NonblockingMode {
    char const* op;
    IssueCall call;
  };
  std::vector<BlockingMode> const blocking_modes{
      {"Send", MPI_Send}, {"Bsend", MPI_Bsend}, {"Ssend", MPI_Ssend}, {"Rsend", MPI_Rsend}};
  std::vector<NonblockingMode> const nonblocking_modes{
      {"Isend", MPI_Isend}, {"Ibsend", MPI_Ibsend}, {"Issend", MPI_Issend}, {"Irsend", MPI_Irsend}};

  static std::uint64_t number(int n) { return static_cast<std::uint64_t>(n); }

  void expect(char const* op, int sent, int received) {
    test_.expect(comm_.name, op, {1, bytes(sent, MPI_INT), bytes(received, MPI_INT)});
  }

  void synchronise() {
    MPI_Barrier(comm_.handle);
    expect("Barrier", 0, 0);
  }

  MPI_Request post_receive(int room) {
    MPI_Request request;
    MPI_Irecv(in_.data(), room, MPI_INT, comm_.left(), tag, comm_.handle, &request);
    return request;
  }

  void wait_for_receive(MPI_Request& request, int count) {
    MPI_Status status = fresh_status();
    MPI_Wait(&request, &status);
    check(status, comm_.left(), count);
    expect("Irecv", 0, count);
    expect("Wait", 0, 0);
  }

  static MPI_Status fresh_status() {
    MPI_Status status{};
    status.MPI_ERROR = error_before;
    return status;
  }

  // The program's own status has the values that it has without the profiler. A call with one status does not change
  // its MPI_ERROR (MPI-4.0 §3.2.5), though MPICH 4.0.2 sometimes clears it.
  void check(MPI_Status const& status, int source, int count) {
    int found = -1;
    MPI_Get_count(&status, MPI_INT, &found);
    test_.require(status.MPI_SOURCE == source, "a status has the wrong source");
    test_.require(status.MPI_TAG == tag, "a status has the wrong tag");
    test_.require(found == count, "a status has the wrong count");
    test_.require(status.MPI_ERROR == error_before || status.MPI_ERROR == MPI_SUCCESS, "a status has an error");
  }
  void check_nobody(MPI_Status const& status) {
    int found = -1;
    MPI_Get_count(&status, MPI_INT, &found);
    test_.require(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG && found == 0,
                  "a status of MPI_PROC_NULL is wrong");
  }

  ProfileTest& test_;
  NamedComm comm_;
  std::vector<int> out_ = std::vector<int>(5000), in_ = std::vector<int>(10001);
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  std::vector<char> buffer(1 << 20);
  MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));

  MPI_Comm reversed;  // ranks differ from those in the world
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});

  Program(test, {MPI_COMM_WORLD, "W"}).run();
  Program(test, {reversed, "W_s1.0"}).run();
  Program(test, {MPI_COMM_SELF, "SELF"}).run();

  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(&detached, &size);
  test.expect("SELF", "Buffer_detach", {1, 0, 0});
  test.expect_conservation();
  return test.finish();
}
