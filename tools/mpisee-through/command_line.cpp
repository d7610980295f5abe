#include "command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "reader/visible_text.hpp"
#include "views/heat_map.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view description =
    "Shows where a program spent its MPI time, communicator by communicator.\n"
    "\n"
    "PROFILE is the directory that libcommprof.so wrote when the program finalized MPI\n"
    "(commprof-PROGRAM-JOB by default), or any file in it. If the program was killed, or goes\n"
    "on, what it has counted so far is shown.\n"
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
    "the one whose lowest rank had been 0 in W.\n"
    "\n"
    "--matrix shows who talks to whom, of profiles that hold it: data goes from the rank\n"
    "of the row to the rank of the column. Files with the whole matrix are written by\n"
    "options of their own, with or without --matrix.\n";

constexpr std::string_view footer =
    "Examples:\n"
    "  mpisee-through PROFILE                                what cost how much, and where\n"
    "  mpisee-through --tree PROFILE                         which communicator came from which\n"
    "  mpisee-through --comm 'W_s2.*' --op '*all*' PROFILE   some calls on some communicators\n"
    "  mpisee-through --op Send --sizes --rank 0-3 PROFILE   what ranks 0 to 3 sent, by size\n"
    "  mpisee-through --sort volume --top 5 --csv PROFILE    on to a spreadsheet, pandas, R\n"
    "  mpisee-through --matrix --comm W_a1 PROFILE           who talks to whom on W_a1\n"
    "  mpisee-through --matrix-image map.svg PROFILE         the same of all, as a picture\n"
    "\n"
    "Exit codes: 0; 1 if the profile cannot be read or has nothing of that name (one line\n"
    "on stderr says what, in which file and line); 2 if the command line makes no sense.\n";

// What --help says above the options.
std::string introduction() {
  std::string text(description);
  if (commands().empty()) return text;
  text += "\nCommands, each with a --help of its own (mpisee-through COMMAND --help):\n";
  for (Command const& command : commands()) text += fmt::format("  {:<16}{}\n", command.name, command.summary);
  return text;
}

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

