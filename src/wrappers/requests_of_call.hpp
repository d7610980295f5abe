// The requests that a call was given, in the binding it was called through: handles of C or integers of Fortran.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "mpi/mpi.hpp"
#include "request_table/requests.hpp"

namespace commprof {

class RequestsOfCall {
 public:
  RequestsOfCall(MPI_Request const* requests) : first_(requests), is_fortran_(false) {  // NOLINT: stands for the array
    if (requests::keys_are_integers()) [[unlikely]]
      if (requests != nullptr) requests::use_handles();
  }
  static RequestsOfCall of_fortran(void const* requests) { return {requests, true}; }
  // Restores an object of which first() was kept.
  static RequestsOfCall known(void const* first, bool is_fortran) { return {first, is_fortran}; }
  void const* first() const { return first_; }

  explicit operator bool() const { return first_ != nullptr; }

  // The table's key of request i, valid until the request completes. null_key(): the key of MPI_REQUEST_NULL.
  [[gnu::always_inline]] RequestKey key(std::size_t i) const {
    return is_fortran_ ? requests::key_of_integer(integers()[i]) : requests::key_of(handles()[i]);
  }
  RequestKey null_key() const {
    return is_fortran_ ? requests::null_key_of_integers() : requests::key_of(MPI_REQUEST_NULL);
  }

  MPI_Request handle(std::size_t i) const { return is_fortran_ ? PMPI_Request_f2c(integers()[i]) : handles()[i]; }
  bool is_null(std::size_t i) const {
    return is_fortran_ ? integers()[i] == requests::null_in_fortran() : handles()[i] == MPI_REQUEST_NULL;
  }
  // Whether the call failed without writing its output arguments: Open MPI's Fortran returns neither requests nor
  // statuses nor indices then.
  bool puts_nothing_out(int result) const {
    return !std::is_integral_v<MPI_Request> && is_fortran_ && result != MPI_SUCCESS;
  }
  // Whether MPI has taken the request back in a call of that result.
  bool is_taken_back(std::size_t i, int result) const {
    return is_null(i) || (puts_nothing_out(result) && PMPI_Request_f2c(integers()[i]) == MPI_Request{});
  }
  // The address of the program's variable.
  std::uint64_t variable(std::size_t i) const {
    return is_fortran_ ? requests::variable_of(integers() + i) : requests::variable_of(handles() + i);
  }

 private:
  RequestsOfCall(void const* first, bool is_fortran) : first_(first), is_fortran_(is_fortran) {}
  MPI_Request const* handles() const { return static_cast<MPI_Request const*>(first_); }
  MPI_Fint const* integers() const { return static_cast<MPI_Fint const*>(first_); }

  void const* first_;
  bool is_fortran_;
};

}  // namespace commprof
