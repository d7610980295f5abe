// How values go from process to process while a profile is gathered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/memory.hpp"
#include "mpi/mpi.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/profile.hpp"

namespace commprof {

// The binomial tree of all ranks, with rank 0 at the root: the subtree of rank r contains the ranks from r to below r
// plus the lowest set bit of r.
class Tree {
 public:
  Tree(int rank, int ranks) : rank_(rank) {
    for (int step = 1; step < ranks && (rank & step) == 0; step *= 2)
      if (rank + step < ranks) children_[count_++] = rank + step;
  }

  bool is_root() const { return rank_ == 0; }
  int parent() const { return rank_ & (rank_ - 1); }
  // Ascending; the subtree of each child begins where that of the child before ends.
  std::span<int const> children() const { return {children_, count_}; }

  static constexpr unsigned most_children = 31;  // ranks are positive integers

 private:
  int rank_;
  int children_[most_children]{};
  std::size_t count_ = 0;
};

// The messages between processes while a profile is gathered.

inline constexpr int tags_of_parcel = 3;

// A message with rows has the number of their file as tag; other messages have these tags.
inline constexpr int tag_of_end = 16;      // the last message of a process that sends rows
inline constexpr int tag_of_failure = 17;  // in place of tag_of_end if rows could not be sent; holds the error class
inline constexpr int tag_of_go = 18;       // a writer asks a process for its rows
inline constexpr int tag_of_plan = 19;    // down the tree; send_surely() may deliver a message twice, so each has a tag
inline constexpr int tag_of_places = 20;  // down the tree, with a tag of its own for that reason
inline constexpr int tag_of_reports = 21;  // parcels, up the tree
inline constexpr int tag_of_sizes = tag_of_reports + tags_of_parcel;
inline constexpr int tag_of_results = tag_of_sizes + tags_of_parcel;
inline constexpr int tag_of_waits = tag_of_results + tags_of_parcel;  // for two rounds, up and down
inline constexpr int tags_of_attempt = 80;
inline constexpr int tag_of_hosts = tag_of_waits + 4 * tags_of_parcel;  // for three parcels
inline constexpr int tag_of_messages = tag_of_hosts + 3 * tags_of_parcel;
inline constexpr int tags_of_messages = 8 + 2 * tags_of_parcel;  // for eight sparse exchanges and two parcels
inline constexpr int tag_of_windows = tag_of_messages + tags_of_messages;
static_assert(static_cast<int>(File::count_) <= tag_of_end);
static_assert(tag_of_windows + tags_of_parcel <= tags_of_attempt);
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

// The messages of one attempt to write a profile. Tags contain the number of the attempt: an MPI may deliver a message
// although it reports a failure, and the next attempt must not take it for one of its own.
class Channel {
 public:
  static constexpr std::size_t chunk_bytes = 64 * 1024;  // length of the longest message

  Channel(MPI_Comm comm, int attempt) : comm_(comm), base_(attempt % attempts_told_apart * tags_of_attempt) {}

  // Room for one message of this process.
  static char* room() {
    alignas(std::max_align_t) static char buffer[chunk_bytes];
    return buffer;
  }

  MPI_Comm comm() const { return comm_; }
  // The tag of a message of this attempt.
  int tag(int of_message) const { return base_ + of_message; }

  // Returns MPI's error code.
  int send(void const* data, std::size_t length, int to, int tag) const {
    return do_politely([&](MPI_Request* request) {
      return PMPI_Isend(data, static_cast<int>(length), MPI_BYTE, to, base_ + tag, comm_, request);
    });
  }
  // Sends a short message that the other process needs. If the nonblocking call fails, tries the blocking one.
  void send_surely(void const* data, std::size_t length, int to, int tag) const {
    if (send(data, length, to, tag) != MPI_SUCCESS)
      PMPI_Send(data, static_cast<int>(length), MPI_BYTE, to, base_ + tag, comm_);
  }

