// What a wrapper does around the call that it forwards: the part common to all bindings.
//
// A shape contains the code before the call and after it, and the arguments to replace. It names the call's parameters
// as the table does, with values of C; each binding provides these variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "join.hpp"

namespace commprof::generator {

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

}  // namespace commprof::generator
