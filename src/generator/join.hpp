// Joins the call table with the functions that an mpi.h declares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calls/call_table.hpp"
#include "prototypes.hpp"

namespace commprof::generator {

enum class Coverage { wrapped, needs_none, unknown };

struct Function {
  Prototype prototype;
  Coverage coverage = Coverage::unknown;
  calls::Row const* row = nullptr;  // nullptr for a function without wrapper
  std::vector<std::string> names;   // names of its parameters
  bool is_declared = true;          // by mpi.h
};

// Finds the row of each prototype. Throws std::runtime_error if a row and its prototype differ in the number of
// parameters.
std::vector<Function> join_table(std::vector<Prototype> prototypes);

std::vector<std::string> words(std::string_view text);

}  // namespace commprof::generator
