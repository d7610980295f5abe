#include "commands/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

// Options of earlier versions and of the published mpisee-through, and what takes their place.
constexpr std::array<std::pair<std::string_view, std::string_view>, 36> old_options{{
    {"--tree", "--communicators"},
    {"--census", "--communicators"},
    {"--matrix-csv", "--matrix --csv >FILE"},
    {"--scotch", "--matrix --csv >FILE"},
    {"--metis", "--matrix --csv >FILE"},
    {"--matrix-image", "the map of the page that report writes"},
    {"--badge", "parallel_efficiency of --csv"},
    {"--history", "history() of python/commprof.py"},
    {"--recover", "collect --recover"},
    {"--width", "the variable COLUMNS"},
    {"--sizes", "--operations --by size, or --matrix --by size"},
    {"--by-site", "--by site"},
    {"--by-rank", "--by rank"},
    {"--by-pair", "--by pair"},
    {"--by-cause", "--by cause"},
    {"--by-host", "--by host"},
    {"--collectives", "--operations --by direction"},
    {"--time", "--sort and --top"},
    {"--help-all", "--help"},
    {"--fabric-hosts", "a file \"hosts\" in the directory of --fabric"},
    {"--topology", "--fabric topology.conf"},
    {"--rail", "a file \"hosts\" in the directory of --fabric, with the port of each host"},
    {"-i", "PROFILE alone"},
    {"--inputdb", "PROFILE alone"},
    {"--infile", "PROFILE alone"},
    {"-a", "--ranks, or operations.csv itself"},
    {"--all", "--ranks, or operations.csv itself"},
    {"-p", "--operations --kind p2p"},
    {"--pt2pt", "--operations --kind p2p"},
    {"-c", "--operations --kind collective"},
    {"-r", "--rank LIST"},
    {"-b", "--size MIN-MAX"},
    {"--buffsize", "--size MIN-MAX"},
    {"-t", "--operations --sort time --top N"},
    {"-s", "--operations --sort KEY"},
    {"-o", "--csv >FILE"},
}};

// The error for an argument that begins with - but is not an option of the command.
std::string describe_unknown_option(CLI::App const& app, std::string_view argument) {
  bool const is_long = argument.starts_with("--");
  std::string_view const name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
  std::string const unknown = fmt::format("there is no option {}", name);
  auto const* const old = std::ranges::find(old_options, name, &std::pair<std::string_view, std::string_view>::first);
  if (old != old_options.end()) return fmt::format("{}: take {}", unknown, old->second);
  commprof::NearestName nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  for (CLI::Option const* option : app.get_options())
    for (std::string const& long_name : option->get_lnames()) nearest.offer(long_name);
  return nearest.name().empty() ? unknown : fmt::format("{}; did you mean --{}?", unknown, nearest.name());
}

// The parser's error; errors about options in our own words. An unknown option is reported first, because other errors
// may come from its value.
std::string describe(CLI::App const& app, CLI::ParseError const& error) {
  for (std::string const& argument : app.remaining())
    if (argument.size() > 1 && argument.front() == '-') return describe_unknown_option(app, argument);
  return error.what();
}

// The type of an option's value alone. CLI11's default also lists excluded options, which would fill most of the page.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string const type = option->get_type_name();
    std::string const several = option->get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "";
    return (type.empty() ? "" : " " + type) + several;
  }
};

}  // namespace

Command::Command(std::string const& name, std::string const& description, std::string const& footer)
    : app_(description, name) {
  app_.footer(footer);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.get_formatter()->column_width(24);
  app_.get_formatter()->label("REQUIRED", "");
}

int Command::run(int argc, char const* const* argv) {
  try {
    app_.parse(argc, argv);
    check();
  } catch (CLI::Success const& success) {
    return app_.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "{}: {} (--help explains)\n", app_.get_name(), visible(describe(app_, error)));
    return exit_usage;
  }
  return answer();
}

}  // namespace mpisee_through
