// Performance variables of MPI's tool interface (MPI-4.0 §15.3.7): the profiler's counts, for programs and tools that
// do not know the profiler.
//
// mpi_t.cpp wraps the functions of MPI_T, and forwards calls about the MPI's own variables. variables.cpp has ours, and
// the handles that a program allocates for them.
#pragma once

#include <cstdint>
#include <string_view>

#include "api/readings/readings.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "mpi/mpi.hpp"

namespace commprof::mpi_t {

enum class Quantity : std::uint8_t {
  messages,       // point-to-point messages sent, by receiver
  message_bytes,  // bytes of these messages
  calls,          // number of all calls
  time,           // seconds in calls
};

// Whether there is a value for each process of a communicator, instead of a single one.
constexpr bool is_of_peers(Quantity quantity) {
  return quantity == Quantity::messages || quantity == Quantity::message_bytes;
}

struct Variable {
  std::string_view name;
  Quantity quantity;
  int var_class;
  MPI_Datatype datatype;
  std::string_view description;
};

// False if the profiler is switched off: MPI_T then only has the MPI's variables.
bool are_served();

inline constexpr int variable_count = 4;
Variable const& variable_at(int place);
int place_of(Variable const& variable);

// Our variable of this name; nullptr if there is none.
Variable const* find(std::string_view name);

// Whether the variable is available. With COMMPROF_PEERS=0, no messages are counted.
bool is_offered(Variable const& variable);

// A program sees our variables first, and the MPI's after them: so an index stays valid when the MPI adds variables
// (MPI-4.0 §15.3.7).
constexpr int index_of_native(int native) { return native + variable_count; }

// The handles that a program has allocated for our variables. A handle has a value of its own, which grows while the
// handle is started.
class Handle {
 public:
  // Creates a handle for a variable of a communicator; nullptr if memory is used up.
  static Handle* make(MPI_T_pvar_session session, Quantity quantity, MPI_Comm comm, CommIndex index);
  static void destroy(Handle* handle);

  MPI_T_pvar_session session() const { return session_; }
  int count() const { return static_cast<int>(values_.size()); }

  // False if the handle is in this state already.
  bool start();
  bool stop();
  void reset();
  // buffer: room for count() elements of the variable's datatype.
  void read(void* buffer);
  // Atomic: no count between the two is lost.
  void read_and_reset(void* buffer);

 private:
  Handle(MPI_T_pvar_session session, Quantity quantity, CommIndex comm)
      : session_(session), comm_(comm), quantity_(quantity) {}

  // Reads what was counted since the process began.
  void take_stock(PageVector<std::uint64_t>& values) const;
  // Adds what was counted since the handle was started or since the last call.
  void advance();

  MPI_T_pvar_session session_;
  CommIndex comm_;
  Quantity quantity_;
  bool is_started_ = false;
  readings::Members members_;
  PageVector<std::uint64_t> values_;  // times are in ticks
  PageVector<std::uint64_t> until_;   // what has been added to values_ so far
  PageVector<std::uint64_t> stock_;   // scratch memory
};

// The allocated handles. A program gets a number, not an address. Numbers come from a range in which no pointer of the
// MPI can be, and are never reused, so freeing a handle twice cannot free a newer one.
class HandleTable {
 public:
  // Whether the handle is one of ours, allocated or freed.
  bool is_own(MPI_T_pvar_handle handle) const;

  // The null handle if memory is used up.
  MPI_T_pvar_handle add(Handle* handle);

  // nullptr if the handle does not belong to the session.
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
