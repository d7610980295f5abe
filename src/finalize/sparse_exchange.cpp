#include "finalize/sparse_exchange.hpp"

#include <algorithm>
#include <ctime>

#include "mpi/polite_wait.hpp"

namespace commprof::sparse_exchange {

namespace {

// Receives a message that has come. False on a failure.
bool receive_one(Channel const& channel, int tag, int from, void* data, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  // If the nonblocking call fails, tries the blocking one: the sender waits for it.
  if (PMPI_Irecv(data, bytes, MPI_BYTE, from, channel.tag(tag), channel.comm(), &request) == MPI_SUCCESS)
    return wait_politely(request) == MPI_SUCCESS;
  return PMPI_Recv(data, bytes, MPI_BYTE, from, channel.tag(tag), channel.comm(), MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

// Receives the messages that have come. False on a failure.
template <class Receive>
bool receive_all(Channel const& channel, int tag, bool& has_come, Receive&& receive) {
  bool is_whole = true;
  for (has_come = false;;) {
    int is_there = 0, bytes = 0;
    MPI_Status status;
    if (PMPI_Iprobe(MPI_ANY_SOURCE, channel.tag(tag), channel.comm(), &is_there, &status) != MPI_SUCCESS) return false;
    if (is_there == 0) return is_whole;
    has_come = true;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    char* const room = Channel::room();
    if (receive_one(channel, tag, status.MPI_SOURCE, room, static_cast<int>(Channel::chunk_bytes)) && bytes >= 0)
      receive(status.MPI_SOURCE, room, static_cast<std::size_t>(bytes));
    else is_whole = false;
  }
}

void rest(int& polls) {
  constexpr int yields = 100;
  constexpr timespec nap{.tv_sec = 0, .tv_nsec = 20'000};
  if (++polls <= yields) sched_yield();
  else clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);
}

}  // namespace

bool run(Channel const& channel, int tag, void const* data, std::size_t value_bytes, std::span<Part const> parts,
         void (*receive)(void* self, int from, void const* data, std::size_t bytes), void* self) {
  std::size_t const most = Channel::chunk_bytes / value_bytes;  // values in a message
  std::size_t messages = 0;
  for (Part const& part : parts) messages += (part.count + most - 1) / most;
  PageVector<MPI_Request> sends;
  bool is_whole = sends.resize(messages);
  if (!is_whole) parts = {};
  std::size_t started = 0;
  for (Part const& part : parts) {
    for (std::size_t done = 0; done < part.count; done += most) {
      MPI_Request& request = *(sends.begin() + started++);
      request = MPI_REQUEST_NULL;
      char const* const first = static_cast<char const*>(data) + (part.first + done) * value_bytes;
      auto const bytes = static_cast<int>(std::min(most, part.count - done) * value_bytes);
      if (PMPI_Issend(first, bytes, MPI_BYTE, part.to, channel.tag(tag), channel.comm(), &request) == MPI_SUCCESS)
        continue;
      is_whole = false;
      break;  // the values that follow would be taken for these
    }
  }
  MPI_Request barrier = MPI_REQUEST_NULL;
  sends.resize(started);
  std::size_t next = 0;  // all sends before it are complete
  for (int polls = 0, is_in_barrier = 0, is_done = 0; is_done == 0;) {
    bool has_come = false;
    bool const is_sound = receive_all(channel, tag, has_come, [&](int from, void const* bytes, std::size_t count) {
      receive(self, from, bytes, count);
    });
    if (!is_sound) is_whole = false;
    while (next < sends.size()) {
      int is_complete = 0;
      if (PMPI_Test(sends.begin() + next, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS) is_complete = 1;
      if (is_complete == 0) break;
      ++next;
    }
    if (is_in_barrier == 0 && next == sends.size()) {
      is_in_barrier = 1;
      auto const start = [&](MPI_Request* request) { return PMPI_Ibarrier(channel.comm(), request); };
      if (start_together(start, barrier) != MPI_SUCCESS) return false;
    }
    if (is_in_barrier != 0 && PMPI_Test(&barrier, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
    if (has_come) polls = 0;
    else if (is_done == 0) rest(polls);
  }
  return is_whole;
}

}  // namespace commprof::sparse_exchange
