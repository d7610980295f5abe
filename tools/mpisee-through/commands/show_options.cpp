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
#include "pages.hpp"
#include "reader/visible_text.hpp"
#include "views/heat_map.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view description =
    "Says where a program spent its MPI time, why, and what to try: communicator by\n"
    "communicator, rank by rank.\n"
    "\n"
    "PROFILE is the directory that libcommprof.so wrote when the program finalized MPI\n"
    "(commprof-PROGRAM-JOB by default), or any file in it. If the program was killed, or goes\n"
    "on, what it has counted so far is shown.\n"
    "\n"
    "Without a view: a page with the efficiencies of the run, the communicators that cost\n"
    "most and up to five findings, each with the command that shows more of it.\n"
    "\n"
    "A communicator's name is the way it was made: W is MPI_COMM_WORLD, W_s2.0 came from\n"
    "the second call that created anything from W (counting from 1), a split (s), and is\n"
    "the one whose lowest rank had been 0 in W.\n"
    "\n"
    "Mean, Min, Max are of the time that a rank spent in all, over the communicator's\n"
    "ranks; one that never made the call counts with 0. Volume is bytes sent and received.\n";

constexpr std::string_view footer =
    "Examples:\n"
    "  mpisee-through PROFILE                                what to look at first\n"
    "  mpisee-through --operations PROFILE                   what cost how much, and where\n"
    "  mpisee-through --tree PROFILE                         which communicator came from which\n"
    "  mpisee-through --ranks --top 5 PROFILE                which ranks spend most time in MPI\n"
    "  mpisee-through --operations --comm 'W_s2.*' --op '*all*' PROFILE\n"
    "                                                        some calls on some communicators\n"
    "  mpisee-through --sizes --op Send --rank 0-3 PROFILE   what ranks 0 to 3 sent, by size\n"
    "  mpisee-through --operations --size 1m- PROFILE        calls of a mebibyte and more\n"
    "  mpisee-through --operations --sort volume --csv PROFILE\n"
    "                                                        on to a spreadsheet, pandas, R\n"
    "  mpisee-through --matrix --comm W_a1 PROFILE           who talks to whom on W_a1\n"
    "  mpisee-through --matrix-image map.svg PROFILE         the same of all, as a picture\n"
    "\n"
    "Environment: COLUMNS is the width of text, NO_COLOR turns colours off, LC_ALL, LC_CTYPE\n"
    "or LANG say whether text may be UTF-8.\n"
    "\n"
    "Exit codes: 0; 1 if the profile cannot be read or has nothing of that name (one line\n"
    "on stderr says what, in which file and line); 2 if the command line makes no sense.\n";

struct ViewOption {
  char const* name;
  View view;
  char const* help;
};

constexpr std::array<ViewOption, 8> view_options{{
    {"--communicators", View::communicators,
     "A line for each communicator; how many there are of each\nsize, by the call that made them"},
    {"--census", View::census, "Only how many communicators there are of each size"},
    {"--tree", View::tree, "Hierarchy of communicators, one a line"},
    {"--operations", View::operations, "Each call on each communicator"},
    {"--ranks", View::ranks,
     "A line for each rank: wall time, MPI time, and the time,\nvolume and calls of what is selected"},
    {"--collectives", View::collectives, "One-to-all, all-to-one and all-to-all operations of each\ncommunicator"},
    {"--matrix", View::traffic, "Who talks to whom: a matrix of few ranks, the busiest pairs\nof many"},
    {"--regions", View::regions, "Named regions of the program, each below the one it is in,\nwith their efficiencies"},
}};

constexpr std::array matrix_files{"--matrix-csv", "--treematch", "--scotch", "--metis", "--matrix-image"};

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

