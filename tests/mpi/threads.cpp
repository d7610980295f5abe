// MPI_THREAD_MULTIPLE: threads that call MPI at once, each on a communicator of its own and all on a shared one, that
// create communicators, and that complete other threads' requests. No call is lost or counted twice, also where others
// read the counts and take snapshots.
#include <atomic>
#include <barrier>
#include <cstdlib>
#include <thread>
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;
using Requests = std::vector<MPI_Request>;

namespace {

constexpr int threads = 4;
int message[1];

template <class Body>
void in_threads(Body const& body, int number = threads) {
  std::vector<std::thread> running;
  for (int i = 0; i < number; ++i) running.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : running) thread.join();
}

// A thread's number is the tag of its messages on the shared communicator.
void exchange(Ring const& own, Ring const& shared, int number) {
  std::vector<int> out(100), in(100);
  for (int round = 0; round < 10; ++round) {
    int const size = round % 7 * 10;
    int value = 0, sum = 0;
    MPI_Request requests[3];
    MPI_Irecv(in.data(), 100, MPI_INT, own.left(), 0, own.handle, &requests[0]);
    MPI_Isend(out.data(), size, MPI_INT, own.right(), 0, own.handle, &requests[1]);
    // Requests of several threads with one handle.
    MPI_Isend(out.data(), 1, MPI_INT, MPI_PROC_NULL, number, shared.handle, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out.data(), size, MPI_INT, shared.right(), number, in.data(), 100, MPI_INT, shared.left(), number,
                 shared.handle, MPI_STATUS_IGNORE);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, own.handle);
  }
  for (Ring const* const comm : {&own, &shared}) {
    for (int round = 0; round < 2000; ++round) {
      MPI_Request receive, send;
      MPI_Irecv(in.data(), 100, MPI_INT, comm->rank, number, comm->handle, &receive);
      MPI_Isend(out.data(), round % 7, MPI_INT, comm->rank, number, comm->handle, &send);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
  }
}

// Creation calls that are collective over the parent share one count; of all threads on one parent, which
// MPI_Comm_create_group allows if their tags differ, each tag has a count of its own.
void create(Ring const& parent, std::string const& name, Ring const& shared, std::string const& name_of_shared,
            int tag) {
  MPI_Group all;
  MPI_Comm_group(parent.handle, &all);
  std::string const members = parent.size == 1 ? "0" : "0-" + std::to_string(parent.size - 1);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm dup, split, cart, of_dup, group;
    int const size = parent.size, period = 1;
    MPI_Comm_dup(parent.handle, &dup);
    MPI_Comm_split(parent.handle, parent.rank % 2, 0, &split);
    MPI_Cart_create(parent.handle, 1, &size, &period, 0, &cart);
    MPI_Comm_dup(dup, &of_dup);
    MPI_Comm_create_group(shared.handle, all, tag, &group);
    auto const ordinal = [&](int place) { return std::to_string(3 * round + place); };
    workload::require_name(dup, name + "_d" + ordinal(1));
    workload::require_name(split, name + "_s" + ordinal(2) + "." + std::to_string(parent.rank % 2));
    workload::require_name(cart, name + "_a" + ordinal(3));
    workload::require_name(of_dup, name + "_d" + ordinal(1) + "_d1");
    workload::require_name(group, name_of_shared + "_u" + std::to_string(round + 1) + "." + members +
                                      (tag == 0 ? "" : ".t" + std::to_string(tag)));
    for (MPI_Comm comm : {dup, split, cart, of_dup, group}) MPI_Barrier(comm), MPI_Comm_free(&comm);
  }
  MPI_Group_free(&all);
}

// Uses the same two variables again and again, while the requests stored in them before are still pending. Synchronous
// sends to another process have handles of their own on both MPIs; several sends that complete at once may share one.
void issue(Ring const& comm, Requests& requests) {
  static int room[1];
  for (int i = 0; i < 100; ++i) {
    MPI_Request receive, send;
    MPI_Irecv(room, 0, MPI_INT, comm.right(), 0, comm.handle, &receive);
    MPI_Issend(message, 0, MPI_INT, comm.left(), 0, comm.handle, &send);
    requests.push_back(receive);
    requests.push_back(send);
  }
}
void complete(int how, Requests& requests) {
  if (how == 0) MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (MPI_Request& request : requests) {
    if (how == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int done = how > 1 ? 0 : 1; done == 0;) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (done == 0) std::this_thread::yield();
    }
  }
}
void completed_by_the_neighbour(std::vector<Ring> const& comms) {
  for (int round = 0; round < 8; ++round) {
    std::vector<Requests> requests(threads);
    in_threads([&](int i) { issue(comms[static_cast<std::size_t>(i)], requests[static_cast<std::size_t>(i)]); });
    in_threads([&](int i) { complete(i, requests[static_cast<std::size_t>(i + 1) % threads]); });
  }
}

