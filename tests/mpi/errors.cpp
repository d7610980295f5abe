// A program that gets errors returned and goes on. Each failed call counts without bytes; other calls count as usual.
//
// With the argument FILE it writes to FILE.RANK what each call returns, the contents of statuses, and the calls of its
// error handler: a run without the profiler must write the same (alike_unprofiled).
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

int handler_calls = 0;
int handler_code = MPI_SUCCESS;

std::string told;

void handle(MPI_Comm*, int* code, ...) {
  ++handler_calls;
  handler_code = *code;
}

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

class Program {
 public:
  Program(ProfileTest& profile_test, NamedComm comm)
      : test_(profile_test), comm_(std::move(comm)), out_(100), in_(100) {}

  // The message is longer than the buffer.
  void truncated() {
    for (bool const with_status : {true, false}) {
      MPI_Status status;
      MPI_Status* const where = with_status ? &status : MPI_STATUS_IGNORE;
      int flag = 0, index = -1;

      send_and_await({10});
      tell("Recv", MPI_Recv(in_.data(), 5, MPI_INT, comm_.left(), first_tag, comm_.handle, where));
      count("Recv");
      wait_for_sends();

      send_and_await({10});
      MPI_Request request = receive(0, 5);
      tell("Wait", MPI_Wait(&request, where));
      tell_number("request is null", request == MPI_REQUEST_NULL ? 1 : 0);
      count("Wait");
      wait_for_sends();

      send_and_await({10});
      request = receive(0, 5);
      tell("Test", until_found("Test", [&] { return std::pair(MPI_Test(&request, &flag, where), flag); }));
      wait_for_sends();

      send_and_await({10});
      MPI_Request two[] = {MPI_REQUEST_NULL, receive(0, 5)};
      tell("Waitany", MPI_Waitany(2, two, &index, where));
      tell_number("index", index);
      count("Waitany");
      wait_for_sends();

      send_and_await({10});
      two[1] = receive(0, 5);
      tell("Testany",
           until_found("Testany", [&] { return std::pair(MPI_Testany(2, two, &index, &flag, where), flag); }));
      tell_number("index", index);
      wait_for_sends();

      send_and_await({10});
      MPI_Message message;
      MPI_Mprobe(comm_.left(), first_tag, comm_.handle, &message, MPI_STATUS_IGNORE);
      count("Mprobe");
      tell("Mrecv", MPI_Mrecv(in_.data(), 5, MPI_INT, &message, where));
      count("Mrecv");
      wait_for_sends();

      tell("Sendrecv", MPI_Sendrecv(out_.data(), 10, MPI_INT, comm_.right(), first_tag, in_.data(), 5, MPI_INT,
                                    comm_.left(), first_tag, comm_.handle, where));
      count("Sendrecv");
    }
  }

  // The middle one of three receives is truncated; the bytes of the others count.
  void truncated_among_others() {
    for (bool const with_statuses : {true, false}) {
      MPI_Status statuses[3];
      MPI_Status* const where = with_statuses ? statuses : MPI_STATUSES_IGNORE;
      int indices[3], outcount = 0, flag = 0;
      std::vector<MPI_Request> requests;
      auto const post = [&] {
        send_and_await({7, 10, 8});
        requests = {receive(0, 7, true), receive(1, 5), receive(2, 8, true)};
      };
      auto const tell_all = [&](char const* what, int code, int number) {
        tell(with_statuses ? what : std::string(what) + ", statuses ignored", code);
        for (int i = 0; with_statuses && class_of(code) == MPI_ERR_IN_STATUS && i < number; ++i)
          tell("status", statuses[i].MPI_ERROR);
      };

      post();
      int code = MPI_Waitall(3, requests.data(), where);
      count("Waitall");
      tell_all("Waitall", code, 3);
      wait_for_the_rest(requests);

      post();
      code = until_found("Testall", [&] { return std::pair(MPI_Testall(3, requests.data(), &flag, where), flag); });
      tell_all("Testall", code, 3);
      wait_for_the_rest(requests);

      post();
      code = MPI_Waitsome(3, requests.data(), &outcount, indices, where);
      count("Waitsome");
      tell_number("outcount", outcount);
      tell_all("Waitsome", code, outcount);
      wait_for_the_rest(requests);

      post();
      code = until_found(
          "Testsome", [&] { return std::pair(MPI_Testsome(3, requests.data(), &outcount, indices, where), outcount); });
      tell_number("outcount", outcount);
      tell_all("Testsome", code, outcount);
      wait_for_the_rest(requests);
    }
  }

