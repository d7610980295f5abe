// What the wrappers of the Fortran bindings are made of. They hand the program's arguments on untouched, to the next
// definition of their own symbol, and read them where the profile needs their values.
//
// mpif.h, the module mpi and the module mpi_f08 pass the same things: the address of each argument, handles and statuses as
// integers or as derived types with the same layout, logicals as integers, and the lengths of texts at the end.
#pragma once

#include <atomic>
#include <cstddef>

#include "profile/mpi.hpp"

namespace commprof::fortran {

// The definition that a wrapper hands on to, looked up at the first call: a program without Fortran has none.
class Next {
 public:
  explicit constexpr Next(char const* symbol) : symbol_(symbol) {}

  template <class... Arguments>
  void operator()(Arguments... arguments) {
    reinterpret_cast<void (*)(Arguments...)>(address())(arguments...);
  }

 private:
  void* address() {
    void* const known = address_.load(std::memory_order_relaxed);
    return known != nullptr ? known : look_up();
  }
  void* look_up();

  char const* symbol_;
  std::atomic<void*> address_{nullptr};
};

inline int integer(void const* argument) { return *static_cast<MPI_Fint const*>(argument); }

// The error code, which mpi_f08 lets a program leave out.
inline int result(void const* ierror) { return ierror == nullptr ? MPI_SUCCESS : integer(ierror); }

// MPI_IN_PLACE if the argument is Fortran's, else the argument.
void const* buffer(void const* argument);

// MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE if the argument is one of Fortran's, else the statuses, whose layout is C's.
MPI_Status* statuses(void* argument);

// An array of datatypes, converted as it is read.
class Datatypes {
 public:
  explicit Datatypes(void const* array) : array_(static_cast<MPI_Fint const*>(array)) {}
  MPI_Datatype operator[](int i) const { return PMPI_Type_f2c(array_[i]); }

 private:
  MPI_Fint const* array_;
};

}  // namespace commprof::fortran
