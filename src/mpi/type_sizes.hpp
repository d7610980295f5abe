// The predefined datatypes, which nearly all calls use and no program can free: their sizes, and their Fortran
// integers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mpi/mpi.hpp"

namespace commprof {

class TypeSizes {
 public:
  struct Entry {
    std::uint64_t handle;
    std::uint64_t bytes;
  };

  // Must be called once, when MPI can be used.
  void fill();

  // The entry at a datatype's place, which may be that of another datatype.
  Entry const& at(MPI_Datatype datatype) const { return entries_[place(handle_bits(datatype))]; }

  // The datatype of a Fortran integer, if handles are pointers; MPI_Datatype{} if it is not in the table.
  MPI_Datatype predefined(MPI_Fint integer) const {
    auto const i = static_cast<std::uint32_t>(integer);
    return i < integers ? by_integer_[i] : MPI_Datatype{};
  }

  // Asks MPI for the size of a datatype.
  static std::uint64_t ask(MPI_Datatype datatype);

 private:
  static constexpr unsigned bits = 10;
  static std::size_t place(std::uint64_t handle) {
    return static_cast<std::uint32_t>(handle) * 0x9E3779B1U >> (32 - bits);
  }

  Entry entries_[std::size_t{1} << bits]{};
  static constexpr std::uint32_t integers = std::is_integral_v<MPI_Datatype> ? 1 : 128;
  MPI_Datatype by_integer_[integers]{};
};

extern TypeSizes type_sizes;

}  // namespace commprof
