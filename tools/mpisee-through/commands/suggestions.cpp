#include "commands/suggestions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "commands/show_options.hpp"

namespace mpisee_through {
namespace {

using commprof::NearestName;

constexpr std::string_view plain_command = "mpisee-through";

// An option of the published mpisee-through, with its short and long name, that our program lacks.
struct PublishedOption {
  std::string_view short_name;
  std::string_view long_name;
  std::string_view ours;
};
constexpr std::array<PublishedOption, 14> published_options{{
    {"-i", "--inputdb", "PROFILE alone"},
    {"-i", "--infile", "PROFILE alone"},
    {"-a", "--all", "--ranks, or operations.csv itself"},
    {"-p", "--pt2pt", "--operations --kind p2p"},
    {"-c", "", "--operations --kind collective"},
    {"-r", "", "--rank LIST"},
    {"-b", "--buffsize", "--size MIN-MAX"},
    {"-t", "", "--operations --sort time --top N"},
    {"-s", "", "--operations --sort KEY"},
    {"-o", "--outputcsv", "--csv >FILE"},
    {"-o", "--outfile", "--csv >FILE"},
    {"-e", "--exectime", "--ranks"},
    {"-u", "--ctime", "--communicators"},
    {"-u", "--user", "--communicators"},
}};

// Options of the version before, and what takes their place.
constexpr std::array<std::pair<std::string_view, std::string_view>, 18> former_options{{
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
}};

// Synonyms of our commands.
constexpr std::array<std::pair<std::string_view, std::string_view>, 21> other_words{{
    {"diff", "compare"},
    {"cmp", "compare"},
    {"correlate", "compare --correlate"},
    {"html", "report"},
    {"page", "report"},
    {"web", "report"},
    {"export", "report"},
    {"top", "now"},
    {"watch", "now --watch"},
    {"live", "now"},
    {"status", "now"},
    {"addr2line", "resolve"},
    {"symbols", "resolve"},
    {"gather", "collect"},
    {"fetch", "collect"},
    {"show", ""},
    {"view", ""},
    {"print", ""},
    {"help", "--help"},
    {"version", "--version"},
    {"recover", "collect --recover"},
}};

std::string_view without_dashes(std::string_view option) {
  return option.substr(std::min(option.find_first_not_of('-'), option.size()));
}

std::string_view name_of_option(std::string_view argument) {
  bool const is_long = argument.starts_with("--");
  return is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
}

bool has_option(CLI::App const& app, std::string_view name) {
  return app.get_option_no_throw(std::string(name)) != nullptr;
}

std::string_view ours_for_published(std::string_view name) {
  for (PublishedOption const& one : published_options)
    if (name == one.short_name || name == one.long_name) return one.ours;
  return {};
}

// Another command that has the option, including the plain command; empty if there is none.
std::string command_with_option(CLI::App const& app, std::string_view name) {
  if (app.get_name() != plain_command && has_option(ShowOptions().app(), name)) return std::string(plain_command);
  for (Command const& command : commands()) {
    auto const options = command.options();
    if (options->app().get_name() != app.get_name() && has_option(options->app(), name))
      return options->app().get_name();
  }
  return {};
}

std::string nearest_option(CLI::App const& app, std::string_view name) {
  NearestName nearest(without_dashes(name));
  for (CLI::Option const* option : app.get_options())
    if (!option->get_group().empty())
      for (std::string const& long_name : option->get_lnames()) nearest.offer(long_name);
  return nearest.name().empty() ? std::string() : fmt::format("--{}", nearest.name());
}

}  // namespace

std::string describe_unknown_option(CLI::App const& app, std::string_view argument) {
  std::string_view const name = name_of_option(argument);
  std::string const unknown = fmt::format("there is no option {}", name);
  if (std::string_view const ours = ours_for_published(name); app.get_name() == plain_command && !ours.empty())
    return fmt::format("{}; the published mpisee-through has it, here it is {}", unknown, ours);
  auto const* const former = std::ranges::find(former_options, name, &decltype(former_options)::value_type::first);
  if (former != former_options.end()) return fmt::format("{} any more: take {}", unknown, former->second);
  if (std::string const command = command_with_option(app, name); !command.empty())
    return fmt::format("{} here, \"{}\" has it", unknown, command);
  std::string const nearest = nearest_option(app, name);
  return nearest.empty() ? unknown : fmt::format("{}; did you mean {}?", unknown, nearest);
}

std::optional<std::string> describe_unknown_command(std::string_view word) {
  std::error_code error;
  bool const may_be_command = !word.empty() && word.front() != '-' && word.find('/') == word.npos;
  if (!may_be_command || std::filesystem::exists(std::filesystem::path(word), error)) return std::nullopt;
  auto const meant = [&](std::string_view arguments) {
    return fmt::format("{} is neither a profile nor a command; did you mean \"{}{}{}\"?", word, plain_command,
                       arguments.empty() ? " PROFILE" : " ", arguments);
  };
  auto const* const other = std::ranges::find(other_words, word, &std::pair<std::string_view, std::string_view>::first);
  if (other != other_words.end()) return meant(other->second);
  if (ShowOptions const plain; has_option(plain.app(), fmt::format("--{}", word)))
    return meant(fmt::format("--{}", word));
  NearestName nearest(word);
  for (Command const& command : commands()) nearest.offer(command.name);
  return nearest.name().empty() ? std::nullopt : std::optional(meant(nearest.name()));
}

}  // namespace mpisee_through
