// Joins the table of calls with the functions that an mpi.h declares.
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
  calls::Row const* row = nullptr;  // of a wrapped function
  std::vector<std::string> names;   // of its parameters
};

// What the table says of each prototype. Throws std::runtime_error where a row and its prototype differ in their number
// of parameters.
std::vector<Function> join_table(std::vector<Prototype> prototypes);

std::vector<std::string> words(std::string_view text);

// One line for each function, by what becomes of it, with totals.
std::string coverage_report(std::vector<Function> const& functions);

}  // namespace commprof::generator
