// From the handle of a communicator, a window or a file to the communicator's record and name; follows the
// communicator's life: created, named, freed. Folders that know MPI include this header; others include registry.hpp.
//
// A communicator has its record as an attribute. A communicator whose creation was not seen gets a record when a call
// uses it first. Names need no message: see comm_name.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/ids.hpp"
#include "comm_naming/registry.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

// The communicator that a call was given, in the binding it was called through: a handle of C or an integer of Fortran.
// An integer is converted only when MPI needs the handle: if handles are pointers, PMPI_Comm_f2c costs a look-up.
class CommOfCall {
 public:
  CommOfCall(MPI_Comm handle) : bits_(handle_bits(handle)) {  // NOLINT: stands for the handle
    if (is_integer()) __builtin_unreachable();                // so that a wrapper of C need not ask
  }
  static CommOfCall of_fortran(MPI_Fint integer) {
    if constexpr (std::is_integral_v<MPI_Comm>) return PMPI_Comm_f2c(integer);
    else return CommOfCall(bits_of_integer(integer));
  }

  // All members are inlined: a call that takes the address of this object would keep it on the stack instead of in
  // registers.
  [[gnu::always_inline]] operator MPI_Comm() const {  // NOLINT: stands for the handle
    return is_integer() ? PMPI_Comm_f2c(integer()) : handle_of_bits<MPI_Comm>(bits_);
  }

  // A value that no other live communicator has in this binding.
  [[gnu::always_inline]] std::uint64_t key() const { return bits_; }

  // Whether the record holds this handle or integer. False does not mean that it is another communicator.
  [[gnu::always_inline]] bool is_of(Communicator const& record) const {
    return is_integer() ? record.has_integer(integer()) : record.has_handle(bits_);
  }
  // Stores the integer in the record if the record holds the handle. handle: the same communicator in C.
  void show_in(Communicator& record, MPI_Comm handle) const {
    if (is_integer() && record.has_handle(handle_bits(handle))) record.show_integer(integer());
  }

 private:
  explicit CommOfCall(std::uint64_t bits) : bits_(bits) {}
  [[gnu::always_inline]] bool is_integer() const { return are_of_integer(bits_); }
  [[gnu::always_inline]] MPI_Fint integer() const { return integer_of_bits(bits_); }

  std::uint64_t bits_;
};

// One live communicator: its handle and its record.
class CommView {
 public:
  CommOfCall handle;
  Communicator const& record;

  // A folded record stands for communicators of different kinds and sizes, in which this process has different ranks.
  int rank() const {
    if (!record.is_folded) [[likely]]
      return record.rank;
    return told_by<PMPI_Comm_rank>(handle);
  }
  int size() const {
    if (!record.is_folded) [[likely]]
      return record.size;
    return told_by<PMPI_Comm_size>(handle);
  }
  bool is_inter() const {
    if (!record.is_folded) [[likely]]
      return record.is_inter;
    return told_by<PMPI_Comm_test_inter>(handle) != 0;
  }
  // Whether this process is the root of a collective; on an intercommunicator, whether root is MPI_ROOT.
  bool is_root(int root) const {
    if (root == record.own_root) return true;
    if (record.own_root != Communicator::root_unknown) return false;
    return root == (is_inter() ? MPI_ROOT : rank());
  }
  // The size of the remote group of an intercommunicator; otherwise size().
  int remote_size() const {
    if (!is_inter()) return size();
    return record.is_folded ? told_by<PMPI_Comm_remote_size>(handle) : record.remote_size;
  }
  // The topology, as MPI_Topo_test returns it.
  int topology() const { return topology_of(handle, record.letter); }

 private:
  static int topology_of(MPI_Comm handle, Letter letter);
};

namespace communicators {

extern Registry registry;

// Must be called once, when MPI can be used. world: the group of all processes; kept. False if MPI refuses an attribute
// key; then nothing can be profiled.
bool start(std::uint32_t max_children, MPI_Group world);

// Attaches the records of MPI_COMM_WORLD, MPI_COMM_SELF and the parent communicator. True if another world has spawned
// this one.
bool attach_predefined();

// The record of a valid communicator; unknown only if memory is used up.
CommIndex of(MPI_Comm comm);

// The record for a handle that may be invalid, looked up without a call that could raise a second error.
CommIndex of_doubtful(MPI_Comm comm);

// The record for a value that need not be a valid handle; unknown if it is not a communicator's. Does not call the
// program's error handlers.
CommIndex of_any(MPI_Comm comm);

// Counts a creation call that has returned and, if it created a communicator, gives that a record. Must be called for
// every creation call, counted or not: all members of the parent must come to one count. several: the call can create
// several communicators at once. reorder: the flag of a topology, else -1. parent_handle: MPI_COMM_NULL for the world,
// if the call gets groups instead of a communicator.
struct CreationCall {
  Op op;
  Letter letter;
  bool several;
  int reorder;
  CallTag tag = {};
  SiteIndex site = SiteIndex::none;
};
void created(CreationCall const& call, CommIndex parent, MPI_Comm parent_handle, MPI_Comm comm);

// The name of a communicator, in a room of Registry::max_name bytes.
std::string_view name(CommIndex index, char* room);

// The world rank of a process of a communicator (of the remote group of an intercommunicator), or of a window.
WorldRank world_rank(CommView const& comm, int rank);
WorldRank world_rank(MPI_Win win, int rank);

// The world ranks of all processes of a communicator (of the remote group of an intercommunicator), by their rank in
// it. size: the room in ranks.
void world_ranks(MPI_Comm comm, bool is_inter, int size, WorldRank* ranks);

// Called for MPI_Comm_set_name.
void named(MPI_Comm comm, std::string_view name);

// Observes the attribute of a communicator during the call that frees it.
class Release {
 public:
  explicit Release(MPI_Comm const* comm);
  Release(Release const&) = delete;
  Release& operator=(Release const&) = delete;
  // After the call, once: the communicator that was freed, or whose freeing failed.
  CommIndex index(int result) const;

 private:
  MPI_Comm handle_;
  AwaitedRelease outer_;  // within which this one is
};

}  // namespace communicators

// The communicators that windows or files were made from, in a table of the live ones: files have no attributes, and
// the handle of a failed call may be invalid. Any thread may call these functions.
template <class Handle>
class MadeFrom {
 public:
  static void created(MPI_Comm comm, Handle object) { table.add(handle_bits(object), communicators::of(comm)); }

  // result: of the call that was given the object. CommIndex::self if the creation was not seen: an MPI may make
  // windows by itself. CommIndex::unknown if the object may be invalid.
  static CommIndex of(Handle object, int result) { return self_if_valid(table.of(handle_bits(object)), result); }

  // The communicator of an object that a call releases. Construct it before the call.
  class Release {
   public:
    explicit Release(Handle const* object)
        : handle_(object == nullptr ? 0 : handle_bits(*object)), comm_(table.take(handle_)) {}
    CommIndex index(int result) const {
      if (result != MPI_SUCCESS && comm_ != CommIndex::unknown) table.add(handle_, comm_);
      return self_if_valid(comm_, result);
    }

   private:
    std::uint64_t handle_;
    CommIndex comm_;
  };

 private:
  static CommIndex self_if_valid(CommIndex known, int result) {
    return known == CommIndex::unknown && result == MPI_SUCCESS ? CommIndex::self : known;
  }
  inline static constinit Origins table;
};
// The communicators of messages that a probe has matched and no call has received yet.
inline constinit Origins matched_messages;

using Windows = MadeFrom<MPI_Win>;
using Files = MadeFrom<MPI_File>;

}  // namespace commprof
