// What a program allocates of our variables: each handle has a value of its own, which grows while the handle is
// started.
#pragma once

#include "api/mpi_t/variables.hpp"
#include "api/readings/members.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"

namespace commprof::mpi_t {

class Handle {
 public:
  // Binds the variable to a communicator; nullptr when memory is used up.
  static Handle* make(MPI_T_pvar_session session, Quantity quantity, MPI_Comm comm, CommIndex index);
  static void destroy(Handle* handle);

  MPI_T_pvar_session session() const { return session_; }
  int count() const { return static_cast<int>(values_.size()); }

  // False if it is so already.
  bool start();
  bool stop();
  void reset();
  // buffer: room for count() elements of the variable's datatype.
  void read(void* buffer);
  // Loses nothing in between.
  void read_and_reset(void* buffer);

 private:
  Handle(MPI_T_pvar_session session, Quantity quantity, CommIndex comm)
      : session_(session), comm_(comm), quantity_(quantity) {}

  // What was counted since the beginning.
  void take_stock(PageVector<std::uint64_t>& values) const;
  // Adds what was counted since the handle was started or this was called.
  void advance();

  MPI_T_pvar_session session_;
  CommIndex comm_;
  Quantity quantity_;
  bool is_started_ = false;
  readings::Members members_;
  PageVector<std::uint64_t> values_;  // time in ticks
  PageVector<std::uint64_t> until_;   // what they hold already of what was counted
  PageVector<std::uint64_t> stock_;   // room
};

// The allocated handles. The program gets a number, not an address. Numbers come from an address range that no pointer
// of MPI can be in and are never reused, so freeing a handle twice cannot free a newer one.
class HandleTable {
 public:
  // Whether the program's handle is one of ours, allocated or freed.
  bool is_own(MPI_T_pvar_handle handle) const;

  // The null handle when memory is used up.
  MPI_T_pvar_handle add(Handle* handle);

  // nullptr if it is none of the session's.
  Handle* find(MPI_T_pvar_session session, MPI_T_pvar_handle handle) const;
  void remove(Handle* handle);

  template <class Visitor>
  void for_each(MPI_T_pvar_session session, Visitor&& visit) const {
    for (Entry const& entry : live_)
      if (entry.handle->session() == session) visit(*entry.handle);
  }
  void remove_all(MPI_T_pvar_session session);

 private:
  struct Entry {
    MPI_T_pvar_handle given_out;
    Handle* handle;
  };
  static constexpr std::size_t range_bytes = std::size_t{1} << 24;

  char* range_ = nullptr;
  std::size_t next_ = 0;
  PageVector<Entry> live_;
};

}  // namespace commprof::mpi_t
