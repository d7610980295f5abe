#include "api/mpi_t/variables.hpp"

#include <algorithm>
#include <iterator>

#include "counters/counters.hpp"

namespace commprof::mpi_t {

namespace {

// The monitoring component's variables have the class SIZE, not COUNTER. A program written for it needs to change only
// the name.
Variable const variables[] = {
    {"commprof_messages_count", Quantity::messages, false, MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG,
     "Messages sent point-to-point to each process of the communicator"},
    {"commprof_messages_size", Quantity::message_bytes, false, MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG,
     "Bytes sent point-to-point to each process of the communicator"},
    {"commprof_calls", Quantity::calls, false, MPI_T_PVAR_CLASS_COUNTER, MPI_UNSIGNED_LONG,
     "MPI calls of this process on the communicator"},
    {"commprof_time", Quantity::time, false, MPI_T_PVAR_CLASS_TIMER, MPI_DOUBLE,
     "Seconds of this process in MPI calls on the communicator"},
    {"pml_monitoring_messages_count", Quantity::messages, true, MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG,
     "commprof_messages_count, under the name that Open MPI has for it"},
    {"pml_monitoring_messages_size", Quantity::message_bytes, true, MPI_T_PVAR_CLASS_SIZE, MPI_UNSIGNED_LONG,
     "commprof_messages_size, under the name that Open MPI has for it"},
};

static_assert(std::size(variables) == variable_count);

// Reads the options early: a program may use MPI_T without MPI_Init.
Options const& options() {
  static Options const early = [] {
    settings.read();
    return settings.options();
  }();
  return early;
}

// Open MPI 4.1 lists variables that disappear later, and crashes when one is allocated before MPI_Init.
bool mpi_has(Variable const& variable) {
  int has_begun = 0, has_ended = 0, index = 0;
  PMPI_Initialized(&has_begun);
  PMPI_Finalized(&has_ended);
  if (has_begun == 0 || has_ended != 0) return false;
  if (PMPI_T_pvar_get_index(variable.name.data(), variable.var_class, &index) != MPI_SUCCESS) return false;
  MPI_T_pvar_session session;
  if (PMPI_T_pvar_session_create(&session) != MPI_SUCCESS) return false;
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  MPI_Comm world = MPI_COMM_WORLD;
  int count = 0;
  bool const is_usable = PMPI_T_pvar_handle_alloc(session, index, &world, &handle, &count) == MPI_SUCCESS;
  if (is_usable) PMPI_T_pvar_handle_free(session, &handle);
  PMPI_T_pvar_session_free(&session);
  return is_usable;
}

}  // namespace

Variable const& variable_at(int place) { return variables[place]; }

int place_of(Variable const& variable) { return static_cast<int>(&variable - variables); }

bool are_served() { return options().enable; }

Variable const* find(std::string_view name) {
  auto const* const found =
      std::find_if(std::begin(variables), std::end(variables), [&](Variable const& v) { return v.name == name; });
  return found == std::end(variables) ? nullptr : found;
}

bool is_offered(Variable const& variable) {
  if (is_of_peers(variable.quantity) && !options().peers) return false;
  return !variable.stands_in || !mpi_has(variable);
}

}  // namespace commprof::mpi_t
