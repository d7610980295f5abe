#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "command_line.hpp"
#include "commands/commands.hpp"
#include "reader/profile_reader.hpp"
#include "reader/visible_text.hpp"
#include "recovery/recovery.hpp"
#include "summary/summary.hpp"
#include "views/ascii_output.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// A matrix that is wider than the terminal cannot be read there; in a file or a pager it can.
std::optional<std::size_t> width_of_matrix(Request const& request, Terminal const& terminal) {
  return terminal.is_terminal || request.width ? std::optional(terminal.width) : std::nullopt;
}

void answer(Profile const& profile, Request const& request, Terminal const& terminal) {
  if (request.view == View::traffic) {
    check_matrix_files(request.matrix_files, profile.name());
    auto const traffic = add_up_traffic(profile, request.selection, request.detail);
    write_matrix_files(request.matrix_files, traffic, request.measure, describe(request.selection));
    if (request.only_files) return;
    show(std::cout, traffic, request.format,
         {request.measure, request.arrangement.top, width_of_matrix(request, terminal)});
  } else if (request.view == View::regions) {
    show(std::cout, add_up_regions(profile, request.selection), request.format);
  } else if (request.view == View::first_screen) {
    show(std::cout, look_at(profile, request.selection), request.format, terminal);
  } else {
    auto summary = summarise(profile, request.selection, request.detail);
    if (request.times) keep_operations(summary, *request.times);
    show(std::cout, summary, request.view, request.format, request.arrangement);
  }
}

}  // namespace

int run_show(int argc, char** argv) {
  int exit_code = EXIT_SUCCESS;
  auto const request = parse_command_line(argc, argv, exit_code);
  if (!request) return exit_code;

  // Everything is read before anything is printed: no answer at all is better than half of one.
  std::ios::sync_with_stdio(false);
  if (request->recover) {
    fmt::print("recovered: {}\n", visible(recover_profile(request->profile).string()));
    return EXIT_SUCCESS;
  }
  Profile const profile(request->profile);
  Terminal const terminal = find_terminal(request->width, request->color);
  std::optional<AsciiOutput> ascii;
  if (request->format == Format::text && !terminal.utf8) ascii.emplace(std::cout);
  answer(profile, *request, terminal);
  std::cout.flush();
  if (!std::cout) {
    fmt::print(stderr, "mpisee-through: cannot write the output\n");
    return exit_no_answer;
  }
  return EXIT_SUCCESS;
}

}  // namespace mpisee_through
