// The messages of each pair of processes.
#include <random>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr int largest = 5000;
char out[largest], in[largest];

class Sender {
 public:
  explicit Sender(MPI_Comm comm) : members_(comm), right_(members_.right()), left_(members_.left()) {}

  void exchange(int dest, int source, int bytes) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, dest, 1, in, largest, MPI_CHAR, source, 1, members_.handle, MPI_STATUS_IGNORE);
  }
  // Each kind of send to the right, received from the left.
  void ring() {
    using Send = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm);
    using Isend = int (*)(void const*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    std::vector<char> buffer(10'000);
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    MPI_Request receive, send;
    for (Send const call : {Send{MPI_Send}, Send{MPI_Bsend}, Send{MPI_Ssend}, Send{MPI_Rsend}}) {
      MPI_Irecv(in, largest, MPI_CHAR, left_, 1, members_.handle, &receive);
      MPI_Barrier(members_.handle);
      call(out, 100, MPI_CHAR, right_, 1, members_.handle);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    for (Isend const call : {Isend{MPI_Isend}, Isend{MPI_Ibsend}, Isend{MPI_Issend}, Isend{MPI_Irsend}}) {
      MPI_Irecv(in, largest, MPI_CHAR, left_, 1, members_.handle, &receive);
      MPI_Barrier(members_.handle);
      call(out, 200, MPI_CHAR, right_, 1, members_.handle, &send);
      MPI_Wait(&send, MPI_STATUS_IGNORE);
      MPI_Wait(&receive, MPI_STATUS_IGNORE);
    }
    void* detached;
    int size;
    MPI_Buffer_detach(static_cast<void*>(&detached), &size);
    exchange(right_, left_, 0);  // a message without data is a message
    exchange(right_, left_, 1);
    MPI_Sendrecv_replace(out, 50, MPI_CHAR, right_, 2, left_, 2, members_.handle, MPI_STATUS_IGNORE);
    MPI_Send(out, 100, MPI_CHAR, MPI_PROC_NULL, 1, members_.handle);  // MPI_PROC_NULL: not a message
  }
  void persistent() {
    MPI_Request requests[4];
    MPI_Send_init(out, 300, MPI_CHAR, right_, 3, members_.handle, &requests[0]);
    MPI_Recv_init(in, largest, MPI_CHAR, left_, 3, members_.handle, &requests[1]);
    MPI_Ssend_init(out, 7, MPI_CHAR, left_, 4, members_.handle, &requests[2]);
    MPI_Recv_init(in, largest, MPI_CHAR, right_, 4, members_.handle, &requests[3]);
    for (int i = 0; i < 3; ++i) {
      MPI_Startall(4, requests);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[1]);
    MPI_Start(&requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (MPI_Request& request : requests) MPI_Request_free(&request);
  }
  void all_pairs() {
    std::vector<MPI_Request> requests;
    for (int peer = 0; peer < members_.size; ++peer) {
      MPI_Irecv(in, largest, MPI_CHAR, peer, 5, members_.handle, &requests.emplace_back());
      int const bytes = 10 * members_.rank + peer;
      MPI_Isend(out, bytes, MPI_CHAR, peer, 5, members_.handle, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  // All processes draw the same messages, of 0 to 4,095 bytes, and each sends its own. Receivers use MPI_ANY_SOURCE.
  void random(unsigned seed, int messages) {
    std::mt19937 draw(seed);
    std::vector<MPI_Request> sends;
    int coming = 0;
    for (int i = 0; i < messages; ++i) {
      int const from = static_cast<int>(draw() % static_cast<unsigned>(members_.size));
      int const to = static_cast<int>(draw() % static_cast<unsigned>(members_.size));
      int const bytes = static_cast<int>(draw() % 4096) >> (draw() % 12);
      if (to == members_.rank) ++coming;
      if (from != members_.rank) continue;
      MPI_Isend(out, bytes, MPI_CHAR, to, 6, members_.handle, &sends.emplace_back());
    }
    for (int i = 0; i < coming; ++i)
      MPI_Recv(in, largest, MPI_CHAR, MPI_ANY_SOURCE, 6, members_.handle, MPI_STATUS_IGNORE);
    MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  }

 private:
  Ring members_;
  int right_, left_;
};

// Neighbours on a grid with edges; messages beyond an edge go nowhere.
void stencil() {
  int dims[2] = {0, 0}, periods[2] = {0, 1};
  MPI_Dims_create(Ring(MPI_COMM_WORLD).size, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  Sender sender(grid);
  for (int direction = 0; direction < 2; ++direction) {
    for (int const step : {1, -1}) {
      int source, dest;
      MPI_Cart_shift(grid, direction, step, &source, &dest);
      sender.exchange(dest, source, 64 << direction);
    }
  }
  MPI_Comm_free(&grid);
}

// Even against odd world ranks: destinations are ranks of the other group.
void intercommunicator() {
  int const rank = Ring(MPI_COMM_WORLD).rank;
  bool const is_odd = rank % 2 == 1;
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, is_odd ? 1 : 0, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_odd ? 0 : 1, 9, &both);
  int remote_size;
  MPI_Comm_remote_size(both, &remote_size);
  std::vector<MPI_Request> requests;
  for (int peer = 0; peer < remote_size; ++peer) {
    MPI_Irecv(in, largest, MPI_CHAR, peer, 1, both, &requests.emplace_back());
    MPI_Isend(out, 33 + peer, MPI_CHAR, peer, 1, both, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

// The data of a get come from the target; messages in both directions count at the origin.
void one_sided(MPI_Comm comm) {
  int memory[16] = {}, value[16] = {}, result[16] = {};
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, comm, &win);
  int const target = Ring(comm).right();
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
  MPI_Get_accumulate(value, 1, MPI_INT, result, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_NO_OP, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const ranks = Ring(MPI_COMM_WORLD).size;
  MPI_Comm turned = workload::reversed();
  for (MPI_Comm const comm : {MPI_COMM_WORLD, turned}) {
    Sender sender(comm);
    sender.ring();
    sender.persistent();
    sender.all_pairs();
    sender.random(comm == turned ? 2 : 1, comm == turned ? 500 : 2000);
  }
  if (ranks > 1) one_sided(turned);  // Open MPI 4.1.4 makes no window on one process
  stencil();
  if (ranks > 1) intercommunicator();
  MPI_Comm_free(&turned);
  return workload::finish();
}
