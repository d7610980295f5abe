// The path of a profile's directory, from the pattern that the user gave. See options.hpp for the letters.
#pragma once

#include <climits>
#include <string_view>

#include "base/run_facts.hpp"

namespace commprof {

// Expands %x program, %j job, %a task of an array of jobs, %u user, %d date, %p pid, %h host, %n ranks, %% in a path,
// and makes it absolute from the directory where the program was started. What is expanded stays one component of the
// path: other characters than letters, digits and ._+- become _. False if the result does not fit into PATH_MAX.
bool expand_path(std::string_view pattern, RunFacts const& facts, char (&path)[PATH_MAX]);

// Adds to the last component of a path. False if that does not fit.
bool append_to_path(char (&path)[PATH_MAX], std::string_view addition);

}  // namespace commprof
