// What random programs (torture) do not come upon: types, requests, windows and files for which the standard has rules
// of their own.
#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "workload.hpp"

using workload::require;
using workload::Ring;

namespace {

constexpr int tag = 1;
int out[200], in[200];

// Sent with one type, received with another one of the same signature: both sides count the bytes of the data. The
// type is freed while a request uses it, and of its last element only a part arrives.
void types(Ring const& comm) {
  MPI_Datatype vector, nothing, absolute;
  MPI_Type_vector(3, 2, 5, MPI_INT, &vector);  // 6 ints
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  int const lengths[] = {3, 4};
  MPI_Aint places[2];
  MPI_Get_address(&in[0], &places[0]);
  MPI_Get_address(&in[50], &places[1]);
  MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &absolute);
  for (MPI_Datatype* const type : {&vector, &nothing, &absolute}) MPI_Type_commit(type);
  MPI_Sendrecv(out, 2, vector, comm.right(), tag, in, 100, MPI_INT, comm.left(), tag, comm.handle, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 9, nothing, comm.right(), tag, in, 9, nothing, comm.left(), tag, comm.handle, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 7, MPI_INT, comm.right(), tag, MPI_BOTTOM, 1, absolute, comm.left(), tag, comm.handle,
               MPI_STATUS_IGNORE);
  MPI_Bcast(out, 3, vector, 0, comm.handle);
  MPI_Request request;
  MPI_Irecv(in, 2, vector, comm.left(), tag, comm.handle, &request);
  for (MPI_Datatype* const type : {&vector, &nothing, &absolute}) MPI_Type_free(type);
  MPI_Send(out, 7, MPI_INT, comm.right(), tag, comm.handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// The message has arrived already, so it is received in spite of the cancellation; other receives are cancelled.
void cancelled(Ring const& comm) {
  MPI_Request requests[3], send;
  MPI_Status statuses[3];
  MPI_Irecv(in, 11, MPI_INT, comm.left(), tag, comm.handle, &requests[1]);
  MPI_Isend(out, 11, MPI_INT, comm.right(), tag, comm.handle, &send);
  for (int flag = 0; flag == 0;) MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
  for (int const i : {0, 2}) MPI_Irecv(in, 11, MPI_INT, comm.left(), tag + 1, comm.handle, &requests[i]);
  for (MPI_Request& request : requests) MPI_Cancel(&request);
  MPI_Waitall(3, requests, statuses);
  for (int i = 0; i < 3; ++i) {
    int is_cancelled = -1;
    MPI_Test_cancelled(&statuses[i], &is_cancelled);
    require((is_cancelled != 0) == (i != 1), "a status is wrong about the cancellation");
  }
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

// An MPI may give one handle to all small sends that complete at once. Each request still counts on its own
// communicator, in whatever order and from whatever variables the program completes them. Sends to nobody: 1 on the
// first communicator, 2 on the second, 3 on the third, times a number, each into a variable of its own.
std::vector<MPI_Request> issue(std::vector<Ring> const& comms, std::size_t times = 1) {
  std::vector<MPI_Request> requests;
  requests.reserve(6 * times);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < times * (i + 1); ++k)
      MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, tag, comms[i].handle, &requests.emplace_back());
  require(std::adjacent_find(requests.begin(), requests.end(), std::not_equal_to<>()) == requests.end(),
          "these requests have different handles: the test shows nothing on this MPI");
  return requests;
}

// A different call for each communicator shows whether each request was found on its own.
void in_separate_calls(MPI_Request* requests, int times = 1) {
  int flag = 0;
  MPI_Waitall(3 * times, requests + 3 * times, MPI_STATUSES_IGNORE);
  MPI_Testall(2 * times, requests + times, &flag, MPI_STATUSES_IGNORE);
  for (int i = 0; i < times; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

void shared_handles(std::vector<Ring> const& comms) {
  std::vector<MPI_Request> requests = issue(comms);
  std::vector<MPI_Request> copies(requests.rbegin(), requests.rend());
  MPI_Waitall(6, copies.data(), MPI_STATUSES_IGNORE);
  requests = issue(comms);
  in_separate_calls(requests.data());
  requests = issue(comms, 10);
  in_separate_calls(requests.data(), 10);
  requests = issue(comms);
  copies = requests;  // only the order distinguishes these
  int flag = 0, index = 0;
  MPI_Wait(&copies[0], MPI_STATUS_IGNORE);
  MPI_Testall(2, &copies[1], &flag, MPI_STATUSES_IGNORE);
  MPI_Waitall(3, &copies[3], MPI_STATUSES_IGNORE);
  requests = issue(comms);
  for (int i = 0; i < 6; ++i) MPI_Waitany(6, requests.data(), &index, MPI_STATUS_IGNORE);
  requests = issue(comms);
  MPI_Request_free(&requests[5]);
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);

  // Through one variable, from which the program copies: it holds the request on the third.
  MPI_Request request, other, first;
  auto const send = [&](std::size_t i, MPI_Request& where) {
    MPI_Isend(out, 1, MPI_INT, MPI_PROC_NULL, tag, comms[i].handle, &where);
    return where;
  };
  copies = {send(0, request), send(1, request)};
  send(2, request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  MPI_Wait(&copies[0], MPI_STATUS_IGNORE);
  MPI_Test(&copies[1], &flag, MPI_STATUS_IGNORE);
  // With another request in between.
  first = send(0, request);
  send(1, other);
  send(2, request);
  MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  MPI_Test(&other, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&first, MPI_STATUS_IGNORE);
}

// More requests than a completion call keeps on its stack.
void many(std::vector<Ring> const& comms) {
  constexpr int number = 100;
  for (bool const with_statuses : {true, false}) {
    std::vector<MPI_Request> requests(2 * number);
    std::vector<MPI_Status> statuses(2 * number);
    for (std::size_t i = 0; i < number; ++i) {
      Ring const& comm = comms[i % 3];
      MPI_Irecv(&in[i], 1, MPI_INT, comm.left(), tag, comm.handle, &requests[2 * i]);
    }
    for (std::size_t i = 0; i < number; ++i) {
      Ring const& comm = comms[i % 3];
      MPI_Isend(out, 1, MPI_INT, comm.right(), tag, comm.handle, &requests[2 * i + 1]);
    }
    MPI_Waitall(2 * number, requests.data(), with_statuses ? statuses.data() : MPI_STATUSES_IGNORE);
    for (std::size_t i = 0; with_statuses && i < number; ++i)
      require(statuses[2 * i].MPI_SOURCE == comms[i % 3].left(), "a status is wrong");
  }
}

// Generalized requests belong to the program: MPI knows no communicator for them, so calls that complete them count on
// SELF, and they end as they would without the profiler.
struct Work {
  int queries = 0, releases = 0, cancellations = 0;

  MPI_Request start() {
    MPI_Request request;
    MPI_Grequest_start(
        [](void* state, MPI_Status* status) {
          ++static_cast<Work*>(state)->queries;
          MPI_Status_set_elements(status, MPI_BYTE, 1000);
          MPI_Status_set_cancelled(status, static_cast<Work*>(state)->cancellations);
          status->MPI_SOURCE = 7;
          status->MPI_TAG = 8;
          return MPI_SUCCESS;
        },
        [](void* state) { return ++static_cast<Work*>(state)->releases, MPI_SUCCESS; },
        [](void* state, int) { return ++static_cast<Work*>(state)->cancellations, MPI_SUCCESS; }, this, &request);
    return request;
  }
};

void of_the_program() {
  Work works[3], freed;
  MPI_Request requests[5] = {works[0].start(), works[1].start(), works[2].start()};
  MPI_Status statuses[5];
  int flag = 1, index = -1, number = 0, arrived = 0, is_cancelled = 0;
  int const rank = Ring(MPI_COMM_WORLD).rank;
  MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
  require(flag == 0, "it is not complete yet");
  MPI_Cancel(&requests[1]);
  for (int i = 0; i < 3; ++i) MPI_Grequest_complete(requests[i]);
  MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
  require(flag != 0, "it is complete");
  // Completed together with requests of a communicator: the call counts there, too.
  MPI_Irecv(in, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Isend(out, 1, MPI_INT, rank, 0, MPI_COMM_WORLD, &requests[4]);
  MPI_Waitall(5, requests, statuses);
  MPI_Get_count(&statuses[2], MPI_BYTE, &arrived);
  MPI_Test_cancelled(&statuses[1], &is_cancelled);
  require(arrived == 1000 && statuses[2].MPI_SOURCE == 7 && is_cancelled != 0, "a status is not the program's");
  require(works[0].queries == 2 && works[2].queries == 1 && works[2].releases == 1, "not queried and released once");

  MPI_Request both[] = {works[0].start(), works[1].start()};
  MPI_Grequest_complete(both[1]);
  MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE);
  MPI_Grequest_complete(both[0]);
  MPI_Waitsome(2, both, &number, &index, statuses);
  require(number == 1 && index == 0 && works[1].releases == 2, "MPI_Waitsome names the wrong one");

  // The program frees the request first: it ends when it is complete; on MPICH 4.0.2, at once.
  MPI_Request request = freed.start(), copy = request;
  MPI_Request_free(&request);
  if (freed.releases == 0) MPI_Grequest_complete(copy);
  require(freed.releases == 1, "it does not end");
}

// In a pause calls do not count, but communicators, requests and messages are tracked.
void paused(Ring const& comm) {
  MPI_Comm made, freed, next;
  MPI_Message message;
  MPI_Request send;
  MPI_Pcontrol(0);
  MPI_Isend(out, 10, MPI_INT, comm.right(), tag, comm.handle, &send);
  MPI_Mprobe(comm.left(), tag, comm.handle, &message, MPI_STATUS_IGNORE);
  MPI_Comm_dup(comm.handle, &made);
  MPI_Comm_dup(comm.handle, &freed);
  MPI_Comm_set_name(made, "made in a pause");
  MPI_Comm_free(&freed);
  MPI_Pcontrol(1);
  for (int const level : {3, -1, 4711}) MPI_Pcontrol(level);  // without a meaning, and without an argument
  MPI_Mrecv(in, 10, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Barrier(made);
  MPI_Comm_dup(comm.handle, &next);
  workload::require_name(made, "W_d1_d1");
  workload::require_name(next, "W_d1_d3");
}

// Windows, files and topologies create communicators inside the MPI, which are not in the profile.
void internal_communicators(std::string const& path) {
  Ring const world(MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    int* memory = nullptr;
    MPI_Win windows[2];
    MPI_File file;
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &windows[0]);
    MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &windows[1]);
    for (MPI_Win& window : windows) MPI_Win_fence(0, window), MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, world.rank * 4, out, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  std::remove(path.c_str());
}

// The calls with large counts, where a count or its bytes need more than 32 bits.
void large_counts([[maybe_unused]] Ring const& comm) {
#if MPI_VERSION >= 4
  constexpr MPI_Count huge = 3'000'000'000;
  constexpr std::size_t size = huge * sizeof(int);
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  MPI_Request request;
  MPI_Irecv_c(in, huge, nothing, comm.left(), 0, comm.handle, &request);
  MPI_Send_c(out, huge, nothing, comm.right(), 0, comm.handle);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send_c(out, huge, MPI_INT, MPI_PROC_NULL, 0, comm.handle);
  MPI_Type_free(&nothing);
  // Bytes that need not move: each process has its only block in place.
  void* const room = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(room != MAP_FAILED, "no address space");
  MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_INT, room, huge, MPI_INT, MPI_COMM_SELF);
  munmap(room, size);
#endif
}

// Requests that are never completed are in the profile nevertheless; a receive issued in a pause is not reported.
void forget(Ring const& comm) {
  MPI_Request request;
  MPI_Isend(out, 5, MPI_INT, MPI_PROC_NULL, tag, comm.handle, &request);
  MPI_Irecv(in, 5, MPI_INT, comm.left(), tag + 2, comm.handle, &request);
  MPI_Pcontrol(0);
  MPI_Irecv(in, 5, MPI_INT, comm.left(), tag + 2, comm.handle, &request);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  std::vector<Ring> comms;
  for (int i = 0; i < 3; ++i) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    comms.emplace_back(dup);
  }
  types(comms[0]);
  cancelled(comms[0]);
  shared_handles(comms);
  many(comms);
  of_the_program();
  paused(comms[0]);
  internal_communicators(argv[0] + std::string(".data-") + std::to_string(comms[0].size));
  large_counts(comms[0]);
  forget(comms[0]);  // a program may end in a pause
  return workload::finish();
}
