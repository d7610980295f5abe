// Performance variables of the tool interface of MPI (MPI-4.0 §15.3.7): what the profiler counts, for programs and
// tools that know nothing of the profiler.
//
// variables.hpp says which variables there are, numbering.hpp what their indices are, handles.hpp has what a program
// allocates of them; calls.cpp stands in for the functions of MPI_T that deal with them, and hands on what concerns the
// MPI's own variables.
//
// The Open MPI monitoring component (Bosilca, Foyer, Jeannot, Mercier, Papauré: Online Dynamic Monitoring of MPI
// Communications, 2017) has such variables under names of its own. Programs written for it find them on any MPI: where
// the MPI has none of that name that can be used, ours serve.
#pragma once

#include <cstdint>
#include <string_view>

#include "mpi/mpi.hpp"

namespace commprof::mpi_t {

enum class Quantity : std::uint8_t {
  messages,       // sent point-to-point, to each process
  message_bytes,  // their bytes
  calls,          // all together
  time,           // in them, in seconds
};

// Whether it has a value for each process of a communicator, and not one in all.
constexpr bool is_of_peers(Quantity quantity) {
  return quantity == Quantity::messages || quantity == Quantity::message_bytes;
}

struct Variable {
  std::string_view name;
  Quantity quantity;
  bool stands_in;  // for a variable of that name that the MPI itself may have
  int var_class;
  MPI_Datatype datatype;
  std::string_view description;
};

// False where the profiler is told to do nothing: MPI_T is then the MPI's alone.
bool are_served();

inline constexpr int variable_count = 6;
Variable const& variable_at(int place);
int place_of(Variable const& variable);

// The variable of a name, nullptr if it is not ours, nor one that we would stand in for.
Variable const* find(std::string_view name);

// Whether the variable can be had at present: no messages are counted with COMMPROF_PEERS=0, and we only stand in for
// what the MPI does not have.
bool is_offered(Variable const& variable);

}  // namespace commprof::mpi_t
