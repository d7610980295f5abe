#include <algorithm>
#include <string_view>

#include "finalize/exchanges.hpp"
#include "mpi/polite_wait.hpp"
#include "profile/schema.hpp"

namespace commprof {

namespace sparse_exchange {

namespace {

constexpr int first_tag = Tree::first_free_tag + static_cast<int>(schema::tables.size());  // after those of rows

// Receives the messages that have come. False if there is none.
template <class Receive>
bool receive_all(Tree& tree, int tag, Receive&& receive) {
  for (bool has_come = false;; has_come = true) {
    int is_there = 0;
    MPI_Status status;
    int const error = PMPI_Iprobe(MPI_ANY_SOURCE, tag, tree.comm(), &is_there, &status);
    if (error != MPI_SUCCESS) tree.fail(error);
    if (error != MPI_SUCCESS || is_there == 0) return has_come;
    std::string_view const message = tree.take(status.MPI_SOURCE, tag).text;
    receive(status.MPI_SOURCE, message.data(), message.size());
  }
}

// Starts to send all parts, each in messages of at most so many values.
void start_sends(Tree& tree, int tag, void const* data, std::size_t value_bytes, std::span<Part const> parts,
                 std::size_t most, PageVector<MPI_Request>& sends) {
  for (Part const& part : parts) {
    for (std::size_t done = 0; done < part.count; done += most) {
      MPI_Request request = MPI_REQUEST_NULL;
      char const* const first = static_cast<char const*>(data) + (part.first + done) * value_bytes;
      auto const bytes = static_cast<int>(std::min(most, part.count - done) * value_bytes);
      if (int const error = PMPI_Issend(first, bytes, MPI_BYTE, part.to, tag, tree.comm(), &request))
        return tree.fail(error);
      sends.push_back(request);
    }
  }
}

}  // namespace

void run(Tree& tree, int tag, void const* data, std::size_t value_bytes, std::span<Part const> parts,
         void (*receive)(void* self, int from, void const* data, std::size_t bytes), void* self) {
  tag += first_tag;
  std::size_t const most = Tree::piece_bytes / value_bytes;  // values in a message
  std::size_t messages = 0;
  for (Part const& part : parts) messages += (part.count + most - 1) / most;
  PageVector<MPI_Request> sends;
  bool const has_room = sends.resize(messages);
  tree.require(has_room);
  sends.clear();
  if (has_room && !tree.failure()) start_sends(tree, tag, data, value_bytes, parts, most, sends);
  MPI_Request barrier = MPI_REQUEST_NULL;
  std::size_t next = 0;  // all sends before it are complete
  for (int polls = 0, is_in_barrier = 0, is_done = 0; is_done == 0;) {
    bool const has_come = receive_all(
        tree, tag, [&](int from, void const* bytes, std::size_t count) { receive(self, from, bytes, count); });
    auto const is_complete = [&](MPI_Request& request) {
      int is_there = 0;
      int const error = test_surely(request, is_there);
      if (error != MPI_SUCCESS) tree.fail(error);
      return error != MPI_SUCCESS || is_there != 0;
    };
    while (next < sends.size() && is_complete(sends.begin()[next])) ++next;
    if (is_in_barrier == 0 && next == sends.size()) {
      is_in_barrier = 1;
      if (int const error = PMPI_Ibarrier(tree.comm(), &barrier)) return tree.fail(error);
    }
    is_done = is_in_barrier != 0 && is_complete(barrier) ? 1 : 0;
    if (has_come) polls = 0;
    else if (is_done == 0) rest(polls, [] {});
  }
}

}  // namespace sparse_exchange

}  // namespace commprof