  // Receives a short message without which this process cannot go on. If the nonblocking call fails, tries the blocking
  // one.
  void receive_surely(void* data, std::size_t length, int from, int tag) const {
    MPI_Request request = MPI_REQUEST_NULL;
    int const bytes = static_cast<int>(length);
    if (PMPI_Irecv(data, bytes, MPI_BYTE, from, base_ + tag, comm_, &request) == MPI_SUCCESS) wait_politely(request);
    else PMPI_Recv(data, bytes, MPI_BYTE, from, base_ + tag, comm_, MPI_STATUS_IGNORE);
  }
  // Receives the next message from a process. in_doubt: uses the blocking call.
  Message receive(int from, bool in_doubt) const {
    char* const buffer = room();
    MPI_Status status;
    status.MPI_TAG = tag_of_nothing;
    auto const start = [&](MPI_Request* request) {
      return PMPI_Irecv(buffer, chunk_bytes, MPI_BYTE, from, MPI_ANY_TAG, comm_, request);
    };
    int const error = in_doubt ? PMPI_Recv(buffer, chunk_bytes, MPI_BYTE, from, MPI_ANY_TAG, comm_, &status)
                               : do_politely(start, &status);
    int bytes = 0;
    if (error == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &bytes);
    bool const is_of_attempt = status.MPI_TAG >= base_ && status.MPI_TAG < base_ + tags_of_attempt;
    return {error, is_of_attempt ? status.MPI_TAG - base_ : tag_of_nothing, {buffer, static_cast<std::size_t>(bytes)}};
  }

 private:
  static constexpr int attempts_told_apart = 400;  // keeps tags below 32,767, the least upper bound that MPI guarantees

  MPI_Comm comm_;
  int base_;
};

// Values and arrays that one process sends to another as a whole: in messages of limited size, the last of which has a
// tag of its own. A parcel that does not arrive completely counts as empty.

// A failure to send or to receive. is_of_other: the sender failed, and sent the class of its error instead of the data.
struct Failure {
  int error = MPI_SUCCESS;
  bool is_of_other = false;

  explicit operator bool() const { return error != MPI_SUCCESS; }
};

class Parcel {
 public:
  Parcel() = default;

  // If memory runs out, the parcel loses its contents, and its receiver gets a failure in place of them.
  template <class T>
  void put(T const& value) {
    put_bytes(&value, sizeof value);
  }
  template <class T>
  void put(PageVector<T> const& all) {
    bytes_.reserve(bytes_.size() + all.size() * sizeof(T) + room_for_end);
    put(std::uint64_t{all.size()});
    put_bytes(all.begin(), all.size() * sizeof(T));
  }
  // Values come in the order of put(). False if memory is used up, or if the parcel ends before.
  template <class T>
  bool get(T& value) {
    return get_bytes(&value, sizeof value);
  }
  template <class T>
  bool get(PageVector<T>& all) {
    std::uint64_t size = 0;
    if (!get(size) || size > bytes_.size() / sizeof(T) || !all.resize(size)) return false;
    return get_bytes(all.begin(), size * sizeof(T));
  }

  // tag: the first of the parcel's three tags. Both return the failure, if any.
  Failure send(Channel const& channel, int to, int tag);
  // Receives all messages even after a failure, because the other process waits for its sends to complete.
  Failure receive(Channel const& channel, int from, int tag);

 private:
  void put_bytes(void const* data, std::size_t length);
  bool get_bytes(void* data, std::size_t length);

  static constexpr std::size_t room_for_end = 64;

  PageVector<char> bytes_;
  std::size_t next_ = 0;  // index of the next value of get()
  bool is_lost_ = false;
};

// Sends blocks of values to processes that do not know who sends them anything: the nonblocking consensus of Hoefler,
// Siebert and Lumsdaine (PPoPP 2010). A process sends synchronously, receives what comes, enters a nonblocking barrier
// once all that it has sent was received, and is done when the barrier is. The cost does not grow with the number of
// processes, but for the barrier.
namespace sparse_exchange {

// A part of an array, for one process.
struct Part {
  int to = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

// Collective over the processes of the channel. receive(self, from, data, bytes) gets the values of a part in order,
// in messages of limited size. Two exchanges with one tag must not follow each other. False on a failure: messages may
// be missing.
bool run(Channel const& channel, int tag, void const* data, std::size_t value_bytes, std::span<Part const> parts,
         void (*receive)(void* self, int from, void const* data, std::size_t bytes), void* self);

}  // namespace sparse_exchange

// visit(from, values) gets the values of a part in order, in messages of limited size.
template <class Value, class Visitor>
bool exchange_sparsely(Channel const& channel, int tag, Value const* values,
                       std::span<sparse_exchange::Part const> parts, Visitor&& visit) {
  auto const receive = [](void* self, int from, void const* data, std::size_t bytes) {
    std::span<Value const> const received(static_cast<Value const*>(data), bytes / sizeof(Value));
    (*static_cast<std::remove_reference_t<Visitor>*>(self))(from, received);
  };
  return sparse_exchange::run(channel, tag, values, sizeof(Value), parts, receive, &visit);
}

}  // namespace commprof
