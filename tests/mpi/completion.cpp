// The Wait and Test family: each call counts once on each communicator whose requests it covers, even if it does not
// complete them; without any request, it counts on MPI_COMM_SELF.
#include <vector>

#include "profile_test.hpp"

using profile_test::bytes;
using profile_test::NamedComm;
using profile_test::ProfileTest;

namespace {

constexpr int tag = 21;

class Program {
 public:
  Program(ProfileTest& profile_test, NamedComm one, NamedComm other)
      : test_(profile_test), a_(std::move(one)), b_(std::move(other)) {}

  void without_requests() {
    MPI_Status status, statuses[3];
    MPI_Request null = MPI_REQUEST_NULL, nulls[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, index = 0, outcount = 0, indices[3];

    MPI_Wait(&null, &status);
    test_.require(status.MPI_SOURCE == MPI_ANY_SOURCE, "MPI_Wait of no request gives no empty status");
    count("SELF", "Wait");
    MPI_Test(&null, &flag, MPI_STATUS_IGNORE);
    count("SELF", "Test");
    MPI_Request_get_status(null, &flag, MPI_STATUS_IGNORE);
    count("SELF", "Request_get_status");

    MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, nulls, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, nulls, statuses);
    test_.expect("SELF", "Waitall", {3, 0, 0});
    MPI_Testall(0, nullptr, &flag, MPI_STATUSES_IGNORE);
    MPI_Testall(3, nulls, &flag, statuses);
    test_.require(flag != 0, "MPI_Testall of no requests is false");
    test_.expect("SELF", "Testall", {2, 0, 0});

    MPI_Waitany(3, nulls, &index, &status);
    test_.require(index == MPI_UNDEFINED, "MPI_Waitany of no requests has an index");
    count("SELF", "Waitany");
    MPI_Testany(3, nulls, &index, &flag, MPI_STATUS_IGNORE);
    test_.require(flag != 0 && index == MPI_UNDEFINED, "MPI_Testany of no requests has an index");
    count("SELF", "Testany");
    MPI_Waitsome(3, nulls, &outcount, indices, statuses);
    test_.require(outcount == MPI_UNDEFINED, "MPI_Waitsome of no requests has an outcome");
    count("SELF", "Waitsome");
    MPI_Testsome(3, nulls, &outcount, indices, MPI_STATUSES_IGNORE);
    test_.require(outcount == MPI_UNDEFINED, "MPI_Testsome of no requests has an outcome");
    count("SELF", "Testsome");
  }

