// The parts of the wrappers of the Fortran bindings. These wrappers forward the program's arguments unchanged to the
// next definition of their own symbol, and read the arguments that the profile needs.
//
// mpif.h and the modules mpi and mpi_f08 have one ABI: they pass the address of each argument, handles and statuses as
// integers or as derived types with that layout, logicals as integers, and the lengths of texts at the end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "counters/counters.hpp"
#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"
#include "mpi/type_sizes.hpp"

namespace commprof::fortran {

// The definition that a wrapper forwards to. The front stores it. Without a front, or if the definition was loaded
// later, it is looked up at the first call. Has the layout of front::NextDefinition.
inline constexpr struct WithDescriptors {
} with_descriptors;
class Next {
 public:
  explicit constexpr Next(char const* symbol, char const* symbol_with_descriptors = nullptr)
      : symbol_(symbol), symbol_with_descriptors_(symbol_with_descriptors) {}
  constexpr Next(char const* symbol, WithDescriptors) : symbol_(symbol), has_descriptors_(true) {}

  template <class... Arguments>
  void operator()(Arguments... arguments) {
    reinterpret_cast<void (*)(Arguments...)>(address())(arguments...);
  }

  // MPI_IN_PLACE if the buffer is Fortran's, else its address. An MPI passes a buffer's address or, as Open MPI does
  // from version 6 on, a descriptor (CFI_cdesc_t), which begins with it.
  void const* buffer(void const* argument) const;

 private:
  void* address() {
    void* const known = address_.load(std::memory_order_relaxed);
    return known != nullptr ? known : look_up();
  }
  void* look_up();

  char const* symbol_;
  std::atomic<void*> address_{nullptr};
  char const* symbol_with_descriptors_ = nullptr;
  bool has_descriptors_ = false;
};

// Sets what the next function takes for its variables to zero, for one that uses a variable without setting it. What
// the profiler leaves on the stack must not change what that does.
[[gnu::noinline]] inline void clear_stack() {
  std::byte volatile room[1024];
  for (std::byte volatile& one : room) one = std::byte{};
}

inline int integer(void const* argument) { return *static_cast<MPI_Fint const*>(argument); }

// A text without the blanks with which Fortran pads it.
inline std::string_view text(void const* argument, std::size_t length) {
  std::string_view const padded(static_cast<char const*>(argument), length);
  return padded.substr(0, padded.find_last_not_of(' ') + 1);
}

// A handle for CurrentCall: the integer, since converting it would call MPI.
inline std::uint64_t shown(void const* handle) { return bits_of_integer(integer(handle)); }
static_assert(CurrentCall::of_fortran == bits_of_integer(0));

// The error argument of a call. The profiler needs it even if the program omits it, as mpi_f08 allows.
class ErrorOut {
 public:
  explicit ErrorOut(void* ierror) : error_(ierror == nullptr ? &own_ : ierror) {}
  void* get() const { return error_; }
  int result() const { return integer(error_); }

 private:
  MPI_Fint own_ = MPI_SUCCESS;
  void* error_;
};

inline void succeed(void* ierror) {
  if (ierror != nullptr) *static_cast<MPI_Fint*>(ierror) = MPI_SUCCESS;
}

// Constants of Fortran, which are recognised by their address. A program without Fortran lacks them.
class Constants {
 public:
  // A symbol, and the offset of the constant from it.
  struct Place {
    char const* symbol;
    std::size_t offset;
  };
  template <std::size_t n>
  explicit constexpr Constants(Place const (&places)[n]) : places_(places), count_(n) {
    static_assert(n <= most);
  }

  bool contain(void const* argument) {
    if (!are_found_.load(std::memory_order_acquire)) [[unlikely]]
      find();
    // Most arguments are outside the range.
    return reinterpret_cast<std::uintptr_t>(argument) - lowest_ <= span_ && has(argument);
  }

 private:
  static constexpr std::size_t most = 8;
  void find();
  bool has(void const* argument) const;

  Place const* places_;
  std::size_t count_;
  std::atomic<bool> are_found_{false};
  std::uintptr_t lowest_ = 0;
  std::uintptr_t span_ = 0;  // distance from the lowest address to the highest
  void const* addresses_[most]{};
};
extern Constants in_place_constants, ignore_constants;
// Finds the addresses. Asks the dynamic linker, which a later call of MPI had better not do: see src/front/front.cpp.
void find_constants();

// MPI_IN_PLACE if the argument is Fortran's, else the argument.
inline void const* buffer(void const* argument) {
  return in_place_constants.contain(argument) ? MPI_IN_PLACE : argument;
}

inline void const* Next::buffer(void const* argument) const {
  return fortran::buffer(has_descriptors_ ? *static_cast<void const* const*>(argument) : argument);
}

// MPI_STATUS_IGNORE or MPI_STATUSES_IGNORE if the argument is one of Fortran's, else the statuses, whose layout is C's.
[[gnu::always_inline]] inline MPI_Status* statuses(void* argument) {
  bool const ignored =
      argument == MPI_F_STATUS_IGNORE || argument == MPI_F_STATUSES_IGNORE || ignore_constants.contain(argument);
  return ignored ? MPI_STATUS_IGNORE : static_cast<MPI_Status*>(argument);
}

// Converts predefined datatypes by a table, without a call of MPI: no program can free them.
inline MPI_Datatype datatype(MPI_Fint integer) {
  if constexpr (!std::is_integral_v<MPI_Datatype>)
    if (MPI_Datatype const known = type_sizes.predefined(integer); known != MPI_Datatype{}) [[likely]]
      return known;
  return PMPI_Type_f2c(integer);
}
inline MPI_Datatype datatype(void const* argument) { return datatype(integer(argument)); }

// The argument to forward: the profiler's statuses, or the program's argument if the profiler has none.
inline void* statuses_or(MPI_Status* statuses, void* given) {
  return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE ? given : statuses;
}

// An array of datatypes, converted as it is read.
class Datatypes {
 public:
  explicit Datatypes(void const* array) : array_(static_cast<MPI_Fint const*>(array)) {}
  MPI_Datatype operator[](int i) const { return datatype(array_[i]); }

 private:
  MPI_Fint const* array_;
};

}  // namespace commprof::fortran
