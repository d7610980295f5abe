// MPI_Pcontrol: while paused, calls are not counted, but communicators and requests are tracked, so that later calls
// count under the right name.
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int tag = 1;
constexpr int size = 10;

struct Program {
  ProfileTest& test;
  NamedComm comm;
  std::vector<int> out, in;

  Program(ProfileTest& profile_test, NamedComm where)
      : test(profile_test), comm(std::move(where)), out(size), in(size) {}

  void count(char const* op, int sent = 0, int received = 0) {
    test.expect(comm.name, op, {1, bytes(sent, MPI_INT), bytes(received, MPI_INT)});
  }
  MPI_Request receive() {
    MPI_Request request;
    MPI_Irecv(in.data(), size, MPI_INT, comm.left(), tag, comm.handle, &request);
    return request;
  }
  MPI_Request send() {
    MPI_Request request;
    MPI_Isend(out.data(), size, MPI_INT, comm.right(), tag, comm.handle, &request);
    return request;
  }

  void completed_while_paused() {
    MPI_Request receiving = receive(), sending = send();
    count("Irecv", 0, size);
    count("Isend", size);
    MPI_Pcontrol(0);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
  }

  void issued_while_paused() {
    MPI_Pcontrol(0);
    MPI_Request receiving = receive(), sending = send();
    MPI_Pcontrol(1);
    MPI_Wait(&receiving, MPI_STATUS_IGNORE);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    test.expect(comm.name, "Wait", {2, 0, 0});
  }

  void matched_while_paused() {
    MPI_Message message;
    MPI_Pcontrol(0);
    MPI_Request sending = send();
    MPI_Mprobe(comm.left(), tag, comm.handle, &message, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    MPI_Mrecv(in.data(), size, MPI_INT, &message, MPI_STATUS_IGNORE);
    count("Mrecv", 0, size);
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
    count("Wait");
  }

  void nothing_while_paused() {
    MPI_Pcontrol(0);
    MPI_Pcontrol(0);
    MPI_Sendrecv(out.data(), size, MPI_INT, comm.right(), tag, in.data(), size, MPI_INT, comm.left(), tag, comm.handle,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(comm.handle);
    int flag = 0;
    MPI_Iprobe(comm.left(), tag, comm.handle, &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
    MPI_Pcontrol(1);
    MPI_Pcontrol(1);
  }

  // Levels without a meaning for the profiler change nothing, and no level reads a missing argument.
  void other_levels() {
    for (int const level : {1, 3, -1, 4711}) MPI_Pcontrol(level);
    MPI_Barrier(comm.handle);
    count("Barrier");
  }
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm reversed, paused, freed, named;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  test.expect("W", "Comm_split", {1, 0, 0});
  Program program(test, {reversed, "W_s1.0"});
  program.completed_while_paused();
  program.issued_while_paused();
  program.matched_while_paused();
  program.nothing_while_paused();
  program.other_levels();

  // A communicator created while paused has its place in the order of names, and its row.
  MPI_Pcontrol(0);
  MPI_Comm_dup(MPI_COMM_WORLD, &paused);
  MPI_Comm_dup(MPI_COMM_WORLD, &freed);
  MPI_Comm_set_name(paused, "made in a pause");
  MPI_Comm_free(&freed);
  MPI_Pcontrol(1);
  MPI_Barrier(paused);
  test.expect("W_d2", "Barrier", {1, 0, 0});
  test.expect_communicator("W_d2", {{"user_name", "made in a pause"}, {"created_by", "Comm_dup"}, {"freed", "0"}});
  test.expect_communicator("W_d3", {{"created_by", "Comm_dup"}, {"freed", "1"}});
  MPI_Comm_dup(MPI_COMM_WORLD, &named);
  test.expect("W", "Comm_dup", {1, 0, 0});
  MPI_Barrier(named);
  test.expect("W_d4", "Barrier", {1, 0, 0});

  MPI_Pcontrol(0);  // a program may end in a pause
  MPI_Barrier(MPI_COMM_WORLD);
  return test.finish();
}