  // There is a receive on each communicator and nothing has been sent: the polling calls find nothing. Calls for any or
  // some requests count on the communicator of the first one.
  void find_nothing() {
    std::vector<MPI_Request> requests{receive(a_), MPI_REQUEST_NULL, receive(b_)};
    int flag = 1, index = 0, outcount = 1, indices[3];

    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    test_.require(flag == 0, "MPI_Test is true without a message");
    count(a_, "Test-none");
    MPI_Request_get_status(requests[2], &flag, MPI_STATUS_IGNORE);
    test_.require(flag == 0, "MPI_Request_get_status is true without a message");
    count(b_, "Request_get_status-none");
    MPI_Testall(3, requests.data(), &flag, MPI_STATUSES_IGNORE);
    count_both("Testall-none");
    MPI_Testany(3, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    count(a_, "Testany-none");
    MPI_Testsome(3, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
    test_.require(outcount == 0, "MPI_Testsome finds something without a message");
    count(a_, "Testsome-none");

    finish(requests);
  }

  // Only the message of one communicator has arrived. Calls on any or some requests count there; those on all count on
  // the other communicator, too.
  void find_one() {
    std::vector<MPI_Request> requests;
    MPI_Status status, statuses[3];
    int flag = 0, index = -1, outcount = 0, indices[3];
    auto const post = [&] {
      requests = {receive(a_), MPI_REQUEST_NULL, receive(b_)};
      synchronise();
      send(b_);
    };
    auto const check_and_finish = [&](bool has_found) {
      test_.require(has_found, "a completion has the wrong outcome");
      test_.require(requests[2] == MPI_REQUEST_NULL, "a completed request is not null");
      synchronise();  // until then no message may arrive on the first communicator
      send(a_);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
      count(a_, "Wait");
    };

    post();
    MPI_Waitany(3, requests.data(), &index, &status);
    count(b_, "Waitany");
    check(status, b_);
    check_and_finish(index == 2);

    post();
    await(requests[2], b_);
    MPI_Testany(3, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    count(b_, "Testany");
    check_and_finish(flag != 0 && index == 2);

    post();
    MPI_Waitsome(3, requests.data(), &outcount, indices, statuses);
    count(b_, "Waitsome");
    check(statuses[0], b_);
    check_and_finish(outcount == 1 && indices[0] == 2);

    post();
    await(requests[2], b_);
    MPI_Testsome(3, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
    count(b_, "Testsome");
    check_and_finish(outcount == 1 && indices[0] == 2);

    post();
    await(requests[2], b_);
    MPI_Testall(3, requests.data(), &flag, statuses);
    test_.require(flag == 0, "MPI_Testall is true with a message missing");
    count_both("Testall-none");
    MPI_Test(&requests[2], &flag, &status);
    count(b_, "Test");
    check(status, b_);
    check_and_finish(flag != 0);
  }

  // Completes all requests in one call, with statuses and without, with null requests between.
  void find_all() {
    for (bool const with_statuses : {true, false}) {
      MPI_Status statuses[4];
      auto const check_all = [&] {
        if (!with_statuses) return;
        check(statuses[0], a_);
        check(statuses[2], b_);
        check(statuses[3], a_);
        test_.require(statuses[1].MPI_SOURCE == MPI_ANY_SOURCE, "a null request has no empty status");
      };
      MPI_Status* const where = with_statuses ? statuses : MPI_STATUSES_IGNORE;
      auto const post = [&] {
        std::vector<MPI_Request> posted{receive(a_), MPI_REQUEST_NULL, receive(b_), receive(a_)};
        send(a_);
        send(b_);
        send(a_);
        return posted;
      };

      std::vector<MPI_Request> requests = post();
      MPI_Waitall(4, requests.data(), where);
      count_both("Waitall");
      check_all();

      requests = post();
      await(requests[0], a_);
      await(requests[2], b_);
      await(requests[3], a_);
      int flag = 0;
      MPI_Testall(4, requests.data(), &flag, where);
      test_.require(flag != 0, "MPI_Testall is false with all messages there");
      count_both("Testall");
      check_all();
      for (MPI_Request const request : requests) test_.require(request == MPI_REQUEST_NULL, "a request is left");
    }
  }

  // Completes requests one by one, until none is left.
  void drain() {
    constexpr int n = 20;
    int index = 0, outcount = 0, flag = 0, indices[n];
    auto const post = [&] {
      std::vector<MPI_Request> requests(n);
      for (MPI_Request& request : requests) request = receive(a_);
      synchronise();
      for (int i = 0; i < n; ++i) send(a_);
      return requests;
    };

    std::vector<MPI_Request> requests = post();
    for (int i = 0; i < n; ++i) MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
    test_.expect(a_.name, "Waitany", {n, 0, 0});
    MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
    test_.require(index == MPI_UNDEFINED, "MPI_Waitany finds more than there is");
    count("SELF", "Waitany");

    requests = post();
    for (int left = n; left > 0; left -= outcount) {
      MPI_Waitsome(n, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
      count(a_, "Waitsome");
    }
    requests = post();
    for (int left = n; left > 0; left -= outcount) {
      MPI_Testsome(n, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
      count(a_, outcount == 0 ? "Testsome-none" : "Testsome");
    }
    requests = post();
    for (int left = n; left > 0; left -= flag) {
      MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
      count(a_, flag == 0 ? "Testany-none" : "Testany");
    }
  }

  // More requests than a completion call keeps on its stack.
  void complete_many() {
    constexpr int n = 100;
    for (bool const with_statuses : {true, false}) {
      std::vector<MPI_Request> requests(2 * n);
      std::vector<MPI_Status> statuses(2 * n);
      for (int i = 0; i < n; ++i) requests[2 * place(i)] = receive(i % 2 == 0 ? a_ : b_);
      for (int i = 0; i < n; ++i) {
        NamedComm const& comm = i % 2 == 0 ? a_ : b_;
        MPI_Isend(out_, size, MPI_INT, comm.right(), tag, comm.handle, &requests[2 * place(i) + 1]);
        test_.expect(comm.name, "Isend", {1, bytes(size, MPI_INT), 0});
      }
      MPI_Waitall(2 * n, requests.data(), with_statuses ? statuses.data() : MPI_STATUSES_IGNORE);
      count_both("Waitall");
      for (int i = 0; with_statuses && i < n; ++i) check(statuses[2 * place(i)], i % 2 == 0 ? a_ : b_);
    }
  }

 private:
  static constexpr int size = 6;
  static constexpr int most_at_once = 100;
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  void count(std::string const& comm, char const* op) { test_.expect(comm, op, {1, 0, 0}); }
  void count(NamedComm const& comm, char const* op) { count(comm.name, op); }
  void count_both(char const* op) {
    count(a_, op);
    count(b_, op);
  }

  // A receive, counted by whichever call completes it.
  MPI_Request receive(NamedComm const& comm) {
    MPI_Request request;
    int* const buffer = in_ + size * (receives_++ % most_at_once);
    MPI_Irecv(buffer, size, MPI_INT, comm.left(), tag, comm.handle, &request);
    test_.expect(comm.name, "Irecv", {1, 0, bytes(size, MPI_INT)});
    return request;
  }
  void send(NamedComm const& comm) {
    MPI_Send(out_, size, MPI_INT, comm.right(), tag, comm.handle);
    test_.expect(comm.name, "Send", {1, bytes(size, MPI_INT), 0});
  }
  void synchronise() {
    MPI_Barrier(MPI_COMM_WORLD);
    count("W", "Barrier");
  }
  // Waits until a request is complete, without completing it.
  void await(MPI_Request request, NamedComm const& comm) {
    for (int flag = 0; flag == 0;) {
      MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
      count(comm, flag == 0 ? "Request_get_status-none" : "Request_get_status");
    }
  }
  void finish(std::vector<MPI_Request>& requests) {
    synchronise();
    send(a_);
    send(b_);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    count_both("Waitall");
  }
  void check(MPI_Status const& status, NamedComm const& comm) {
    int found = -1;
    MPI_Get_count(&status, MPI_INT, &found);
    test_.require(status.MPI_SOURCE == comm.left() && status.MPI_TAG == tag && found == size, "a status is wrong");
  }

  ProfileTest& test_;
  NamedComm a_, b_;
  int out_[size]{}, in_[size * most_at_once]{};
  int receives_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  MPI_Comm reversed, twin;  // left and right differ from those in the world
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &reversed);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  test.expect("W", "Comm_split", {1, 0, 0});
  test.expect("W", "Comm_dup", {1, 0, 0});

  Program program(test, {reversed, "W_s1.0"}, {twin, "W_d2"});
  program.without_requests();
  program.find_nothing();
  program.find_one();
  program.find_all();
  program.drain();
  program.complete_many();
  test.expect_conservation();
  return test.finish();
}
