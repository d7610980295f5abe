// The keys that the request table knows requests by: the bits of their C handles. With Open MPI, as long as one thread
// issues and completes all requests in Fortran, keys are the Fortran integers (with bit 63 set), which saves
// PMPI_Request_f2c at each call. The first call in C converts all entries.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "mpi/mpi.hpp"

namespace commprof {

using RequestKey = std::conditional_t<std::is_integral_v<MPI_Request>, std::uint32_t, std::uint64_t>;

namespace requests {

namespace keys {
inline std::atomic<bool> are_integers{false};
inline MPI_Fint null_in_fortran = 0;
inline RequestKey of(MPI_Fint integer) { return static_cast<RequestKey>(bits_of_integer(integer)); }
}  // namespace keys

// Must be called once, when MPI can be used and it is known whether there are threads.
void begin_keys(bool threaded);

inline bool keys_are_integers() {
  return !std::is_integral_v<MPI_Request> && keys::are_integers.load(std::memory_order_relaxed);
}
// Converts all entries to handles. Keys are handles from now on.
void use_handles();

inline RequestKey key_of(MPI_Request handle) { return static_cast<RequestKey>(handle_bits(handle)); }
inline RequestKey key_of_integer(MPI_Fint integer) {
  return keys_are_integers() ? keys::of(integer) : key_of(PMPI_Request_f2c(integer));
}
inline RequestKey null_key_of_integers() {
  return keys_are_integers() ? keys::of(keys::null_in_fortran) : key_of(MPI_REQUEST_NULL);
}

// MPI_REQUEST_NULL.
inline MPI_Fint null_in_fortran() {
  if constexpr (std::is_integral_v<MPI_Request>) return PMPI_Request_c2f(MPI_REQUEST_NULL);
  else return keys::null_in_fortran;
}

}  // namespace requests
}  // namespace commprof
