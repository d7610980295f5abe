// Reads the prototypes of the MPI functions out of a preprocessed mpi.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace commprof::generator {

// A parameter's type in two parts, between which a name can stand: "const int" and "[]".
struct Parameter {
  std::string before;
  std::string after;

  std::string declare(std::string_view name) const { return before + " " + std::string(name) + after; }
};

struct Prototype {
  std::string name;  // MPI_Send
  std::string result;
  std::vector<Parameter> parameters;
  bool is_variadic = false;
};

// The functions that the text declares and whose names begin with MPI_ or MPIX_, in order of declaration, each once.
// Attributes and other extensions around a declaration are passed over; types, among them function types, are not
// functions.
std::vector<Prototype> read_prototypes(std::string_view preprocessed);

}  // namespace commprof::generator
