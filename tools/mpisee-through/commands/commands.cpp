#include "commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>

#include "base/text.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"
#include "report/page.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

// The error for a first word that is neither a command, an option nor a file name. Nothing if no command is similar;
// the word is then the name of a missing profile.
std::optional<std::string> describe_unknown_command(std::string_view word) {
  std::error_code error;
  bool const may_be_command = !word.empty() && word.front() != '-' && word.find('/') == word.npos;
  if (!may_be_command || std::filesystem::exists(std::filesystem::path(word), error)) return std::nullopt;
  commprof::NearestName nearest(word);
  for (NamedCommand const& command : commands()) nearest.offer(command.name);
  std::string meant = fmt::format("--{}", word);
  if (!make_show()->has_option(meant)) meant = nearest.name();
  if (meant.empty()) return std::nullopt;
  return fmt::format("{} is neither a profile nor a command; did you mean \"mpisee-through {}\"?", word, meant);
}

}  // namespace

std::span<NamedCommand const> commands() {
  static std::vector<NamedCommand> const table = [] {
    std::vector<NamedCommand> all{
        {"report", "Write the profile as a page for the browser", make_report},
        {"export", "Write the profile for Perfetto, speedscope or Prometheus", make_export},
        {"compare", "What became faster and what slower between runs", make_compare},
        {"scaling", "How well the program uses more ranks", make_scaling},
        {"resolve", "Write the lines of call sites into the profile", make_resolve},
        {"now", "What all processes are in, while they run or when they ended", make_now},
        {"collect", "Gather what a killed run left on its nodes", make_collect},
    };
    for (NamedCommand const& one : network_commands()) all.push_back(one);
    return all;
  }();
  return table;
}

int run_command_line(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);  // here, because it drops a stream's AsciiOutput
  std::string_view const first = argc > 1 ? argv[1] : "";
  auto const command = std::ranges::find(commands(), first, &NamedCommand::name);
  if (command != commands().end()) return command->make()->run(argc - 1, argv + 1);
  if (first == "links" || first == "place") {
    fmt::print(stderr, "mpisee-through: this mpisee-through was built without {} (COMMPROF_NETWORK=OFF)\n", first);
    return exit_no_answer;
  }
  if (auto const problem = describe_unknown_command(first)) {
    fmt::print(stderr, "mpisee-through: {} (--help explains)\n", visible(*problem));
    return exit_usage;
  }
  return make_show()->run(argc, argv);
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
