// Finds the owner of a name: the object with the next definition of an entry point, behind the front.
//
// The dynamic linker has bound the callers of a function to the front. Without the front, they would call the next
// definition in the global scope. That need not be the MPI's: stand-ins for MPI in serial programs, tools over PMPI,
// and libraries unrelated to MPI define functions of these names.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "flavour/services.hpp"
#include "front/objects.hpp"

namespace commprof::front {

enum class Owner : std::uint8_t {
  nobody,
  mpi,    // the MPI of the process, or one of its Fortran libraries
  tool,   // a library that calls functions of PMPI: a wrapper can forward the program's calls to it
  other,  // any other object
};

struct Definition {
  void* address = nullptr;
  void* behind_other = nullptr;  // the MPI's definition, if that is not the owner but Owner::other
  Owner owner = Owner::nobody;
  // Loaded objects other than the front define the name, but outside the global scope: only some callers see them.
  bool is_elsewhere = false;
  // An object that precedes the front in the search order, other than the MPI, defines the name: the program or another
  // preloaded library. Callers are bound to that definition.
  bool is_before_front = false;

  bool is_for_all() const { return address != nullptr && !is_elsewhere; }
};

// The owners of the entry points from first to last, found in one pass. A name without a definition in the global scope
// belongs to the MPI if that defines it; the program may have loaded the MPI outside that scope.
class Owners {
 public:
  // mpi: the MPI of the process; nullptr if it has none, or several.
  Owners(std::size_t first, std::size_t last, link_map const* mpi);
  Owners(Owners const&) = delete;
  Owners& operator=(Owners const&) = delete;
  ~Owners();

  Definition operator[](std::size_t number) const {
    return definitions_ == nullptr ? Definition{} : definitions_[number - first_];
  }

 private:
  std::size_t first_;
  std::size_t bytes_ = 0;
  Definition own_;  // storage for one result
  Definition* definitions_ = nullptr;
};

inline Definition owner(std::size_t number, link_map const* mpi) { return Owners(number, number + 1, mpi)[number]; }

// The load address of the front.
void const* own_base();

// The definition to which a wrapper forwards calls, and those of other symbols that wrappers need: the next definition
// or, if the MPI is outside the global scope, the first one in load order.
void* find_behind(char const* symbol, link_map const* mpi);

// The entry points of UCX and libfabric, to which an MPI gives its messages. They lead to the next definition, as in a
// process without MPI, until the flavour wants to observe them.
inline std::atomic<bool> is_transport_observed{false};

struct TransportUse {
  link_map const* mpi;      // nullptr if unknown
  link_map const* flavour;  // nullptr if the process is not profiled
  Services const& services;
};

// The function that an entry point jumps to: the flavour's, which then calls the next definition; or the next
// definition itself.
void* transport_target(std::size_t number, Definition const& found, TransportUse const& use);

// Sets all entry points of transports whose next definition is known.
void lead_transport(TransportUse const& use);

}  // namespace commprof::front
