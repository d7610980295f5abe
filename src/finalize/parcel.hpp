// Values and arrays that one process sends to another as a whole: in messages of limited size, the last of which has a
// tag of its own. A parcel that does not arrive completely counts as empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/memory.hpp"
#include "finalize/channel.hpp"

namespace commprof {

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

}  // namespace commprof
