// Makes the path of a profile's directory from the user's pattern. options.hpp lists the letters.
#pragma once

#include <climits>
#include <string_view>

#include "base/run_facts.hpp"

namespace commprof {

// Expands %x program, %j job, %a task of a job array, %u user, %d date, %p pid, %h host, %n ranks, %%, and makes the
// path absolute from the directory where the program was started. An expanded text stays one component of the path:
// characters other than letters, digits and ._+- become _. False if the result does not fit into PATH_MAX.
bool expand_path(std::string_view pattern, RunFacts const& facts, char (&path)[PATH_MAX]);

// Appends to the last component of the path. False if the result does not fit.
bool append_to_path(char (&path)[PATH_MAX], std::string_view addition);

}  // namespace commprof
