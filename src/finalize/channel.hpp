// The messages between rank 0 and the other processes while a profile is gathered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "mpi/mpi.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/profile.hpp"

namespace commprof {

// The tag of rows is the number of their file. Rows that several processes have are sent with tag_of_offer added.
inline constexpr int tag_of_offer = 16;
inline constexpr int tag_of_summary = 32;  // the last message of a process
inline constexpr int tag_of_go = 33;       // rank 0 asks a process for its rows
inline constexpr int tag_of_failure = 34;  // instead of a summary: some rows could not be sent. Holds the error class
inline constexpr int tag_of_waits = 35;    // and the eleven after it: see waits_exchange.cpp
static_assert(static_cast<int>(File::count_) <= tag_of_offer);
inline constexpr int tag_of_nothing = -1;  // no message came, or one of an earlier attempt

struct Message {
  int error;
  int tag;
  std::string_view text;  // valid until the next message is received

  // The message as a Value.
  template <class Value>
  Value as() const {
    Value value;
    std::copy_n(text.data(), sizeof value, reinterpret_cast<char*>(&value));
    return value;
  }
};

// The messages of one attempt to write a profile. Their tags hold the number of the attempt: an MPI may deliver a
// message although it reports a failure, and the next attempt must not take this message for one of its own.
class Channel {
 public:
  static constexpr std::size_t chunk_bytes = 64 * 1024;  // of the longest message

  Channel(MPI_Comm comm, int attempt) : comm_(comm), base_(attempt % attempts_told_apart * tags_of_attempt) {}

  // send() returns MPI's error code.
  int send(void const* data, std::size_t length, int to, int tag) const {
    return do_politely([&](MPI_Request* request) {
      return PMPI_Isend(data, static_cast<int>(length), MPI_BYTE, to, base_ + tag, comm_, request);
    });
  }
  // For short messages that the other process waits for. If the nonblocking call fails, the blocking one sends them.
  void send_surely(void const* data, std::size_t length, int to, int tag) const {
    if (send(data, length, to, tag) != MPI_SUCCESS)
      PMPI_Send(data, static_cast<int>(length), MPI_BYTE, to, base_ + tag, comm_);
  }

  void receive_go() const {
    do_politely(
        [&](MPI_Request* request) { return PMPI_Irecv(nullptr, 0, MPI_BYTE, 0, base_ + tag_of_go, comm_, request); });
  }
  // The next message of a process. in_doubt: receives it by the blocking call.
  Message receive(int from, bool in_doubt) const {
    static char buffer[chunk_bytes];
    MPI_Status status;
    status.MPI_TAG = tag_of_nothing;
    auto const start = [&](MPI_Request* request) {
      return PMPI_Irecv(buffer, sizeof buffer, MPI_BYTE, from, MPI_ANY_TAG, comm_, request);
    };
    int const error = in_doubt ? PMPI_Recv(buffer, sizeof buffer, MPI_BYTE, from, MPI_ANY_TAG, comm_, &status)
                               : do_politely(start, &status);
    int bytes = 0;
    if (error == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &bytes);
    bool const is_of_attempt = status.MPI_TAG >= base_ && status.MPI_TAG < base_ + tags_of_attempt;
    return {error, is_of_attempt ? status.MPI_TAG - base_ : tag_of_nothing, {buffer, static_cast<std::size_t>(bytes)}};
  }

 private:
  static constexpr int tags_of_attempt = 64, attempts_told_apart = 500;  // below 32,767, the least upper bound of tags

  MPI_Comm comm_;
  int base_;
};

}  // namespace commprof
