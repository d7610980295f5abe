// A session that allows threads to call MPI, in a world that does not: from then on no call of the threads is lost, and
// no earlier request. Communicators made from its group are named under the world, by their members and the tag.
#include <string>
#include <thread>
#include <vector>

#include "workload.hpp"

using workload::Ring;

namespace {

constexpr std::size_t partners = 3;
constexpr int rounds = 8;
constexpr int pairs = 100;  // of a send and a receive, for each issuer in each round
constexpr int local_rounds = 3000;
constexpr int at_once = 16;
int const message[1] = {0};

using Requests = std::vector<MPI_Request>;

template <class Body>
void in_threads(Body const& body) {
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < partners; ++i) running.emplace_back(body, i);
  for (std::thread& thread : running) thread.join();
}

void issue(Ring const& comm, std::vector<int>& room, Requests& requests) {
  for (int& value : room) {
    MPI_Request receive, send;
    MPI_Irecv(&value, 1, MPI_INT, comm.right(), 0, comm.handle, &receive);
    MPI_Issend(message, 1, MPI_INT, comm.left(), 0, comm.handle, &send);
    requests.push_back(receive);
    requests.push_back(send);
  }
}

// Issues and completes many requests: the variables of all threads have similar addresses, each on a stack of its own.
void come_and_go(Ring const& comm) {
  MPI_Request requests[at_once];
  for (int round = 0; round < local_rounds; ++round) {
    for (MPI_Request& request : requests) MPI_Irecv(nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, comm.handle, &request);
    MPI_Waitall(at_once, requests, MPI_STATUSES_IGNORE);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Query_thread(&level);
  workload::require(level < MPI_THREAD_MULTIPLE, "the world lets threads call MPI as it is");

  // The threads will complete some of these.
  MPI_Comm dup;
  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  Ring const before(dup);
  std::vector<int> room_before(pairs);
  Requests issued_before;
  issue(before, room_before, issued_before);

  MPI_Info info;
  MPI_Session session;
  MPI_Group all;
  MPI_Comm world;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", "MPI_THREAD_MULTIPLE");
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Info_free(&info);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm_create_from_group(all, "all", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &world);
  MPI_Group_free(&all);
  workload::require_name(world, "W_f1.0-" + std::to_string(Ring(world).size - 1) + ".all");
  std::vector<Ring> comms;
  for (std::size_t i = 0; i < partners; ++i) {
    MPI_Comm_dup(world, &dup);
    comms.emplace_back(dup);
  }

  // In each round all threads issue requests, and then each completes its neighbour's. One thread at a time completes
  // requests that the program issued before.
  std::vector<std::vector<int>> rooms(partners, std::vector<int>(pairs));
  for (int round = 0; round < rounds; ++round) {
    std::vector<Requests> requests(partners);
    in_threads([&](std::size_t i) { issue(comms[i], rooms[i], requests[i]); });
    in_threads([&](std::size_t i) {
      Requests& of_neighbour = requests[(i + 1) % partners];
      MPI_Waitall(static_cast<int>(of_neighbour.size()), of_neighbour.data(), MPI_STATUSES_IGNORE);
      if (i == static_cast<std::size_t>(round) % partners && !issued_before.empty()) {
        MPI_Wait(&issued_before.back(), MPI_STATUS_IGNORE);
        issued_before.pop_back();
      }
    });
  }
  in_threads([&](std::size_t i) { come_and_go(comms[i]); });
  MPI_Waitall(static_cast<int>(issued_before.size()), issued_before.data(), MPI_STATUSES_IGNORE);

  for (Ring& comm : comms) MPI_Comm_free(&comm.handle);
  MPI_Comm_free(&world);
  MPI_Session_finalize(&session);
  return workload::finish();
}
