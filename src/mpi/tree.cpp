#include "mpi/tree.hpp"

#include <algorithm>

#include "mpi/polite_wait.hpp"

namespace commprof {

char* Tree::room() {
  alignas(std::max_align_t) static char one[piece_bytes];
  return one;
}

Tree::Tree(MPI_Comm comm, int rank, int ranks, int ranks_of_group)
    : comm_(comm), rank_(rank), ranks_of_group_(ranks_of_group) {
  for (int step = 1; step < std::min(ranks, ranks_of_group) && (rank & step) == 0; step *= 2)
    if (rank + step < ranks) children_[count_++] = rank + step;
}

// A call that has been started is not made again, even if it fails then: the other process has made its own.
void Tree::put(int to, int tag, void const* data, std::size_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  auto const length = static_cast<int>(bytes);
  int error = PMPI_Isend(data, length, MPI_BYTE, to, tag, comm_, &request);
  if (error != MPI_SUCCESS) PMPI_Send(data, length, MPI_BYTE, to, tag, comm_);
  else error = wait_politely(request);
  if (error != MPI_SUCCESS) fail(error);
}

Tree::Message Tree::take(int from, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  status.MPI_TAG = of_failure;
  int bytes = 0;
  int error = PMPI_Irecv(room(), piece_bytes, MPI_BYTE, from, tag, comm_, &request);
  if (error != MPI_SUCCESS) PMPI_Recv(room(), piece_bytes, MPI_BYTE, from, tag, comm_, &status);
  else error = wait_politely(request, &status);
  if (status.MPI_TAG < of_part) return take(from, tag);  // a message that the program has not received
  if (status.MPI_TAG != of_failure || error == MPI_SUCCESS) PMPI_Get_count(&status, MPI_BYTE, &bytes);
  if (error != MPI_SUCCESS) fail(error);
  return {status.MPI_TAG, {room(), static_cast<std::size_t>(std::clamp(bytes, 0, static_cast<int>(piece_bytes)))}};
}

void Tree::send(void const* data, std::size_t bytes, std::size_t bytes_of_value, int to) {
  auto const* next = static_cast<char const*>(data);
  std::size_t const most = piece_bytes - piece_bytes % bytes_of_value;
  for (; bytes > most && !failure_; next += most, bytes -= most) put(to, of_part, next, most);
  end(to, next, bytes);
}

void Tree::end(int to, void const* data, std::size_t bytes) {
  if (failure_) put(to, of_failure, &failure_, sizeof failure_);
  else put(to, of_end, data, bytes);
}

bool Tree::ends(Message const& message) {
  if (message.tag != of_failure) return message.tag == of_end;
  Failure failure;
  if (copy<Failure>(&failure, message.text)) fail(failure);
  return true;
}

bool Tree::receive(int from, Take take_part, void* to) {
  for (bool is_whole = true;;) {
    Message const message = take(from);
    bool const is_last = ends(message);
    if (message.tag == of_failure) return false;
    is_whole = is_whole && take_part(to, message.text);
    require(is_whole);
    if (is_last) return is_whole;
  }
}

}  // namespace commprof
