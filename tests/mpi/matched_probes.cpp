// Matched probes: the receive of a message counts on the communicator on which the message was matched, which the
// receiving call itself does not name.
#include <utility>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int tag = 3;
constexpr int tag_of_nothing = 4;

struct Program {
  ProfileTest& test;
  NamedComm first, second;
  std::vector<int> out, in;
  std::vector<MPI_Request> sends;

  Program(ProfileTest& profile_test, NamedComm one, NamedComm other)
      : test(profile_test), first(std::move(one)), second(std::move(other)), out(100), in(200) {}

  void send(NamedComm const& comm, int count) {
    MPI_Isend(out.data(), count, MPI_INT, comm.right(), tag, comm.handle, &sends.emplace_back());
    expect(comm, "Isend", count, 0);
  }
  void wait_for_sends(NamedComm const& comm) {
    for (MPI_Request& request : sends) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      expect(comm, "Wait", 0, 0);
    }
    sends.clear();
  }
  void expect(NamedComm const& comm, char const* op, int sent, int received) {
    test.expect(comm.name, op, {1, bytes(sent, MPI_INT), bytes(received, MPI_INT)});
  }
  void check(MPI_Status const& status, int source, int count) {
    int found = -1;
    MPI_Get_count(&status, MPI_INT, &found);
    test.require(status.MPI_SOURCE == source && status.MPI_TAG == tag && found == count, "a status is wrong");
  }

  MPI_Message match(NamedComm const& comm, int count) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Mprobe(comm.left(), tag, comm.handle, &message, &status);
    check(status, comm.left(), count);
    expect(comm, "Mprobe", 0, 0);
    return message;
  }

  // The buffer is larger than the message; with the program's status and without.
  void receive_at_once(NamedComm const& comm) {
    for (bool const with_status : {true, false}) {
      send(comm, 20);
      MPI_Message message = match(comm, 20);
      MPI_Status status;
      MPI_Mrecv(in.data(), 200, MPI_INT, &message, with_status ? &status : MPI_STATUS_IGNORE);
      if (with_status) check(status, comm.left(), 20);
      test.require(message == MPI_MESSAGE_NULL, "MPI_Mrecv leaves a message");
      expect(comm, "Mrecv", 0, 20);
      wait_for_sends(comm);
    }
  }

  void receive_later(NamedComm const& comm) {
    send(comm, 30);
    MPI_Message message = match(comm, 30);
    MPI_Request request;
    MPI_Imrecv(in.data(), 200, MPI_INT, &message, &request);
    MPI_Status status;
    MPI_Wait(&request, &status);
    check(status, comm.left(), 30);
    expect(comm, "Imrecv", 0, 30);
    expect(comm, "Wait", 0, 0);
    wait_for_sends(comm);
  }

  void poll(NamedComm const& comm) {
    int flag = 1;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Improbe(comm.left(), tag_of_nothing, comm.handle, &flag, &message, MPI_STATUS_IGNORE);
    test.require(flag == 0, "MPI_Improbe finds a message that nobody sent");
    expect(comm, "Improbe-none", 0, 0);

    send(comm, 40);
    MPI_Probe(comm.left(), tag, comm.handle, MPI_STATUS_IGNORE);  // from here on the message has arrived
    expect(comm, "Probe", 0, 0);
    MPI_Status status;
    MPI_Improbe(comm.left(), tag, comm.handle, &flag, &message, &status);
    test.require(flag != 0, "MPI_Improbe does not find what MPI_Probe found");
    check(status, comm.left(), 40);
    expect(comm, "Improbe", 0, 0);
    MPI_Mrecv(in.data(), 40, MPI_INT, &message, MPI_STATUS_IGNORE);
    expect(comm, "Mrecv", 0, 40);
    wait_for_sends(comm);
  }

  // Matches messages of two communicators before it receives either, then receives them in the other order, from
  // variables that they were not matched into.
  void receive_in_another_order() {
    send(first, 50);
    MPI_Message const first_message = match(first, 50);
    std::vector<MPI_Request> const sends_on_first = std::exchange(sends, {});
    send(second, 60);
    MPI_Message const second_message = match(second, 60);
    std::vector<MPI_Message> copies{second_message, first_message};
    MPI_Mrecv(in.data(), 200, MPI_INT, &copies[0], MPI_STATUS_IGNORE);
    MPI_Mrecv(in.data(), 200, MPI_INT, &copies[1], MPI_STATUS_IGNORE);
    expect(first, "Mrecv", 0, 50);
    expect(second, "Mrecv", 0, 60);
    wait_for_sends(second);
    sends = sends_on_first;
    wait_for_sends(first);
  }

  // Messages from MPI_PROC_NULL are all MPI_MESSAGE_NO_PROC, whatever their communicator.
  void match_nobody() {
    MPI_Message of_first = MPI_MESSAGE_NULL, of_second = MPI_MESSAGE_NULL;
    int flag = 0;
    MPI_Mprobe(MPI_PROC_NULL, tag, first.handle, &of_first, MPI_STATUS_IGNORE);
    MPI_Improbe(MPI_PROC_NULL, tag, second.handle, &flag, &of_second, MPI_STATUS_IGNORE);
    test.require(flag != 0 && of_first == MPI_MESSAGE_NO_PROC && of_second == MPI_MESSAGE_NO_PROC,
                 "a probe of MPI_PROC_NULL gives no MPI_MESSAGE_NO_PROC");
    expect(first, "Mprobe", 0, 0);
    expect(second, "Improbe", 0, 0);

    MPI_Status status;
    MPI_Request request;
    MPI_Imrecv(in.data(), 200, MPI_INT, &of_second, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(second, "Imrecv", 0, 0);
    expect(second, "Wait", 0, 0);
    MPI_Mrecv(in.data(), 200, MPI_INT, &of_first, &status);
    test.require(status.MPI_SOURCE == MPI_PROC_NULL, "MPI_Mrecv of nobody has a source");
    expect(first, "Mrecv", 0, 0);
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm reversed;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});

  Program program(test, {MPI_COMM_WORLD, "W"}, {reversed, "W_s1.0"});
  for (NamedComm const& comm : {program.first, program.second, NamedComm(MPI_COMM_SELF, "SELF")}) {
    program.receive_at_once(comm);
    program.receive_later(comm);
    program.poll(comm);
  }
  program.receive_in_another_order();
  program.match_nobody();
  return test.finish();
}
