#include "mpi/type_sizes.hpp"

namespace commprof {

constinit TypeSizes type_sizes;

std::uint64_t TypeSizes::ask(MPI_Datatype datatype) {
  int size = 0;
  PMPI_Type_size(datatype, &size);
  if (size >= 0) [[likely]]
    return static_cast<std::uint64_t>(size);
  MPI_Count large = 0;
  PMPI_Type_size_x(datatype, &large);
  return large > 0 ? static_cast<std::uint64_t>(large) : 0;
}

void TypeSizes::fill() {
  // clang-format off
  MPI_Datatype const types[] = {
      MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_WCHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
      MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE,
      MPI_LONG_DOUBLE, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T,
      MPI_UINT64_T, MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_AINT, MPI_OFFSET, MPI_COUNT,
      MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_INTEGER, MPI_REAL,
      MPI_DOUBLE_PRECISION, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_LOGICAL, MPI_CHARACTER, MPI_INTEGER4, MPI_INTEGER8,
      MPI_REAL4, MPI_REAL8};
  // clang-format on
  for (MPI_Datatype const type : types) {
    if (type == MPI_DATATYPE_NULL) continue;
    entries_[place(handle_bits(type))] = {handle_bits(type), ask(type)};
    auto const integer = static_cast<std::uint32_t>(PMPI_Type_c2f(type));
    if (!std::is_integral_v<MPI_Datatype> && integer < integers) by_integer_[integer] = type;
  }
}

}  // namespace commprof
