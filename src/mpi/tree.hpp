// How values go between the processes of a run when a profile is gathered: up and down a tree.
//
//   reduce_up   each process adds up what its subtree knows, and tells its parent
//   tell_down   rank 0 tells all processes
//
// A process that fails tells its failure in place of its values, until rank 0 knows of it: each process waits for
// another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "base/memory.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

template <class Part>
concept IsArray = requires(Part& part) {
  part.push_back(*part.begin());
};

// The binomial tree of all ranks, with rank 0 at the root: the subtree of rank r contains the ranks from r to below r
// plus the lowest set bit of r.
class Tree {
 public:
  // The first failure that a process knows of. error: the class of an error of the MPI; MPI_ERR_NO_MEM: no memory.
  struct Failure {
    int rank = 0;
    int error = MPI_SUCCESS;

    explicit operator bool() const { return error != MPI_SUCCESS; }
  };
  struct Message {
    int tag;
    std::string_view text;  // valid until the next message is received
  };

  static constexpr unsigned most_children = 31;                       // ranks are positive integers
  static constexpr std::size_t piece_bytes = std::size_t{64} * 1024;  // the longest message
  // Tags of messages. The first are those of arrays. All are higher than a program's usual ones, and below 32,767:
  // without a communicator of its own, the profiler uses MPI_COMM_WORLD.
  static constexpr int of_part = 32'000, of_end = of_part + 1, of_failure = of_part + 2, first_free_tag = of_part + 3;

  // ranks_of_group: a power of two; only the ranks of a group of neighbours form a tree.
  Tree(MPI_Comm comm, int rank, int ranks, int ranks_of_group = 1 << 30);

  // Room for one received message: one profile at a time is gathered.
  static char* room();

  MPI_Comm comm() const { return comm_; }
  bool is_root() const { return rank_ % ranks_of_group_ == 0; }
  int parent() const { return rank_ & (rank_ - 1); }
  // Ascending; the subtree of each child begins where that of the child before ends.
  std::span<int const> children() const { return {children_, count_}; }

  Failure const& failure() const { return failure_; }
  void fail(Failure const& failure) {
    if (!failure_) failure_ = failure;
  }
  // error: MPI's code.
  void fail(int error) { fail({rank_, error_class_of(error)}); }
  // has_memory: false if it is used up.
  void require(bool has_memory) {
    if (!has_memory) fail({rank_, MPI_ERR_NO_MEM});
  }

  // One message between any two processes. If a nonblocking call fails, the blocking one is made, which needs no
  // request: the other process must not wait for ever.
  void put(int to, int tag, void const* data, std::size_t bytes);
  Message take(int from, int tag = MPI_ANY_TAG);
  // Whether the message ends an array, perhaps by telling a failure.
  bool ends(Message const& message);

  // An array, or a single value. receive() returns false after a failure of the sender; a value then stays unchanged.
  template <class Part>
  void send(Part const& part, int to) {
    if constexpr (IsArray<Part>) send(part.begin(), part.size() * sizeof *part.begin(), sizeof *part.begin(), to);
    else send(&part, sizeof part, sizeof part, to);
  }
  template <class Part>
  bool receive(Part& part, int from) {
    if constexpr (!IsArray<Part>) return receive(from, copy<Part>, &part);
    else return part.clear(), receive(from, append<Part>, &part);
  }
  // Sends a value even after a failure: all processes must do the same.
  template <class Part>
  void tell(Part const& part, int to) {
    if constexpr (IsArray<Part>) send(part, to);
    else put(to, of_end, &part, sizeof part);
  }
  // Ends an array that put() has sent in parts.
  void end(int to, void const* data = nullptr, std::size_t bytes = 0);

 private:
  using Take = bool (*)(void* to, std::string_view part);

  template <class Array>
  static bool append(void* to, std::string_view part) {
    auto& all = *static_cast<Array*>(to);
    std::size_t const before = all.size();
    if (!all.resize(before + part.size() / sizeof *all.begin())) return false;
    if (!part.empty()) std::memcpy(all.begin() + before, part.data(), part.size());
    return true;
  }
  template <class Value>
  static bool copy(void* to, std::string_view part) {
    if (part.size() != sizeof(Value)) return false;
    std::memcpy(to, part.data(), sizeof(Value));
    return true;
  }

  void send(void const* data, std::size_t bytes, std::size_t bytes_of_value, int to);
  bool receive(int from, Take take, void* to);

  MPI_Comm comm_;
  int rank_, ranks_of_group_;
  Failure failure_;
  int children_[most_children]{};
  std::size_t count_ = 0;
};

// Calls visit(part) for a value or an array, or for those that a collection consists of.
template <class Parts, class Visitor>
void visit_parts(Parts& parts, Visitor&& visit) {
  if constexpr (requires { parts.visit(visit); }) parts.visit(visit);
  else visit(parts);
}

template <class Parts>
void send_parts(Tree& tree, Parts& parts, int to) {
  visit_parts(parts, [&](auto& part) { tree.send(part, to); });
}
// All arrays are empty if one of the parts does not arrive: the others belong to it.
template <class Parts>
void receive_parts(Tree& tree, Parts& parts, int from) {
  bool is_whole = true;
  visit_parts(parts, [&](auto& part) { is_whole = tree.receive(part, from) && is_whole; });
  if (is_whole) return;
  visit_parts(parts, [&](auto& part) {
    if constexpr (IsArray<std::remove_reference_t<decltype(part)>>) part.clear();
  });
}

// Adds what the children tell, by own.add(told): false if memory is used up.
template <class Parts>
void add_children(Tree& tree, Parts& own) {
  for (int const child : tree.children()) {
    Parts told;
    receive_parts(tree, told, child);
    tree.require(own.add(told));
  }
}
template <class Parts>
void reduce_up(Tree& tree, Parts& own) {
  add_children(tree, own);
  if (!tree.is_root()) send_parts(tree, own, tree.parent());
}

template <class Parts>
void tell_down(Tree& tree, Parts& told) {
  if (!tree.is_root()) receive_parts(tree, told, tree.parent());
  for (int const child : tree.children()) visit_parts(told, [&](auto& part) { tree.tell(part, child); });
}

}  // namespace commprof
