#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reader/visible_text.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view description =
    "Shows where a program spent its MPI time, communicator by communicator.\n"
    "\n"
    "PROFILE is the directory that libcommprof.so wrote when the program finalized MPI\n"
    "(commprof-PROGRAM-JOB by default), or any file in it.\n"
    "\n"
    "Without options: a head about the run, then a block for each communicator, the one\n"
    "with most time first, with a line for each MPI call made on it:\n"
    "  Mean, Min, Max  time that a rank spent in the call in all, over the communicator's\n"
    "                  ranks; one that never made the call counts with 0\n"
    "  Volume          bytes sent and bytes received in the call, of all ranks\n"
    "  Calls           how often, of all ranks\n"
    "\n"
    "A communicator's name is the way it was made: W is MPI_COMM_WORLD, W_s2.0 came from\n"
    "the second call that created anything from W (counting from 1), a split (s), and is\n"
    "the one whose lowest rank had been 0 in W.\n";

constexpr std::string_view footer =
    "Examples:\n"
    "  mpisee-through PROFILE                                what cost how much, and where\n"
    "  mpisee-through --tree PROFILE                         which communicator came from which\n"
    "  mpisee-through --comm 'W_s2.*' --op '*all*' PROFILE   some calls on some communicators\n"
    "  mpisee-through --op Send --sizes --rank 0-3 PROFILE   what ranks 0 to 3 sent, by size\n"
    "  mpisee-through --sort volume --top 5 --csv PROFILE    on to a spreadsheet, pandas, R\n"
    "\n"
    "Exit codes: 0; 1 if the profile cannot be read or has nothing of that name (one line\n"
    "on stderr says what, in which file and line); 2 if the command line makes no sense.\n";

constexpr std::array<std::pair<std::string_view, SortKey>, 6> sort_keys{{{"time", SortKey::time},
                                                                         {"calls", SortKey::calls},
                                                                         {"volume", SortKey::volume},
                                                                         {"bytes", SortKey::volume},
                                                                         {"name", SortKey::name},
                                                                         {"size", SortKey::size}}};

std::optional<SortKey> parse_sort_key(std::string_view text) {
  auto const found = std::ranges::find(sort_keys, text, &decltype(sort_keys)::value_type::first);
  return found == sort_keys.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::size_t> parse_positive(std::string_view text) {
  std::size_t number = 0;
  auto const [parsed_to, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || parsed_to != text.data() + text.size() || number == 0) return std::nullopt;
  return number;
}

// Each says what is wrong with the text of an option, or nothing.
std::string check_sort_key(std::string const& text) {
  if (parse_sort_key(text)) return {};
  return fmt::format("\"{}\" is none of time, calls, volume, name, size", text);
}
std::string check_positive(std::string const& text) {
  if (parse_positive(text)) return {};
  return fmt::format("\"{}\" is not a number from 1 on", text);
}
std::string check_ranks(std::string const& text) {
  auto const ranks = RankSet::parse(text);
  if (ranks && !ranks->empty()) return {};
  return fmt::format("\"{}\" is no list of ranks like 0-3,8 or 0-192:64", text);
}

}  // namespace

std::optional<Request> parse_command_line(int argc, char const* const* argv, int& exit_code) {
  Request request;
  std::string profile;
  bool tree = false;
  bool sizes = false;
  bool csv = false;
  bool json = false;
  std::string ranks;
  std::string sort_key = "time";
  std::string top;

  CLI::App app{std::string(description), "mpisee-through"};
  app.footer(std::string(footer));
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "mpisee-through " COMMPROF_VERSION, "Print the version and exit");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("REQUIRED", "");
  app.add_option("PROFILE", profile, "Directory of the profile, or a file in it")->required()->type_name("");

  app.add_flag("--tree", tree, "Hierarchy of communicators, one a line")->group("Views");
  app.add_flag("--sizes", sizes, "Each call by size of message: bytes of one call on one rank")->group("Views");

  constexpr char const* selection_group = "Selection (all can be combined, with every view)";
  app.add_option("--comm", request.selection.communicators,
                 "Only communicators of this name, ours or the program's own.\n"
                 "* ? [a-z] match as in a shell; may be given several times")
      ->allow_extra_args(false)
      ->type_name("GLOB")
      ->group(selection_group);
  app.add_option("--op", request.selection.operations,
                 "Only these calls: Send, MPI_Send, '*all*'. Upper and lower\n"
                 "case are the same; may be given several times")
      ->allow_extra_args(false)
      ->type_name("GLOB")
      ->group(selection_group);
  app.add_option("--rank", ranks,
                 "Only what these ranks of MPI_COMM_WORLD did: 0-3,8 or\n"
                 "0-192:64 for every 64th of 0 to 192")
      ->check(check_ranks)
      ->type_name("LIST")
      ->group(selection_group);

  app.add_option("--sort", sort_key,
                 "By falling time (the default), calls, volume (or bytes),\n"
                 "size of the communicator; or by name")
      ->check(check_sort_key)
      ->type_name("KEY")
      ->group("Order");
  app.add_option("--top", top, "Only the first N communicators of that order")
      ->check(check_positive)
      ->type_name("N")
      ->group("Order");

  app.add_flag("--csv", csv, "The same as CSV: seconds and bytes, all digits")->group("Output");
  app.add_flag("--json", json, "The same as JSON, with the head")->group("Output");

  try {
    app.parse(argc, argv);
    if (tree && sizes) throw CLI::ExcludesError("--tree", "--sizes");
    if (csv && json) throw CLI::ExcludesError("--csv", "--json");
  } catch (CLI::Success const& success) {
    exit_code = app.exit(success);
    return std::nullopt;
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "mpisee-through: {} (--help explains)\n", visible(error.what()));
    exit_code = exit_usage;
    return std::nullopt;
  }

  request.profile = profile;
  if (!ranks.empty()) request.selection.ranks = RankSet::parse(ranks);
  request.arrangement.key = *parse_sort_key(sort_key);
  if (!top.empty()) request.arrangement.top = parse_positive(top);
  if (sizes) request.detail = Detail::message_sizes;
  if (tree) request.view = View::tree;
  if (csv) request.format = Format::csv;
  if (json) request.format = Format::json;
  return request;
}

}  // namespace mpisee_through
