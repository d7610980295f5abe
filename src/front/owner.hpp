// Who owns a name: where the next definition of an entry point lies, behind the front.
//
// The dynamic linker has bound the callers of a function to the front. Without the front, they would call the next
// definition in the global scope. That need not be the MPI's: stand-ins for MPI in serial programs, tools over PMPI,
// and libraries that have nothing to do with MPI define functions of these names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "front/loaded_object.hpp"

namespace commprof::front {

enum class Owner : std::uint8_t {
  nobody,
  mpi,    // the MPI of the process, or one of its Fortran libraries
  tool,   // a library that calls functions of PMPI: a wrapper can forward the program's calls to it
  other,  // anything else
};

struct Definition {
  void* address = nullptr;
  Owner owner = Owner::nobody;
  // Loaded objects other than the front define the name, but out of the global scope: some callers may see them.
  bool is_elsewhere = false;
  // An object before the front in the order of the search, other than the MPI, defines the name: the program or another
  // preloaded library. Callers of such functions are bound there.
  bool is_before_front = false;

  bool is_for_all() const { return address != nullptr && !is_elsewhere; }
};

// The owners of the entry points from first to last, found at once. Where no definition is in the global scope, the
// MPI's own counts, which the program may have loaded out of it.
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
  Definition own_;  // room for one
  Definition* definitions_ = nullptr;
};

inline Definition owner(std::size_t number, link_map const* mpi) { return Owners(number, number + 1, mpi)[number]; }

}  // namespace commprof::front
