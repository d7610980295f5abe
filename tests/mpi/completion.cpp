// The Wait and Test family: each call counts once on each communicator whose requests it covers, even if it does not
// complete them; without any request, it counts on MPI_COMM_SELF.
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

constexpr int tag = 21;

class Program {
 public:
  Program(Ring one, Ring other) : a_(one), b_(other) {}

  void without_requests() {
    MPI_Status status, statuses[3];
    MPI_Request null = MPI_REQUEST_NULL, nulls[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, index = 0, outcount = 0, indices[3];

    MPI_Wait(&null, &status);
    require(status.MPI_SOURCE == MPI_ANY_SOURCE, "MPI_Wait of no request gives no empty status");
    MPI_Test(&null, &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status(null, &flag, MPI_STATUS_IGNORE);

    MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, nulls, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, nulls, statuses);
    MPI_Testall(0, nullptr, &flag, MPI_STATUSES_IGNORE);
    MPI_Testall(3, nulls, &flag, statuses);
    require(flag != 0, "MPI_Testall of no requests is false");

    MPI_Waitany(3, nulls, &index, &status);
    require(index == MPI_UNDEFINED, "MPI_Waitany of no requests has an index");
    MPI_Testany(3, nulls, &index, &flag, MPI_STATUS_IGNORE);
    require(flag != 0 && index == MPI_UNDEFINED, "MPI_Testany of no requests has an index");
    MPI_Waitsome(3, nulls, &outcount, indices, statuses);
    require(outcount == MPI_UNDEFINED, "MPI_Waitsome of no requests has an outcome");
    MPI_Testsome(3, nulls, &outcount, indices, MPI_STATUSES_IGNORE);
    require(outcount == MPI_UNDEFINED, "MPI_Testsome of no requests has an outcome");
  }

  // There is a receive on each communicator and nothing has been sent: the polling calls find nothing. Calls for any or
  // some requests count on the communicator of the first one.
  void find_nothing() {
    std::vector<MPI_Request> requests{receive(a_), MPI_REQUEST_NULL, receive(b_)};
    int flag = 1, index = 0, outcount = 1, indices[3];

    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    require(flag == 0, "MPI_Test is true without a message");
    MPI_Request_get_status(requests[2], &flag, MPI_STATUS_IGNORE);
    require(flag == 0, "MPI_Request_get_status is true without a message");
    MPI_Testall(3, requests.data(), &flag, MPI_STATUSES_IGNORE);
    MPI_Testany(3, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    MPI_Testsome(3, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
    require(outcount == 0, "MPI_Testsome finds something without a message");

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
      require(has_found, "a completion has the wrong outcome");
      require(requests[2] == MPI_REQUEST_NULL, "a completed request is not null");
      synchronise();  // until then no message may arrive on the first communicator
      send(a_);
      MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    };

    post();
    MPI_Waitany(3, requests.data(), &index, &status);
    check(status, b_);
    check_and_finish(index == 2);

    post();
    await(requests[2]);
    MPI_Testany(3, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
    check_and_finish(flag != 0 && index == 2);

    post();
    MPI_Waitsome(3, requests.data(), &outcount, indices, statuses);
    check(statuses[0], b_);
    check_and_finish(outcount == 1 && indices[0] == 2);

    post();
    await(requests[2]);
    MPI_Testsome(3, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
    check_and_finish(outcount == 1 && indices[0] == 2);

    post();
    await(requests[2]);
    MPI_Testall(3, requests.data(), &flag, statuses);
    require(flag == 0, "MPI_Testall is true with a message missing");
    MPI_Test(&requests[2], &flag, &status);
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
        require(statuses[1].MPI_SOURCE == MPI_ANY_SOURCE, "a null request has no empty status");
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
      check_all();

      requests = post();
      await(requests[0]);
      await(requests[2]);
      await(requests[3]);
      int flag = 0;
      MPI_Testall(4, requests.data(), &flag, where);
      require(flag != 0, "MPI_Testall is false with all messages there");
      check_all();
      for (MPI_Request const request : requests) require(request == MPI_REQUEST_NULL, "a request is left");
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
    MPI_Waitany(n, requests.data(), &index, MPI_STATUS_IGNORE);
    require(index == MPI_UNDEFINED, "MPI_Waitany finds more than there is");

    requests = post();
    for (int left = n; left > 0; left -= outcount) {
      MPI_Waitsome(n, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
    }
    requests = post();
    for (int left = n; left > 0; left -= outcount) {
      MPI_Testsome(n, requests.data(), &outcount, indices, MPI_STATUSES_IGNORE);
    }
    requests = post();
    for (int left = n; left > 0; left -= flag) {
      MPI_Testany(n, requests.data(), &index, &flag, MPI_STATUS_IGNORE);
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
        Ring const& comm = i % 2 == 0 ? a_ : b_;
        MPI_Isend(out_, size, MPI_INT, comm.right(), tag, comm.handle, &requests[2 * place(i) + 1]);
      }
      MPI_Waitall(2 * n, requests.data(), with_statuses ? statuses.data() : MPI_STATUSES_IGNORE);
      for (int i = 0; with_statuses && i < n; ++i) check(statuses[2 * place(i)], i % 2 == 0 ? a_ : b_);
    }
  }

 private:
  static constexpr int size = 6;
  static constexpr int most_at_once = 100;
  static std::size_t place(int i) { return static_cast<std::size_t>(i); }

  // A receive, counted by whichever call completes it.
  MPI_Request receive(Ring const& comm) {
    MPI_Request request;
    int* const buffer = in_ + size * (receives_++ % most_at_once);
    MPI_Irecv(buffer, size, MPI_INT, comm.left(), tag, comm.handle, &request);
    return request;
  }
  void send(Ring const& comm) { MPI_Send(out_, size, MPI_INT, comm.right(), tag, comm.handle); }
  void synchronise() { MPI_Barrier(MPI_COMM_WORLD); }
  // Waits until a request is complete, without completing it.
  static void await(MPI_Request request) {
    for (int flag = 0; flag == 0;) {
      MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    }
  }
  void finish(std::vector<MPI_Request>& requests) {
    synchronise();
    send(a_);
    send(b_);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  void check(MPI_Status const& status, Ring const& comm) {
    int found = -1;
    MPI_Get_count(&status, MPI_INT, &found);
    require(status.MPI_SOURCE == comm.left() && status.MPI_TAG == tag && found == size, "a status is wrong");
  }

  Ring a_, b_;
  int out_[size]{}, in_[size * most_at_once]{};
  int receives_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm twin;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  Program program(Ring(workload::reversed()), Ring(twin));
  program.without_requests();
  program.find_nothing();
  program.find_one();
  program.find_all();
  program.drain();
  program.complete_many();
  return workload::finish();
}
