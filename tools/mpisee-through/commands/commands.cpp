#include "commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <vector>

#include "files/visible_text.hpp"

namespace mpisee_through {

std::span<Command const> commands() {
  static std::vector<Command> const table{
      {"report", "Write the profile as a page for the browser", run_report, report_options},
      {"compare", "What became faster and what slower between runs", run_compare, compare_options},
      {"resolve", "Write the lines of call sites into the profile", run_resolve, resolve_options},
      {"now", "What all processes are in, while they run or when they ended", run_now, now_options},
  };
  return table;
}

int run_command_line(int argc, char** argv) try {
  std::string_view const first = argc > 1 ? argv[1] : "";
  auto const command = std::ranges::find(commands(), first, &Command::name);
  return command == commands().end() ? run_show(argc, argv) : command->run(argc - 1, argv + 1);
} catch (std::exception const& error) {
  fmt::print(stderr, "mpisee-through: {}\n", visible(error.what()));
  return exit_no_answer;
}

int finish_output() {
  std::cout.flush();
  if (std::cout) return EXIT_SUCCESS;
  fmt::print(stderr, "mpisee-through: cannot write the output\n");
  return exit_no_answer;
}

}  // namespace mpisee_through
