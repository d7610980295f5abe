#include "finalize/gather.hpp"

#include <algorithm>
#include <ctime>

#include "mpi/mpi.hpp"
#include "mpi/polite_wait.hpp"

namespace commprof {

namespace {

// Offsets to the tag of a parcel.
constexpr int tag_of_part = 0, tag_of_last = 1, tag_of_loss = 2;
static_assert(tag_of_loss < tags_of_parcel);

}  // namespace

void Parcel::put_bytes(void const* data, std::size_t length) {
  std::size_t const before = bytes_.size();
  if (is_lost_ || length == 0) return;
  if (bytes_.resize(before + length)) std::memcpy(bytes_.begin() + before, data, length);
  else is_lost_ = true;
}

bool Parcel::get_bytes(void* data, std::size_t length) {
  if (bytes_.size() - next_ < length) return false;
  if (length > 0) std::memcpy(data, bytes_.begin() + next_, length);
  next_ += length;
  return true;
}

// The last message is never empty: it ends with the total length.
Failure Parcel::send(Channel const& channel, int to, int tag) {
  put(std::uint64_t{bytes_.size()});
  int error = is_lost_ ? MPI_ERR_NO_MEM : MPI_SUCCESS;
  for (std::size_t sent = 0; sent < bytes_.size() && error == MPI_SUCCESS;) {
    std::size_t const part = std::min(Channel::chunk_bytes, bytes_.size() - sent);
    bool const is_last = sent + part == bytes_.size();
    error = channel.send(bytes_.begin() + sent, part, to, tag + (is_last ? tag_of_last : tag_of_part));
    sent += part;
  }
  if (error == MPI_SUCCESS) return {};
  int const error_class = error_class_of(error);
  channel.send_surely(&error_class, sizeof error_class, to, tag + tag_of_loss);
  return {error, false};
}

Failure Parcel::receive(Channel const& channel, int from, int tag) {
  Failure failure;
  bytes_.clear();
  next_ = 0;
  for (bool has_failed = false, is_over = false; !is_over;) {
    Message const message = channel.receive(from, has_failed);
    bool const fails = message.error != MPI_SUCCESS;
    if (fails && !failure) failure = {message.error, false};
    is_over = message.tag == tag + tag_of_last || message.tag == tag + tag_of_loss || (fails && has_failed);
    has_failed = fails;
    if (fails || failure) continue;
    if (message.tag == tag + tag_of_loss) failure = {message.as<int>(), true};
    if (message.tag == tag + tag_of_part || message.tag == tag + tag_of_last)
      put_bytes(message.text.data(), message.text.size());
  }
  if (failure) return failure;
  std::uint64_t told = 0;
  bool const is_told = !is_lost_ && bytes_.size() >= sizeof told;
  if (is_told) std::memcpy(&told, bytes_.end() - sizeof told, sizeof told);
  if (!is_told || told + sizeof told != bytes_.size()) return {is_lost_ ? MPI_ERR_NO_MEM : MPI_ERR_OTHER, false};
  return {};
}

namespace sparse_exchange {

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

}  // namespace sparse_exchange

}  // namespace commprof
