// Threads that complete other threads' requests: a request counts on the communicator it was issued on, whichever
// thread waits for it, and from whichever variable.
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr int partners = 3;
constexpr int rounds = 15;
constexpr int pairs = 100;  // of a send and a receive, for each issuer in each round
constexpr int messages = 3000;
int message[1];

using Requests = std::vector<MPI_Request>;
using Comms = std::vector<Ring>;

// Requests on their way from one thread to another.
class Queue {
 public:
  void put(MPI_Request request) {
    std::lock_guard const lock(mutex_);
    requests_.push(request);
    changed_.notify_one();
  }
  MPI_Request take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !requests_.empty(); });
    MPI_Request const request = requests_.front();
    requests_.pop();
    return request;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<MPI_Request> requests_;
};

template <class Body>
void in_threads(Body const& body) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < partners; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

// Uses the same two variables again and again, while the requests stored in them before are still pending. Synchronous
// sends to another process have handles of their own on both MPIs; several sends that complete at once may share one.
void issue(Ring const& comm, std::vector<int>& room, Requests& requests) {
  for (int& value : room) {
    MPI_Request receive, send;
    MPI_Irecv(&value, 1, MPI_INT, comm.right(), 0, comm.handle, &receive);
    MPI_Issend(message, 1, MPI_INT, comm.left(), 0, comm.handle, &send);
    requests.push_back(receive);
    requests.push_back(send);
  }
}

void complete(std::size_t how, Requests& requests) {
  int const count = static_cast<int>(requests.size());
  if (how == 0) MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) {
    if (how == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int done = how == 2 ? 0 : 1; done == 0;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0) std::this_thread::yield();
    }
  }
}

// In each round all threads issue requests, and then each completes its neighbour's, on the neighbour's communicator.
void completed_by_the_neighbour(Comms const& comms) {
  std::vector<std::vector<int>> rooms(partners, std::vector<int>(pairs));
  for (int round = 0; round < rounds; ++round) {
    std::vector<Requests> requests(partners);
    in_threads([&](std::size_t i) { issue(comms[i], rooms[i], requests[i]); });
    in_threads([&](std::size_t i) { complete(i, requests[(i + 1) % partners]); });
  }
}

// One thread issues while another completes; handles of completed requests are reused at once. Receives are posted
// before their messages are sent: MPICH 4.0.2 loses messages of a process to itself if two threads do both at once.
void completed_meanwhile(Ring const& comm) {
  auto const by_partner = [&](auto const& issue_one) {
    Queue queue;
    std::thread issuer([&] {
      for (std::size_t i = 0; i < messages; ++i) queue.put(issue_one(i));
    });
    std::thread waiter([&] {
      for (std::size_t i = 0; i < messages; ++i) {
        MPI_Request request = queue.take();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    });
    issuer.join();
    waiter.join();
  };
  std::vector<int> in(messages);
  Requests receives(messages);
  for (std::size_t i = 0; i < messages; ++i) MPI_Irecv(&in[i], 1, MPI_INT, comm.rank, 1, comm.handle, &receives[i]);
  by_partner([&](std::size_t) {
    MPI_Request request;
    MPI_Isend(message, 1, MPI_INT, comm.rank, 1, comm.handle, &request);
    return request;
  });
  MPI_Waitall(messages, receives.data(), MPI_STATUSES_IGNORE);
  by_partner([&](std::size_t i) {
    MPI_Request request;
    MPI_Irecv(&in[i], 1, MPI_INT, comm.rank, 2, comm.handle, &request);
    MPI_Send(message, 1, MPI_INT, comm.rank, 2, comm.handle);
    return request;
  });
}

// One thread creates a request, another starts it, a third waits for it, and the first one frees it: thousands of
// starts.
void persistent_from_hand_to_hand(Ring const& comm) {
  constexpr int starts = 1000;
  int in = 0;
  MPI_Request requests[2];
  MPI_Recv_init(&in, 1, MPI_INT, comm.rank, 1, comm.handle, &requests[0]);
  MPI_Send_init(message, 1, MPI_INT, comm.rank, 1, comm.handle, &requests[1]);
  enum class Turn { start, wait } turn = Turn::start;
  std::mutex mutex;
  std::condition_variable changed;
  auto const take_turns = [&](Turn mine, Turn next, auto const& body) {
    for (int i = 0; i < starts; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return turn == mine; });
      body();
      turn = next;
      changed.notify_one();
    }
  };
  std::thread starter([&] { take_turns(Turn::start, Turn::wait, [&] { MPI_Startall(2, requests); }); });
  std::thread waiter(
      [&] { take_turns(Turn::wait, Turn::start, [&] { MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); }); });
  starter.join();
  waiter.join();
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  Comms comms;
  for (int i = 1; i <= partners; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    comms.emplace_back(dup);
  }
  completed_by_the_neighbour(comms);
  completed_meanwhile(comms[1]);
  persistent_from_hand_to_hand(comms[0]);
  return workload::finish();
}
