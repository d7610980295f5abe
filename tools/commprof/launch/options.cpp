#include "launch/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "options/options.hpp"

namespace commprof_launcher {

namespace {

constexpr std::string_view group = "Options of the profiler, each in place of a variable of the environment";

constexpr std::array table{
    Flag{"-o,--output", "COMMPROF_OUTPUT", "DIR", "",
         "Directory of the profile; commprof-%x-%j by default. %x is the\nprogram, %j the job"},
    Flag{"--detail", "COMMPROF_DETAIL", "WHICH", "",
         "Rows of all ranks (ranks), sums and rows of few (summary), or\nby their number (auto)"},
    Flag{"--internal", "COMMPROF_INTERNAL", "", "1", "Also count the messages that the MPI sends for collectives"},
    Flag{"--transport", "COMMPROF_TRANSPORT", "", "1", "Also count all that the MPI gives to its transport"},
    Flag{"--stack", "COMMPROF_STACK", "N", "", "Callers of a call site in a library, 0 to 16"},
    Flag{"--no-sites", "COMMPROF_SITES", "", "0", "Do not count by call site"},
    Flag{"--no-waits", "COMMPROF_WAITS", "", "0", "Do not sample how long ranks wait in collective calls"},
    Flag{"--when", "COMMPROF_WHEN", "N", "", "Windows of time in which calls are counted; 0: none"},
    Flag{"--no-peers", "COMMPROF_PEERS", "", "0", "Do not count messages by sender and receiver"},
    Flag{"--no-spool", "COMMPROF_SPOOL", "", "off", "Do not keep counts in case that the job is killed"},
    Flag{"--clock", "COMMPROF_CLOCK", "WHICH", "", "tsc or monotonic"},
    Flag{"--max-size", "COMMPROF_MAX_SIZE", "BYTES", "", "Size of the profile, such as 500M: else sums and few rows"},
    Flag{"--max-comms", "COMMPROF_MAX_COMMS", "N", "", "Communicators of one parent with rows of their own"},
    Flag{"--max-regions", "COMMPROF_MAX_REGIONS", "N", "", "Named regions of a process"},
    Flag{"--max-sites", "COMMPROF_MAX_SITES", "N", "", "Call sites of a process with rows of their own"},
};

commprof::OptionRow const& row_of(std::string_view variable) {
  return *std::ranges::find(commprof::option_table, variable, &commprof::OptionRow::name);
}

std::string check(Flag const& flag, std::string const& value) {
  commprof::OptionRow const& row = row_of(flag.variable);
  commprof::Options options = commprof::default_options();
  if (value.size() <= commprof::Settings::max_bytes && row.parse(value.c_str(), options)) return {};
  return fmt::format("must be {}, not '{}'", row.expects, value);
}

// The error for a first word that begins with - but is not an option of the command. It names the option with the most
// similar name.
std::string describe_unknown_option(CLI::App const& app, std::string_view argument) {
  std::string const unknown = fmt::format("there is no option {}", argument.substr(0, argument.find('=')));
  if (!argument.starts_with("--"))
    return fmt::format("{}; those of a launcher follow its name: {} mpirun {} …", unknown, app.get_name(), argument);
  std::string_view const typed = argument.substr(2, std::min(argument.find('='), argument.size()) - 2);
  commprof::NearestName nearest(typed);
  for (CLI::Option const* option : app.get_options())
    for (std::string const& name : option->get_lnames()) nearest.offer(name);
  return nearest.name().empty() ? unknown : fmt::format("{}; did you mean --{}?", unknown, nearest.name());
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (CLI::Success const& success) {
    return app.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "{}: {} (--help explains)\n", app.get_name(), error.what());
    return exit_usage;
  }
}

}  // namespace

std::span<Flag const> flags() { return table; }

void add_flags(CLI::App& app, Variables& variables) {
  for (Flag const& flag : table) {
    auto const set = [&variables, &flag](std::string const& value) { variables[std::string(flag.variable)] = value; };
    CLI::Option* const option = flag.type.empty()
                                    ? app.add_flag_callback(
                                          flag.names, [set, &flag] { set(std::string(flag.value)); }, flag.help)
                                    : app.add_option_function<std::string>(flag.names, set, flag.help)
                                          ->type_name(std::string(flag.type))
                                          ->check([&flag](std::string const& value) { return check(flag, value); });
    option->group(std::string(group));
  }
}

std::optional<int> parse_command(CLI::App& app, int argc, char** argv, std::string_view lack,
                                 std::vector<std::string>& words) {
  if (auto const exit_code = parse(app, argc, argv)) return exit_code;
  words = app.remaining();
  if (!words.empty() && words.front() == "--") words.erase(words.begin());
  if (!words.empty() && !words.front().starts_with('-')) return std::nullopt;
  fmt::print(stderr, "{}: {} (--help explains)\n", app.get_name(),
             words.empty() ? fmt::format("there is {}", lack) : describe_unknown_option(app, words.front()));
  return exit_usage;
}

}  // namespace commprof_launcher
