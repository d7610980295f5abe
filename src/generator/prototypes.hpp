// Reads the prototypes of MPI functions from a preprocessed mpi.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commprof::generator {

// A parameter's type in two parts, between which its name stands: "const int" and "[]".
struct Parameter {
  std::string before;
  std::string after;

  std::string declare(std::string_view name) const { return before + " " + std::string(name) + after; }
};

struct Prototype {
  std::string name;  // MPI_Send
  std::string result;
  std::vector<Parameter> parameters;
};

// The functions that the text declares and whose names begin with MPI_ or MPIX_, in the order of declaration, each
// once. Skips attributes and other extensions, and types, including function types.
std::vector<Prototype> read_prototypes(std::string_view preprocessed);

// The functions in the list of the standard ABI (src/mpi_abi/calls.h).
std::vector<Prototype> read_standard_calls(std::string_view list);

// Selects the functions that the preprocessed mpi.h lacks, although it has all of their types but MPI_Session.
std::vector<Prototype> missing_prototypes(std::vector<Prototype> standard, std::string_view preprocessed);

}  // namespace commprof::generator
