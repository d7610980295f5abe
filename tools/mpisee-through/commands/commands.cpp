#include "commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <vector>

#include "commands/shared_options.hpp"
#include "commands/suggestions.hpp"
#include "commands/wing.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "report/page.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

std::vector<Command> with_network(std::vector<Command> table) {
  std::ranges::copy(network_wing().commands, std::back_inserter(table));
  return table;
}

}  // namespace

std::span<Command const> commands() {
  static std::vector<Command> const table = with_network({
      {"report", "Write the profile as a page for the browser", run_report, report_options},
      {"compare", "What became faster and what slower between runs", run_compare, compare_options},
      {"scaling", "How well the program uses more ranks", run_scaling, scaling_options},
      {"resolve", "Write the lines of call sites into the profile", run_resolve, resolve_options},
      {"now", "What all processes are in, while they run or when they ended", run_now, now_options},
      {"collect", "Gather what a killed run left on its nodes", run_collect, collect_options},
  });
  return table;
}

int run_command_line(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);  // here, because it drops a stream's AsciiOutput
  std::string_view const first = argc > 1 ? argv[1] : "";
  auto const command = std::ranges::find(commands(), first, &Command::name);
  if (command != commands().end()) return command->run(argc - 1, argv + 1);
  if (std::ranges::count(network_wing().missing, first) > 0) {
    fmt::print(stderr, "mpisee-through: this mpisee-through was built without {} (COMMPROF_NETWORK=OFF)\n", first);
    return exit_no_answer;
  }
  if (auto const problem = describe_unknown_command(first)) {
    fmt::print(stderr, "mpisee-through: {} (--help explains)\n", visible(*problem));
    return exit_usage;
  }
  return run_show(argc, argv);
} catch (ProfileError const& error) {
  fmt::print(stderr, "mpisee-through: {}\n", visible(error.what()));
  for (std::string const& line : error.details()) fmt::print(stderr, "  {}\n", visible(line));
  return exit_no_answer;
} catch (std::exception const& error) {
  fmt::print(stderr, "mpisee-through: {}\n", visible(error.what()));
  return exit_no_answer;
}

int print(FormatOptions const& form, Terminal const& terminal, std::vector<Document> const& documents,
          std::vector<std::filesystem::path> const& profiles) {
  Format const format = form.format();
  if (format == Format::html) {
    write_page(form.file(), page_of(documents, form.command()), profiles);
    return EXIT_SUCCESS;
  }
  std::optional<AsciiOutput> ascii;
  if (format == Format::text && !terminal.utf8) ascii.emplace(std::cout);
  write(std::cout, format, documents, terminal);
  if (format == Format::csv)
    for (Document const& one : documents)
      for (Note const& note : one.notes)
        if (note.label == "Note") fmt::print(stderr, "mpisee-through: {}\n", note.text);
  return finish_output();
}

int finish_output() {
  std::cout.flush();
  if (std::cout) return EXIT_SUCCESS;
  fmt::print(stderr, "mpisee-through: cannot write the output\n");
  return exit_no_answer;
}

}  // namespace mpisee_through