// One thread issues while another completes; handles of completed requests are reused at once. Receives are posted
// before their messages are sent: MPICH 4.0.2 loses messages of a process to itself if two threads do both at once.
void completed_meanwhile(Ring const& comm) {
  constexpr std::size_t messages = 3000;
  std::vector<int> in(messages);
  Requests receives(messages), sends(messages);
  std::atomic<std::size_t> issued{0};
  for (std::size_t i = 0; i < messages; ++i) MPI_Irecv(&in[i], 1, MPI_INT, comm.rank, 1, comm.handle, &receives[i]);
  in_threads(
      [&](int which) {
        for (std::size_t i = 0; i < messages; ++i) {
          if (which == 0) {
            MPI_Request request;
            MPI_Isend(message, 1, MPI_INT, comm.rank, 1, comm.handle, &request);
            sends[i] = request;
            ++issued;
          } else {
            while (issued <= i) std::this_thread::yield();
            MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
          }
        }
      },
      2);
  MPI_Waitall(messages, receives.data(), MPI_STATUSES_IGNORE);
}

// One thread starts what another waits for: thousands of starts.
void persistent(Ring const& comm) {
  int in = 0;
  MPI_Request requests[2];
  MPI_Recv_init(&in, 1, MPI_INT, comm.rank, 1, comm.handle, &requests[0]);
  MPI_Send_init(message, 1, MPI_INT, comm.rank, 1, comm.handle, &requests[1]);
  std::barrier turn(2);
  in_threads(
      [&](int which) {
        for (int i = 0; i < 1000; ++i) {
          if (which == 0) MPI_Startall(2, requests);
          turn.arrive_and_wait();
          if (which == 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
          turn.arrive_and_wait();
        }
      },
      2);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

// Readings do not decrease and snapshots do not disturb while a thread calls MPI and enters regions.
void read_meanwhile() {
  std::atomic<bool> ends{false};
  std::thread busy([&] {
    while (!ends) {
      commprof_region_begin("busy");
      int in = 0;
      MPI_Sendrecv(message, 1, MPI_INT, 0, 7, &in, 1, MPI_INT, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
      commprof_region_end("busy");
    }
  });
  commprof_numbers before{}, now{};
  unsigned long long messages_before = 0, messages = 0, bytes = 0;
  for (int i = 0; i < 2000 || now.calls < 2000; ++i, before = now, messages_before = messages) {
    bool const reads = commprof_read(MPI_COMM_SELF, "Sendrecv", &now, sizeof now) == MPI_SUCCESS &&
                       commprof_read_peers(MPI_COMM_SELF, &messages, &bytes, 1) == MPI_SUCCESS;
    require(reads && now.calls >= before.calls && now.bytes_sent >= before.bytes_sent && messages >= messages_before,
            "a reading goes back");
    if (i % 200 == 0 && i < 2000)
      require(commprof_flush((std::getenv("COMMPROF_OUTPUT") + std::string("-beside")).c_str()) == MPI_SUCCESS,
              "a snapshot fails");
  }
  ends = true;
  busy.join();
}

}  // namespace

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  std::vector<Ring> comms;
  for (int i = 0; i <= threads; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    comms.emplace_back(dup);
  }
  Ring const& shared = comms.back();
  // Threads of a second generation take over the records of the first.
  for (int generation = 0; generation < 2; ++generation)
    in_threads([&](int i) { exchange(comms[static_cast<std::size_t>(i)], shared, i); });
  // Open MPI 4.1.4 loads its topology component at the first topology, and crashes if two threads do so at once.
  int const size = shared.size, period = 0;
  MPI_Comm first_topology;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &period, 0, &first_topology);
  in_threads(
      [&](int i) { create(comms[static_cast<std::size_t>(i)], "W_d" + std::to_string(i + 1), shared, "W_d5", i); });
  if (size > 1) completed_by_the_neighbour(comms);
  completed_meanwhile(shared);
  persistent(shared);
  read_meanwhile();
  // A thread whose calls do not count is not one that "called MPI".
  std::thread([&provided] { MPI_Initialized(&provided); }).join();
  return workload::finish();
}
