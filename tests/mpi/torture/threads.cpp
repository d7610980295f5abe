#include "threads.hpp"

#include <thread>

#include "data.hpp"

namespace torture {

namespace {

struct Item {
  int from, to, count, tag;
  bool is_synchronous;
};

// Requests that one thread issues and another completes.
struct Share {
  Comm* comm;
  std::vector<Item> items;
  int how;  // how it is completed
  std::vector<Room> rooms;
  std::vector<MPI_Request> requests;
};

template <typename Body>
void each_thread(Body const& body) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

void issue(Run& run, Share& share) {
  MPI_Comm const comm = share.comm->handle;
  // The requests are issued into these addresses.
  share.requests.resize(2 * share.items.size(), MPI_REQUEST_NULL);
  MPI_Request* request = share.requests.data();
  for (auto const& [from, to, count, tag, is_synchronous] : share.items) {
    int const dest = share.comm->rank_of(to), source = share.comm->rank_of(from);
    if (to == run.me) {
      MPI_Irecv(share.rooms.emplace_back(room_for(count))->data(), count, MPI_CHAR, source, tag, comm, request++);
    }
    if (from == run.me) {
      char* const data = share.rooms.emplace_back(room_for(count))->data();
      if (is_synchronous) MPI_Issend(data, count, MPI_CHAR, dest, tag, comm, request++);
      else MPI_Isend(data, count, MPI_CHAR, dest, tag, comm, request++);
    }
  }
  share.requests.resize(static_cast<std::size_t>(request - share.requests.data()));
}

void complete(Share& share) {
  int const count = static_cast<int>(share.requests.size());
  MPI_Request* const requests = share.requests.data();
  if (share.how == 0) MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < count && share.how != 0; ++i) {
    int flag = 0, index = 0;
    switch (share.how) {
      case 1:
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
        break;
      default:
        for (; flag == 0; std::this_thread::yield()) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
    }
  }
}

}  // namespace

// No messages of a process to itself: MPICH 4.0.2 loses them if two threads send and receive at once.
void in_threads(Run& run, std::vector<Comm*> const& comms) {
  std::vector<Share> shares(threads);
  for (std::size_t i = 0; i < threads; ++i) {
    Share& share = shares[i];
    share.comm = comms[i];
    share.how = run.plan.below(4);
    for (int k = run.ranks == 1 ? 0 : run.plan.between(1, 20); k > 0; --k) {
      int const from = run.plan.below(run.ranks), to = (from + run.plan.between(1, run.ranks - 1)) % run.ranks;
      share.items.push_back(
          {from, to, run.plan.one_in(8) ? run.plan.below(50000) : run.plan.below(100), run.tag(), run.plan.one_in(2)});
    }
  }
  std::size_t const shift = run.plan.index(threads);
  each_thread([&](std::size_t i) { issue(run, shares[i]); });
  each_thread([&](std::size_t i) { complete(shares[(i + shift) % threads]); });
}

}  // namespace torture
