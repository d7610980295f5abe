// Reads a profile written by libcommprof.so and prints what it says: see command_line.cpp for the options.
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>

#include "command_line.hpp"
#include "reader/profile_reader.hpp"
#include "reader/visible_text.hpp"
#include "recovery/recovery.hpp"
#include "summary/summary.hpp"
#include "views/views.hpp"

namespace through = mpisee_through;

namespace {

// A matrix that is wider than the terminal cannot be read there; in a file or a pager it can.
std::optional<std::size_t> terminal_width() {
  winsize window{};
  if (::isatty(STDOUT_FILENO) == 0 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return {};
  return window.ws_col;
}

void answer(through::Profile const& profile, through::Request const& request) {
  using through::View;
  if (request.view == View::traffic) {
    through::check_matrix_files(request.matrix_files, profile.directory());
    auto const traffic = through::add_up_traffic(profile, request.selection, request.detail);
    through::write_matrix_files(request.matrix_files, traffic, request.measure, through::describe(request.selection));
    if (request.only_files) return;
    through::show(std::cout, traffic, request.format, {request.measure, request.arrangement.top, terminal_width()});
  } else if (request.view == View::regions) {
    through::show(std::cout, through::add_up_regions(profile, request.selection), request.format);
  } else {
    auto const summary = through::summarise(profile, request.selection, request.detail);
    through::show(std::cout, summary, request.view, request.format, request.arrangement);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  int exit_code = EXIT_SUCCESS;
  auto const request = through::parse_command_line(argc, argv, exit_code);
  if (!request) return exit_code;

  // Everything is read before anything is printed: no answer at all is better than half of one.
  std::ios::sync_with_stdio(false);
  if (request->recover) {
    fmt::print("recovered: {}\n", through::visible(through::recover_profile(request->profile).string()));
    return EXIT_SUCCESS;
  }
  through::Profile const profile(request->profile);
  answer(profile, *request);
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
