// The messages of each pair of processes: each process tallies the messages that it sends, in world ranks that it
// computes without MPI, and the profile must have the same numbers for each pair.
#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "profile_test.hpp"

using profile_test::ProfileTest;

namespace {

constexpr int largest = 5000;
char out[largest], in[largest];

// A communicator, its name, and the world rank of each of its processes.
struct Members {
  MPI_Comm comm;
  std::string name;
  std::vector<int> world_ranks;
  int rank;

  int size() const { return static_cast<int>(world_ranks.size()); }
};

Members world(ProfileTest const& test) {
  std::vector<int> ranks(static_cast<std::size_t>(test.ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return {MPI_COMM_WORLD, "W", ranks, test.rank};
}

class Sender {
 public:
  Sender(ProfileTest& test, Members const& members) : test_(test), members_(members) {}

  void tally(int dest, int bytes, int messages = 1) {
    if (dest == MPI_PROC_NULL) return;
    test_.expect_sent(members_.name, members_.world_ranks[static_cast<std::size_t>(dest)],
                      {static_cast<std::uint64_t>(messages),
                       static_cast<std::uint64_t>(messages) * static_cast<std::uint64_t>(bytes)});
  }
  void exchange(int dest, int source, int bytes) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, dest, 1, in, largest, MPI_CHAR, source, 1, members_.comm, MPI_STATUS_IGNORE);
    tally(dest, bytes);
  }
  // Each kind of send to the right, received from the left.
  void ring() {
    int const right = (members_.rank + 1) % members_.size(),
              left = (members_.rank + members_.size() - 1) % members_.size();
    using Send = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm);
    using Isend = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    std::vector<char> buffer(10'000);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    MPI_Request receive, send;
    for (Send const call : {Send{MPI_Send}, Send{MPI_Bsend}, Send{MPI_Ssend}, Send{MPI_Rsend}}) {
      MPI_Irecv(in, largest, MPI_CHAR, left, 1, members_.comm, &receive);
      MPI_Barrier(members_.comm);
      call(out, 100, MPI_CHAR, right, 1, members_.comm);
      tally(right, 100);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    for (Isend const call : {Isend{MPI_Isend}, Isend{MPI_Ibsend}, Isend{MPI_Issend}, Isend{MPI_Irsend}}) {
      MPI_Irecv(in, largest, MPI_CHAR, left, 1, members_.comm, &receive);
      MPI_Barrier(members_.comm);
      call(out, 200, MPI_CHAR, right, 1, members_.comm, &send);
      tally(right, 200);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    void* detached;
    int size;
    MPI_Buffer_detach(static_cast<void*>(&detached), &size);
    exchange(right, left, 0);  // a message without data is a message
    exchange(right, left, 1);
    MPI_Sendrecv_replace(out, 50, MPI_CHAR, right, 2, left, 2, members_.comm, MPI_STATUS_IGNORE);
    tally(right, 50);
    MPI_Send(out, 100, MPI_CHAR, MPI_PROC_NULL, 1, members_.comm);  // MPI_PROC_NULL: not a message
  }
  void persistent() {
    int const right = (members_.rank + 1) % members_.size(),
              left = (members_.rank + members_.size() - 1) % members_.size();
    MPI_Request requests[4];
    MPI_Send_init(out, 300, MPI_CHAR, right, 3, members_.comm, &requests[0]);
    MPI_Recv_init(in, largest, MPI_CHAR, left, 3, members_.comm, &requests[1]);
    MPI_Ssend_init(out, 7, MPI_CHAR, left, 4, members_.comm, &requests[2]);
    MPI_Recv_init(in, largest, MPI_CHAR, right, 4, members_.comm, &requests[3]);
    for (int i = 0; i < 3; ++i) {
      MPI_Startall(4, requests);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
    tally(right, 300, 4);
    tally(left, 7, 3);
  }
  void all_pairs() {
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < members_.size(); ++peer) {
      MPI_Irecv(in, largest, MPI_CHAR, peer, 5, members_.comm, &requests.emplace_back());
      int const bytes = 10 * members_.rank + peer;
      MPI_Isend(out, bytes, MPI_CHAR, peer, 5, members_.comm, &requests.emplace_back());
      tally(peer, bytes);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  // All processes draw the same messages, of 0 to 4,095 bytes, and each sends its own. Receivers use MPI_ANY_SOURCE.
  void random(unsigned seed, int messages) {
    std::mt19937 draw(seed);
    std::vector<MPI_Request> sends;
    int coming = 0;
    for (int i = 0; i < messages; ++i) {
      int const from = static_cast<int>(draw() % members_.world_ranks.size());
      int const to = static_cast<int>(draw() % members_.world_ranks.size());
      int const bytes = static_cast<int>(draw() % 4096) >> (draw() % 12);
      if (to == members_.rank) ++coming;
      if (from != members_.rank) continue;
      MPI_Isend(out, bytes, MPI_CHAR, to, 6, members_.comm, &sends.emplace_back());
      tally(to, bytes);
    }
    for (int i = 0; i < coming; ++i)
      MPI_Recv(in, largest, MPI_CHAR, MPI_ANY_SOURCE, 6, members_.comm, MPI_STATUS_IGNORE);
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  }

 private:
  ProfileTest& test_;
  Members const& members_;
};

// Neighbours on a grid with edges; messages beyond an edge go nowhere.
void stencil(ProfileTest& test, std::string const& name) {
  int dims[2] = {0, 0}, periods[2] = {0, 1};
  MPI_Dims_create(test.ranks, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  Members members = world(test);
  members.comm = grid;
  members.name = name;
  Sender sender(test, members);
  for (int direction = 0; direction < 2; ++direction) {
    for (int const step : {1, -1}) {
      int source, dest;
      MPI_Cart_shift(grid, direction, step, &source, &dest);
      sender.exchange(dest, source, 64 << direction);
    }
  }
  MPI_Comm_free(&grid);
}

// A communicator of all processes in reverse order, so that ranks differ from those in the world, except in the middle.
Members reversed(ProfileTest const& test, std::string const& name) {
  Members members = world(test);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -test.rank, &members.comm);
  members.name = name;
  std::reverse(members.world_ranks.begin(), members.world_ranks.end());
  members.rank = test.ranks - 1 - test.rank;
  return members;
}

// Even against odd world ranks: destinations are ranks of the other group.
void intercommunicator(ProfileTest& test, std::string const& name) {
  bool const is_odd = test.rank % 2 == 1;
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd ? 1 : 0, test.rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_odd ? 0 : 1, 9, &both);
  Members remote{both, name, {}, test.rank / 2};
  for (int rank = is_odd ? 0 : 1; rank < test.ranks; rank += 2) remote.world_ranks.push_back(rank);
  std::vector<MPI_Request> requests;
  Sender sender(test, remote);
  for (int peer = 0; peer < remote.size(); ++peer) {
    MPI_Irecv(in, largest, MPI_CHAR, peer, 1, both, &requests.emplace_back());
    MPI_Isend(out, 33 + peer, MPI_CHAR, peer, 1, both, &requests.emplace_back());
    sender.tally(peer, 33 + peer);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

// The data of a get come from the target; messages in both directions count at the origin.
void one_sided(ProfileTest& test, Members const& members) {
  int memory[16] = {}, value[16] = {}, result[16] = {};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, members.comm, &win);
  int const target = (members.rank + 1) % members.size();
  MPI_Win_fence(0, win);
  MPI_Put(value, 3, MPI_INT, target, 0, 3, MPI_INT, win);
  MPI_Put(value, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Get(value, 2, MPI_INT, target, 0, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(value, 5, MPI_INT, target, 0, 5, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(value, 4, MPI_INT, result, 4, MPI_INT, target, 0, 4, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Get_accumulate(nullptr, 0, MPI_INT, result, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  for (int origin = 0; origin < members.size(); ++origin) {
    int const here = members.world_ranks[static_cast<std::size_t>(origin)];
    int const there = members.world_ranks[static_cast<std::size_t>((origin + 1) % members.size())];
    test.expect_one_sided(members.name, here, there, {3, (3 + 5 + 4) * sizeof(int)});
    test.expect_one_sided(members.name, there, here, {3, (2 + 4 + 1) * sizeof(int)});
  }
}

}  // namespace

int main(int argc, char** argv) {
  ProfileTest test(&argc, &argv);
  for (char const* const op : {"Send",          "Bsend",
                               "Ssend",         "Rsend",
                               "Isend",         "Ibsend",
                               "Issend",        "Irsend",
                               "Recv",          "Irecv",
                               "Wait",          "Waitall",
                               "Sendrecv",      "Sendrecv_replace",
                               "Send_init",     "Ssend_init",
                               "Recv_init",     "Start",
                               "Startall",      "Request_free",
                               "Buffer_attach", "Buffer_detach",
                               "Barrier",       "Cart_create",
                               "Comm_split",    "Intercomm_create",
                               "Comm_free",     "Win_create",
                               "Win_fence",     "Win_free",
                               "Put",           "Get",
                               "Accumulate",    "Get_accumulate"})
    test.ignore(op);

  Members const all = world(test);
  Sender on_world(test, all);
  on_world.ring();
  on_world.persistent();
  on_world.all_pairs();
  on_world.random(1, 2000);

  Members turned = reversed(test, "W_s1.0");
  Sender on_turned(test, turned);
  on_turned.ring();
  on_turned.persistent();
  on_turned.all_pairs();
  on_turned.random(2, 500);
  if (test.ranks > 1) one_sided(test, turned);  // Open MPI 4.1.4 makes no window on one process

  stencil(test, "W_a2");
  if (test.ranks > 1) {
    std::string const even = profile_test::ranks_in_name(0, test.ranks, 2),
                      odd = profile_test::ranks_in_name(1, test.ranks, 2);
    intercommunicator(test, "W_i1." + even + "." + odd + ".t9");
  }
  MPI_Comm_free(&turned.comm);
  return test.finish();
}
