// Reads a profile written by libcommprof.so and prints what it says: see command_line.cpp for the options.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>

#include "command_line.hpp"
#include "reader/profile_reader.hpp"
#include "reader/visible_text.hpp"
#include "summary/summary.hpp"
#include "views/views.hpp"

namespace through = mpisee_through;

int main(int argc, char** argv) try {
  int exit_code = EXIT_SUCCESS;
  auto const request = through::parse_command_line(argc, argv, exit_code);
  if (!request) return exit_code;

  // Everything is read before anything is printed: no answer at all is better than half of one.
  std::ios::sync_with_stdio(false);
  through::Profile const profile(request->profile);
  through::Summary const summary = through::summarise(profile, request->selection, request->detail);
  through::show(std::cout, summary, request->view, request->format, request->arrangement);
  std::cout.flush();
  if (!std::cout) {
    fmt::print(stderr, "mpisee-through: cannot write the output\n");
    return through::exit_no_answer;
  }
  return EXIT_SUCCESS;
} catch (std::exception const& error) {
  fmt::print(stderr, "mpisee-through: {}\n", through::visible(error.what()));
  return through::exit_no_answer;
}