  // The middle receive is truncated and the last message not even sent: an MPI may return at once, and complete the
  // others.
  void truncated_before_others() {
    for (bool const with_statuses : {true, false}) {
      MPI_Status statuses[3];
      MPI_Status* const where = with_statuses ? statuses : MPI_STATUSES_IGNORE;
      send_and_await({7, 10});
      MPI_Request requests[] = {receive(0, 7, true), receive(1, 5), receive(2, 8, true)};
      int flag = 0, left = 0;
      int const code = MPI_Testall(3, requests, &flag, where);
      count(code == MPI_SUCCESS && flag == 0 ? "Testall-none" : "Testall");
      tell("Testall, one missing", code);
      MPI_Barrier(comm_.handle);
      count("Barrier");

      send(8, first_tag + 2);
      for (MPI_Request const request : requests) left += request != MPI_REQUEST_NULL ? 1 : 0;
      tell_number("left over", left);
      tell("Testall", until_found("Testall", [&] { return std::pair(MPI_Testall(3, requests, &flag, where), flag); }));
      // MPICH 4.2.1 sometimes does not complete the last one, which has arrived since.
      for (MPI_Request& request : requests) {
        if (request == MPI_REQUEST_NULL) continue;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        count("Wait");
      }
      wait_for_sends();
    }
  }

