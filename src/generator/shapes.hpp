// What a wrapper does around the call that it hands on: the part that all bindings share.
//
// A shape has what stands before the call, what follows it, and which arguments are replaced. It speaks of the call's
// parameters by the table's names, as values of C; each binding sees to it that they are there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "join.hpp"

namespace commprof::generator {

// What differs between the bindings in what stands before the call.
struct Before {
  bool keeps_status = false;       // a StatusOut for the parameter status
  bool keeps_message = false;      // the value that the parameter message has before the call
  bool covers_requests = false;    // a Completion of the call's requests
  bool starts_requests = false;    // a Starting of the call's requests
  bool tells_spawned = false;      // a SpawnInfo in place of the call's info
  std::string observes_release{};  // the class that observes the release of the first parameter, if any
};

struct Shape {
  Before before;
  std::string after;          // lines, with their indentation
  bool keeps_tables = false;  // the wrapper does its work also where the call does not count
};

// Expressions for the addresses of the program's variables.
struct Addresses {
  std::string request = "request";
  std::string message = "message";
};

Shape shape_of(Function const& function, Addresses const& address);

// The member function of Call that says whether the wrapper does more than to forward the call.
std::string_view role(Shape const& shape);

// The statement that shows readers of the spool what the call is: its operation, communicator and ranks. handle, rank:
// patterns for the values of such parameters, with {} for their names.
std::string show_call(Function const& function, std::string_view handle, std::string_view rank);

bool has(Function const& function, std::string_view parameter);

// "a, b, c"
std::string list(std::vector<std::string> const& parts);

// The parameter that holds the requests of a call that covers requests, how many they are, and the one for their
// statuses: empty where there is none.
struct CoveredRequests {
  std::string count;  // "1" or a parameter
  std::string requests;
  std::string statuses;
};
CoveredRequests covered_requests(Function const& function);

// The StatusOf of a call that covers an array of requests.
std::string_view status_of(Function const& function);

// The statuses that a call that covers requests passes to MPI. given: an expression for the program's.
std::string statuses_to_forward(Function const& function, std::string const& given);

// The lines that cover one request. status: an expression, empty where the call has none.
std::string completion_of_one(std::string const& request, std::string const& status);

}  // namespace commprof::generator
