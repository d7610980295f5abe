// The communicator that a call was given, in the binding it was called through: a handle of C or an integer of Fortran.
//
// An integer is converted only when MPI needs the handle: if handles are pointers, PMPI_Comm_f2c costs a look-up.
#pragma once

#include <cstdint>
#include <type_traits>

#include "comm_naming/registry.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

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

}  // namespace commprof
