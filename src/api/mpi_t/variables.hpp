// Performance variables of MPI's tool interface (MPI-4.0 §15.3.7): the profiler's counts, for programs and tools that
// do not know the profiler.
//
// variables.hpp lists the variables, numbering.hpp assigns their indices, handles.hpp has the handles that a program
// allocates. calls.cpp wraps the functions of MPI_T, and forwards calls about the MPI's own variables.
//
// The Open MPI monitoring component (Bosilca, Foyer, Jeannot, Mercier, Papauré: Online Dynamic Monitoring of MPI
// Communications, 2017) has similar variables under other names. Programs written for it find these names with any MPI:
// ours stand in if the MPI has no usable variable of that name.
#pragma once

#include <cstdint>
#include <string_view>

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
  bool stands_in;  // for a variable of this name that the MPI itself may have
  int var_class;
  MPI_Datatype datatype;
  std::string_view description;
};

// False if the profiler is switched off: MPI_T then only has the MPI's variables.
bool are_served();

inline constexpr int variable_count = 6;
Variable const& variable_at(int place);
int place_of(Variable const& variable);

// The variable of this name; nullptr if it is neither ours nor one that we stand in for.
Variable const* find(std::string_view name);

// Whether the variable is available now. With COMMPROF_PEERS=0, no messages are counted; and we stand in only for
// variables that the MPI lacks.
bool is_offered(Variable const& variable);

}  // namespace commprof::mpi_t