std::optional<Measure> parse_measure(std::string_view text) {
  if (text == "bytes") return Measure::bytes;
  if (text == "messages") return Measure::messages;
  return std::nullopt;
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
std::string check_rank_list(std::string const& text) {
  auto const ranks = RankSet::parse(text);
  if (ranks && !ranks->empty()) return {};
  return fmt::format("\"{}\" is no list of ranks like 0-3,8 or 0-192:64", text);
}
std::string check_class(std::string const& text) {
  if (parse_traffic_class(text)) return {};
  return fmt::format("\"{}\" is none of p2p, rma, internal", text);
}
std::string check_measure(std::string const& text) {
  if (parse_measure(text)) return {};
  return fmt::format("\"{}\" is none of bytes, messages", text);
}
std::string check_file(std::string const& text) {
  return text.empty() ? "\"\" is no name of a file" : "";
}
std::string check_picture(std::string const& text) {
  if (is_picture_name(text)) return {};
  return fmt::format("\"{}\" ends in neither .svg nor .png", text);
}

std::optional<RankSet> ranks_of(std::string const& text) {
  return text.empty() ? std::nullopt : RankSet::parse(text);
}
std::optional<std::filesystem::path> path_of(std::string const& text) {
  return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

// Which options have been given that make no sense together, in the words of the parser for it.
void check_combinations(CLI::App const& app) {
  auto const given = [&](char const* option) { return app.count(option) > 0; };
  constexpr std::array about_messages{"--by", "--class", "--from", "--to"};
  constexpr std::array matrix{"--matrix", "--matrix-csv", "--treematch", "--matrix-image"};
  bool const is_matrix = std::ranges::any_of(matrix, given);
  for (char const* option : about_messages) {
    if (given(option) && !is_matrix) throw CLI::RequiresError(option, "--matrix");
  }

  auto const exclude = [&](char const* option, std::initializer_list<char const*> others) {
    for (char const* other : others) {
      if (given(option) && given(other)) throw CLI::ExcludesError(option, other);
    }
  };
  exclude("--tree", {"--sizes", "--collectives", "--regions"});
  exclude("--collectives", {"--sizes", "--regions"});
  exclude("--regions", {"--sizes", "--comm", "--op", "--sort", "--top"});
  for (char const* option : matrix) exclude(option, {"--tree", "--collectives", "--regions", "--sort"});
  exclude("--csv", {"--json"});
}

}  // namespace

std::optional<Request> parse_command_line(int argc, char const* const* argv, int& exit_code) {
  Request request;
  std::string profile;
  bool tree = false;
  bool sizes = false;
  bool matrix = false;
  bool collectives = false;
  bool regions = false;
  bool csv = false;
  bool json = false;
  std::string ranks;
  std::string from;
  std::string to;
  std::string measure = "bytes";
  std::vector<std::string> classes;
  std::string matrix_csv;
  std::string treematch;
  std::string matrix_image;
  std::string sort_key = "time";
  std::string top;

  CLI::App app{introduction(), "mpisee-through"};
  app.footer(std::string(footer));
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "mpisee-through " COMMPROF_VERSION, "Print the version and exit");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("REQUIRED", "");
  app.add_option("PROFILE", profile, "Directory of the profile, or a file in it")->required()->type_name("");

  app.add_flag("--tree", tree, "Hierarchy of communicators, one a line")->group("Views");
  app.add_flag("--sizes", sizes,
               "Each call by size of message: bytes of one call on one rank;\n"
               "with --matrix, each pair of ranks by size of message")
      ->group("Views");
  app.add_flag("--matrix", matrix, "Who talks to whom: a matrix of few ranks, the busiest pairs\nof many")
      ->group("Views");
  app.add_flag("--collectives", collectives, "One-to-all, all-to-one and all-to-all operations of each\ncommunicator")
      ->group("Views");
  app.add_flag("--regions", regions, "Named regions of the program, each below the one it is in")->group("Views");

  constexpr char const* selection_group = "Selection (all can be combined; --regions takes --region and --rank)";
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
  app.add_option("--region", request.selection.regions,
                 "Only this region, by its whole path: solve/halo, 'solve/*'.\n"
                 "main is outside any; may be given several times")
      ->allow_extra_args(false)
      ->type_name("GLOB")
      ->group(selection_group);
  app.add_option("--rank", ranks,
                 "Only what these ranks of MPI_COMM_WORLD did: 0-3,8 or\n"
                 "0-192:64 for every 64th of 0 to 192. Of messages, those\n"
                 "with one of these ranks at either end")
      ->check(check_rank_list)
      ->type_name("LIST")
      ->group(selection_group);

  constexpr char const* messages_group = "Messages (with --matrix or its files)";
  app.add_option("--by", measure, "What counts: bytes (the default) or messages")
      ->check(check_measure)
      ->type_name("WHAT")
      ->group(messages_group);
  app.add_option("--class", classes,
                 "Only p2p (the program's own messages), rma (one-sided calls)\n"
                 "or internal (sent by the MPI, for collectives); may be given\n"
                 "several times")
      ->allow_extra_args(false)
      ->check(check_class)
      ->type_name("CLASS")
      ->group(messages_group);
  for (auto const& [name, list, help] : {std::tuple{"--from", &from, "Only data from these ranks"},
                                         std::tuple{"--to", &to, "Only data to these ranks"}}) {
    app.add_option(name, *list, help)->check(check_rank_list)->type_name("LIST")->group(messages_group);
  }
  app.add_option("--matrix-csv", matrix_csv, "Write all pairs: src,dst,messages,bytes")
      ->check(check_file)
      ->type_name("FILE")
      ->group(messages_group);
  app.add_option("--treematch", treematch, "Write the matrix for TreeMatch")
      ->check(check_file)
      ->type_name("FILE")
      ->group(messages_group);
  app.add_option("--matrix-image", matrix_image, "Draw the matrix: FILE.svg or FILE.png")
      ->check(check_picture)
      ->type_name("FILE")
      ->group(messages_group);

  app.add_option("--sort", sort_key,
                 "By falling time (the default), calls, volume (or bytes),\n"
                 "size of the communicator; or by name")
      ->check(check_sort_key)
      ->type_name("KEY")
      ->group("Order");
  app.add_option("--top", top,
                 "Only the first N communicators of that order; with --matrix\n"
                 "the N busiest pairs")
      ->check(check_positive)
      ->type_name("N")
      ->group("Order");

  app.add_flag("--csv", csv, "The same as CSV: seconds and bytes, all digits")->group("Output");
  app.add_flag("--json", json, "The same as JSON, with the head")->group("Output");
  app.add_flag("--recover", request.recover,
               "Only write the CSV files of a profile that the program has not\nfinished, in its directory")
      ->group("Output");

  try {
    app.parse(argc, argv);
    check_combinations(app);
  } catch (CLI::Success const& success) {
    exit_code = app.exit(success);
    return std::nullopt;
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "mpisee-through: {} (--help explains)\n", visible(error.what()));
    exit_code = exit_usage;
    return std::nullopt;
  }

  request.profile = profile;
  request.selection.ranks = ranks_of(ranks);
  request.selection.from = ranks_of(from);
  request.selection.to = ranks_of(to);
  for (std::string const& name : classes) request.selection.classes.push_back(*parse_traffic_class(name));
  request.measure = *parse_measure(measure);
  request.matrix_files = {path_of(matrix_csv), path_of(treematch), path_of(matrix_image)};
  request.arrangement.key = *parse_sort_key(sort_key);
  if (!top.empty()) request.arrangement.top = parse_positive(top);
  if (sizes) request.detail = Detail::message_sizes;
  if (tree) request.view = View::tree;
  if (collectives) request.view = View::collectives;
  if (regions) request.view = View::regions;
  if (matrix || request.matrix_files.any()) request.view = View::traffic;
  request.only_files = request.matrix_files.any() && !matrix;
  if (csv) request.format = Format::csv;
  if (json) request.format = Format::json;
  return request;
}

}  // namespace mpisee_through
