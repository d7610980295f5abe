#include "finalize/parcel.hpp"

#include <algorithm>

#include "mpi/error_class.hpp"

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

}  // namespace commprof