std::optional<ColorWhen> parse_color(std::string_view text) {
  if (text == "auto") return ColorWhen::automatic;
  if (text == "always") return ColorWhen::always;
  if (text == "never") return ColorWhen::never;
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

std::string check_kind(std::string const& text) {
  if (parse_operation_kind(text)) return {};
  std::vector<std::string_view> names;
  for (OperationKind const kind : operation_kinds) names.push_back(name_of(kind));
  return fmt::format("\"{}\" is none of {}", text, fmt::join(names, ", "));
}
std::string check_sizes(std::string const& text) {
  if (SizeRange::parse(text)) return {};
  return fmt::format("\"{}\" is no range of sizes like 1k-64k, 8 or 1m-", text);
}
std::string check_times(std::string const& text) {
  if (TimeRange::parse(text)) return {};
  return fmt::format("\"{}\" is no range of times like 10ms-1s or 2-", text);
}
std::string check_color(std::string const& text) {
  if (parse_color(text)) return {};
  return fmt::format("\"{}\" is none of auto, always, never", text);
}

std::optional<RankSet> ranks_of(std::string const& text) {
  return text.empty() ? std::nullopt : RankSet::parse(text);
}
std::optional<std::filesystem::path> path_of(std::string const& text) {
  return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

// Which options have been given that make no sense together, in the words of the parser for it.
class Combination {
 public:
  explicit Combination(CLI::App const& app) : app_(app) {}

  void check() const {
    for (ViewOption const& one : view_options) {
      for (ViewOption const& other : view_options) {
        if (&one < &other) exclude(one.name, {other.name});
      }
    }
    bool const has_file = std::ranges::any_of(matrix_files, [&](char const* file) { return given(file); });
    check_views();
    for (char const* file : matrix_files) {
      for (ViewOption const& one : view_options) {
        if (one.view != View::traffic) exclude(file, {one.name});
      }
      exclude(file, {"--kind", "--sort"});
    }
    if (!given("--matrix") && !has_file) require("--matrix", {"--by", "--class", "--from", "--to"});
    // Nothing is printed where only files are written.
    if (!given("--matrix") && has_file) require("--matrix", {"--top", "--csv", "--json"});
    bool const has_view = std::ranges::any_of(view_options, [&](ViewOption const& one) { return given(one.name); });
    if (!has_view && !given("--sizes") && !has_file) require("--operations or another view", {"--sort", "--top"});
    bool const has_operations = given("--operations") || (given("--sizes") && !given("--matrix"));
    if (!has_operations) require("--operations", {"--time"});
    exclude("--csv", {"--json"});
    if (app_.count("PROFILE") > 1) check_one_profile();
  }

 private:
  void check_views() const {
    for (char const* view : {"--communicators", "--census", "--tree", "--ranks", "--collectives"}) {
      exclude(view, {"--sizes"});
    }
    exclude("--census", {"--op", "--kind", "--region", "--size", "--sort", "--top"});
    exclude("--regions", {"--sizes", "--comm", "--op", "--kind", "--size", "--sort", "--top"});
    exclude("--matrix", {"--kind", "--sort"});
  }

  void check_one_profile() const {
    for (char const* file : matrix_files)
      if (given(file)) throw CLI::ValidationError(file, "takes one PROFILE");
    if (given("--recover")) throw CLI::ValidationError("--recover", "takes one PROFILE");
  }

  [[nodiscard]] bool given(char const* name) const { return app_.count(name) > 0; }

  void exclude(char const* one, std::initializer_list<char const*> others) const {
    for (char const* other : others) {
      if (given(one) && given(other)) throw CLI::ExcludesError(one, other);
    }
  }
  void require(char const* needed, std::initializer_list<char const*> names) const {
    for (char const* name : names) {
      if (given(name)) throw CLI::RequiresError(name, needed);
    }
  }

  CLI::App const& app_;
};

// What options hold until all of them are known to be right.
struct Texts {
  std::vector<std::string> profiles;
  std::string ranks, from, to, sizes, times, sort_key = "time", top, measure = "bytes", width, color = "auto";
  std::vector<std::string> classes, kinds;
  std::string matrix_csv, treematch, scotch, metis, matrix_image;
};

void add_views(CLI::App& app) {
  for (ViewOption const& one : view_options) app.add_flag(one.name)->description(one.help)->group("Views");
  app.add_flag("--sizes")
      ->description(
          "Each call by size of message: bytes of one call on one rank;\n"
          "with --matrix, each pair of ranks by size of message")
      ->group("Views");
}

void add_selection(CLI::App& app, Texts& texts, Selection& selection) {
  constexpr char const* group =
      "Selection (all can be combined; --regions takes --region and --rank, --census --comm and --rank)";
  auto const several = [&](char const* name, auto& target, char const* type, char const* help) {
    return app.add_option(name, target, help)->allow_extra_args(false)->type_name(type)->group(group);
  };
  several("--comm", selection.communicators, "GLOB",
          "Only communicators of this name, ours or the program's own.\n"
          "* ? [a-z] match as in a shell; may be given several times");
  several("--op", selection.operations, "GLOB",
          "Only these calls: Send, MPI_Send, '*all*'. Upper and lower\n"
          "case are the same; may be given several times");
  several("--kind", texts.kinds, "KIND",
          "Only calls of this kind: p2p, collective, completion (Wait,\n"
          "Test), communicator, one-sided, file, other; may be given\n"
          "several times")
      ->check(check_kind);
  several("--region", selection.regions, "GLOB",
          "Only this region, by its whole path: solve/halo, 'solve/*'.\n"
          "main is outside any; may be given several times");
  app.add_option("--rank", texts.ranks,
                 "Only what these ranks of MPI_COMM_WORLD did: 0-3,8 or\n"
                 "0-192:64 for every 64th of 0 to 192. Of messages, those\n"
                 "with one of these ranks at either end")
      ->check(check_rank_list)
      ->type_name("LIST")
      ->group(group);
  app.add_option("--size", texts.sizes,
                 "Only calls, or messages, of these sizes: 1k-64k, 8, 1m-.\n"
                 "A class of sizes belongs to the range in which it begins")
      ->check(check_sizes)
      ->type_name("RANGE")
      ->group(group);
}

void add_time_range(CLI::App& app, Texts& texts) {
  app.add_option("--time", texts.times,
                 "With --operations or --sizes, only lines in which the slowest\n"
                 "rank spends such a time: 10ms-1s, 2-")
      ->check(check_times)
      ->type_name("RANGE")
      ->group("Order");
}

void add_messages(CLI::App& app, Texts& texts) {
  constexpr char const* group = "Messages (with --matrix or its files)";
  app.add_option("--by", texts.measure, "What counts: bytes (the default) or messages")
      ->check(check_measure)
      ->type_name("WHAT")
      ->group(group);
  app.add_option("--class", texts.classes,
                 "Only p2p (the program's own messages), rma (one-sided calls)\n"
                 "or internal (sent by the MPI, for collectives); may be given\n"
                 "several times")
      ->allow_extra_args(false)
      ->check(check_class)
      ->type_name("CLASS")
      ->group(group);
  for (auto const& [name, list, help] : {std::tuple{"--from", &texts.from, "Only data from these ranks"},
                                         std::tuple{"--to", &texts.to, "Only data to these ranks"}}) {
    app.add_option(name, *list, help)->check(check_rank_list)->type_name("LIST")->group(group);
  }
  auto const file = [&](char const* name, std::string& target, char const* help) {
    return app.add_option(name, target, help)->type_name("FILE")->group(group);
  };
  file("--matrix-csv", texts.matrix_csv, "Write all pairs: src,dst,messages,bytes")->check(check_file);
  file("--treematch", texts.treematch, "Write the matrix for TreeMatch")->check(check_file);
  file("--scotch", texts.scotch, "Write the same as a graph for Scotch (.grf)")->check(check_file);
  file("--metis", texts.metis, "Write the same as a graph for METIS (.graph)")->check(check_file);
  file("--matrix-image", texts.matrix_image, "Draw the matrix: FILE.svg or FILE.png")->check(check_picture);
}

void add_order_and_output(CLI::App& app, Texts& texts) {
  app.add_option("--sort", texts.sort_key,
                 "By falling time (the default), calls, volume (or bytes),\n"
                 "size of the communicator; or by name")
      ->check(check_sort_key)
      ->type_name("KEY")
      ->group("Order");
  app.add_option("--top", texts.top,
                 "Only the first N communicators or ranks of that order; with\n"
                 "--matrix the N busiest pairs")
      ->check(check_positive)
      ->type_name("N")
      ->group("Order");
  app.add_flag("--csv")->description("The same as CSV: seconds and bytes, all digits")->group("Output");
  app.add_flag("--json")->description("The same as JSON, with the head")->group("Output");
  app.add_flag("--recover")
      ->description("Only write the CSV files of a profile that the program has not\nfinished, in its directory")
      ->group("Output");
  app.add_option("--width", texts.width, "Columns of text; by default those of the terminal, or 100")
      ->check(check_positive)
      ->type_name("N")
      ->group("Output");
  app.add_option("--color", texts.color, "auto (the default: on a terminal), always or never")
      ->check(check_color)
      ->type_name("WHEN")
      ->group("Output");
}

// For the build, which installs what they print.
void add_pages(CLI::App& app) {
  constexpr char const* hidden = "";
  app.add_flag_callback("--man", [&app] { throw CLI::CallForVersion(manual_page(app), 0); })->group(hidden);
  app.add_flag_callback("--bash-completion", [&app] { throw CLI::CallForVersion(bash_completion(app), 0); })
      ->group(hidden);
}

void fill(Request& request, CLI::App const& app, Texts const& texts) {
  request.profiles.assign(texts.profiles.begin(), texts.profiles.end());
  request.selection.ranks = ranks_of(texts.ranks);
  request.selection.from = ranks_of(texts.from);
  request.selection.to = ranks_of(texts.to);
  if (!texts.sizes.empty()) request.selection.sizes = SizeRange::parse(texts.sizes);
  for (std::string const& name : texts.kinds) request.selection.kinds.push_back(*parse_operation_kind(name));
  for (std::string const& name : texts.classes) request.selection.classes.push_back(*parse_traffic_class(name));
  if (!texts.times.empty()) request.times = TimeRange::parse(texts.times);
  request.measure = *parse_measure(texts.measure);
  request.matrix_files = {path_of(texts.matrix_csv), path_of(texts.treematch), path_of(texts.matrix_image), path_of(texts.scotch),
                          path_of(texts.metis)};
  request.arrangement.key = *parse_sort_key(texts.sort_key);
  if (!texts.top.empty()) request.arrangement.top = parse_positive(texts.top);
  if (!texts.width.empty()) request.width = parse_positive(texts.width);
  request.color = *parse_color(texts.color);

  if (app.count("--sizes") > 0) {
    request.detail = Detail::message_sizes;
    request.view = View::operations;
  }
  if (request.matrix_files.any()) request.view = View::traffic;
  for (ViewOption const& one : view_options) {
    if (app.count(one.name) > 0) request.view = one.view;
  }
  request.only_files = request.matrix_files.any() && app.count("--matrix") == 0;
  request.recover = app.count("--recover") > 0;
  if (app.count("--csv") > 0) request.format = Format::csv;
  if (app.count("--json") > 0) request.format = Format::json;
}

}  // namespace

std::optional<Request> parse_command_line(int argc, char const* const* argv, int& exit_code) {
  Request request;
  Texts texts;
  CLI::App app{introduction(), "mpisee-through"};
  app.footer(std::string(footer));
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.set_version_flag("--version", "mpisee-through " COMMPROF_VERSION, "Print the version and exit");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("REQUIRED", "");
  app.add_option("PROFILE", texts.profiles,
                 "Directory of the profile, a file in it, or an archive of it\n(.tar.gz, .zip …); several are shown "
                 "one after the other")
      ->required()
      ->type_name("");
  add_views(app);
  add_selection(app, texts, request.selection);
  add_messages(app, texts);
  add_order_and_output(app, texts);
  add_time_range(app, texts);
  add_pages(app);

  try {
    app.parse(argc, argv);
    Combination(app).check();
  } catch (CLI::Success const& success) {
    exit_code = app.exit(success);
    return std::nullopt;
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "mpisee-through: {} (--help explains)\n", visible(error.what()));
    exit_code = exit_usage;
    return std::nullopt;
  }
  fill(request, app, texts);
  return request;
}

}  // namespace mpisee_through
