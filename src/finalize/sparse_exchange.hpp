// Sends blocks of values to processes that do not know who sends them anything: the nonblocking consensus of Hoefler,
// Siebert and Lumsdaine (PPoPP 2010). A process sends synchronously, receives what comes, enters a nonblocking barrier
// once all that it has sent was received, and is done when the barrier is. The cost does not grow with the number of
// processes, but for the barrier.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "mpi/tree.hpp"

namespace commprof {

namespace sparse_exchange {

inline constexpr int tags = 8;

// A part of an array, for one process.
struct Part {
  int to = 0;
  std::size_t first = 0;
  std::size_t count = 0;
};

// Collective over the processes of the tree. tag: below tags; two exchanges with one tag must not follow each other.
// receive(self, from, data, bytes) gets the values of a part in order, in messages of limited size. After a failure of
// the tree, messages may be missing.
void run(Tree& tree, int tag, void const* data, std::size_t value_bytes, std::span<Part const> parts,
         void (*receive)(void* self, int from, void const* data, std::size_t bytes), void* self);

}  // namespace sparse_exchange

// visit(from, values) gets the values of a part in order, in messages of limited size.
template <class Value, class Visitor>
void exchange_sparsely(Tree& tree, int tag, Value const* values, std::span<sparse_exchange::Part const> parts,
                       Visitor&& visit) {
  auto const receive = [](void* self, int from, void const* data, std::size_t bytes) {
    std::span<Value const> const received(static_cast<Value const*>(data), bytes / sizeof(Value));
    (*static_cast<std::remove_reference_t<Visitor>*>(self))(from, received);
  };
  sparse_exchange::run(tree, tag, values, sizeof(Value), parts, receive, &visit);
}

}  // namespace commprof