  // Calls that fail at once, on all processes alike.
  void refused() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    int const nowhere = comm_.size + 5;
    tell("Send, rank", MPI_Send(out_.data(), 1, MPI_INT, nowhere, first_tag, comm_.handle));
    tell("Send, count", MPI_Send(out_.data(), -1, MPI_INT, 0, first_tag, comm_.handle));
    tell("Send, type", MPI_Send(out_.data(), 1, MPI_DATATYPE_NULL, 0, first_tag, comm_.handle));
    tell("Send, tag", MPI_Send(out_.data(), 1, MPI_INT, 0, -100, comm_.handle));
    test_.expect(comm_.name, "Send", {4, 0, 0});
    tell("Isend", MPI_Isend(out_.data(), 1, MPI_INT, nowhere, first_tag, comm_.handle, &request));
    count("Isend");
    tell("Recv", MPI_Recv(in_.data(), 1, MPI_INT, nowhere, first_tag, comm_.handle, MPI_STATUS_IGNORE));
    count("Recv");
    tell("Irecv", MPI_Irecv(in_.data(), 1, MPI_INT, nowhere, first_tag, comm_.handle, &request));
    count("Irecv");
    tell("Probe", MPI_Probe(nowhere, first_tag, comm_.handle, MPI_STATUS_IGNORE));
    count("Probe");
    tell("Sendrecv", MPI_Sendrecv(out_.data(), 1, MPI_INT, nowhere, first_tag, in_.data(), 1, MPI_INT, 0, first_tag,
                                  comm_.handle, MPI_STATUS_IGNORE));
    count("Sendrecv");
    tell("Bcast, root", MPI_Bcast(out_.data(), 1, MPI_INT, nowhere, comm_.handle));
    tell("Bcast, count", MPI_Bcast(out_.data(), -1, MPI_INT, 0, comm_.handle));
    test_.expect(comm_.name, "Bcast", {2, 0, 0});
    tell("Ibcast", MPI_Ibcast(out_.data(), 1, MPI_INT, nowhere, comm_.handle, &request));
    count("Ibcast");
    tell("Allreduce", MPI_Allreduce(out_.data(), in_.data(), 1, MPI_INT, MPI_OP_NULL, comm_.handle));
    count("Allreduce");
    tell("Gather", MPI_Gather(out_.data(), 1, MPI_DATATYPE_NULL, in_.data(), 1, MPI_INT, 0, comm_.handle));
    count("Gather");
    int const dims[] = {comm_.size + 1}, periods[] = {0};
    tell("Cart_create", MPI_Cart_create(comm_.handle, 1, dims, periods, 0, &comm));
    count("Cart_create");
  }

 private:
  static constexpr int first_tag = 30;

  void count(char const* op) { test_.expect(comm_.name, op, {1, 0, 0}); }

  void tell_number(std::string const& what, int number) {
    told += comm_.name + ": " + what + ": " + std::to_string(number) + "\n";
  }
  void tell(std::string const& what, int code) {
    tell_number(what, class_of(code));
    tell_number("handler calls", handler_calls);
    tell_number("the last one's code", class_of(handler_code));
  }

  // Polls until the call finds something or fails.
  template <class Poll>
  int until_found(std::string const& op, Poll const& poll) {
    for (;;) {
      auto const [code, found] = poll();
      bool const ends = code != MPI_SUCCESS || found != 0;
      count((ends ? op : op + "-none").c_str());
      if (ends) return code;
    }
  }

  void send(int size, int tag) {
    MPI_Isend(out_.data(), size, MPI_INT, comm_.right(), tag, comm_.handle, &sends_.emplace_back());
    test_.expect(comm_.name, "Isend", {1, bytes(size, MPI_INT), 0});
  }
  // Sends a message of each size; all have arrived when this returns, so results of completions do not depend on
  // timing.
  void send_and_await(std::vector<int> const& sizes) {
    int tag = first_tag;
    for (int const size : sizes) send(size, tag++);
    while (tag-- > first_tag) {
      MPI_Probe(comm_.left(), tag, comm_.handle, MPI_STATUS_IGNORE);
      count("Probe");
    }
  }
  // Receives one of these messages: all of it or, if truncated, no bytes that count.
  MPI_Request receive(int which, int room, bool succeeds = false) {
    MPI_Request request;
    MPI_Irecv(in_.data() + 10 * which, room, MPI_INT, comm_.left(), first_tag + which, comm_.handle, &request);
    test_.expect(comm_.name, "Irecv", {1, 0, succeeds ? bytes(room, MPI_INT) : 0});
    return request;
  }
  void wait_for_sends() {
    for (MPI_Request& request : sends_) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      count("Wait");
    }
    sends_.clear();
  }
  // An MPI may leave requests after the failed one incomplete.
  void wait_for_the_rest(std::vector<MPI_Request>& requests) {
    for (MPI_Request& request : requests) {
      tell_number("left over", request == MPI_REQUEST_NULL ? 0 : 1);
      if (request == MPI_REQUEST_NULL) continue;
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      count("Wait");
    }
    wait_for_sends();
  }

  ProfileTest& test_;
  NamedComm comm_;
  std::vector<int> out_, in_;
  std::vector<MPI_Request> sends_;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm returning, handling;
  MPI_Comm_dup(MPI_COMM_WORLD, &returning);
  MPI_Comm_dup(MPI_COMM_WORLD, &handling);
  test.expect("W", "Comm_dup", {2, 0, 0});
  auto const run = [&](NamedComm const& comm, MPI_Errhandler with) {
    MPI_Comm_set_errhandler(comm.handle, with);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, with);  // where MPICH raises errors of some completions
    Program program(test, comm);
    program.truncated();
    program.truncated_among_others();
    program.truncated_before_others();
    program.refused();
  };
  run({returning, "W_d1"}, MPI_ERRORS_RETURN);
  run({handling, "W_d2"}, handler);
  MPI_Errhandler_free(&handler);
  if (argc > 1) std::ofstream(argv[1] + ("." + std::to_string(test.rank))) << told;
  return test.finish();
}
