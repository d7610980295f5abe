// The parts of the build's generator, in their order: the functions of an mpi.h, joined with the call table; what a
// wrapper does around its call; the texts that the generator writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "calls/call_table.hpp"

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

enum class Coverage { wrapped, needs_none, unknown };

struct Function {
  Prototype prototype;
  Coverage coverage = Coverage::unknown;
  calls::Row const* row = nullptr;  // nullptr for a function without wrapper
  std::vector<std::string> names;   // names of its parameters
  bool is_declared = true;          // by mpi.h
};

// The functions that a preprocessed mpi.h declares, and those of the standard that it lacks and that have a wrapper:
// the program may run with a newer MPI under the same ABI. Empty if it declares none. Prototypes are those of the
// standard, from its preprocessed mpi.h (src/mpi_abi). Throws std::runtime_error if the standard and the table differ.
std::vector<Function> read_functions(std::string_view mpi_h, std::string_view standard);

std::vector<std::string> words(std::string_view text);

// What a wrapper does around the call that it forwards: the part common to all bindings.
//
// A shape contains the code before the call and after it, and the arguments to replace. It names the call's parameters
// as the table does, with values of C; each binding provides these variables.

// The code before the call, as far as it differs between bindings.
struct Before {
  bool keeps_status = false;       // a StatusOut for the parameter status
  bool keeps_message = false;      // declares a TakenMessage of the parameter message
  bool covers_requests = false;    // declares a Completion of the call's requests
  bool starts_requests = false;    // declares a Starting of the call's requests
  std::string observes_release{};  // class that observes the release of the first parameter, if any
};

struct Shape {
  Before before;
  std::string after;          // lines with their indentation
  bool keeps_tables = false;  // the wrapper also runs for calls that do not count
};

// Expressions for the addresses of the program's variables.
struct Addresses {
  std::string request = "request";
  std::string message = "message";
};

Shape shape_of(Function const& function, Addresses const& address);

// The member function of Call that decides whether the wrapper does more than forward the call.
std::string_view role(Shape const& shape);

// The statement that shows the call to readers of the spool: its operation, communicator and ranks. handle, rank:
// patterns for the values of these parameters, with {} for their names.
std::string show_call(Function const& function, std::string_view handle, std::string_view rank);

bool has(Function const& function, std::string_view parameter);

// Joins with commas: "a, b, c".
std::string list(std::vector<std::string> const& parts);

// For a call that covers requests: the parameters with the requests, their number, and their statuses; empty if it has
// none.
struct CoveredRequests {
  std::string count;  // "1" or a parameter
  std::string requests;
  std::string statuses;
};
CoveredRequests covered_requests(Function const& function);

// The statuses that a call that covers requests passes to MPI. given: an expression for the program's statuses.
std::string statuses_to_forward(Function const& function, std::string const& given);

// The line that ends a call of Testall which must not reach MPI; empty for other functions. given: as above. flag,
// result: expressions.
std::string hold_back(Function const& function, std::string const& given, std::string_view flag,
                      std::string_view result);

// The lines that cover one request. status: an expression; empty if the call has none.
std::string completion_of_one(std::string const& request, std::string const& status);

// What the generator writes: the wrappers of the C binding and of the Fortran bindings.

// The wrapper of a function that has a row and no wrapper written by hand.
std::string c_wrapper(Function const& function);

// The definitions of all symbols by which Fortran programs call a function: in each mangling for mpif.h and the module
// mpi, and in mpi_f08.
std::string fortran_wrappers(Function const& function);

}  // namespace commprof::generator
