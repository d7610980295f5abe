#include "commands/show_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/pages.hpp"
#include "commands/shared_options.hpp"
#include "commands/shown_views.hpp"
#include "views/heat_map.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view show_description =
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
    "the one whose lowest rank had been 0 in W. Other letters: c Comm_create, d Comm_dup,\n"
    "u Comm_create_group, t Comm_split_type, a Cart_create, b Cart_sub, i Intercomm_create.\n"
    "\n"
    "Mean, Min, Max are of the time that a rank spent in all, over the communicator's\n"
    "ranks; one that never made the call counts with 0. Imbalance is Max over Mean, less 1.\n"
    "A call is the mean of single calls. Volume is bytes sent and received.\n";

constexpr std::string_view show_examples =
    "Examples:\n"
    "  mpisee-through PROFILE                                what to look at first\n"
    "  mpisee-through --operations PROFILE                   what cost how much, and where\n"
    "  mpisee-through --sites PROFILE                        which lines of the program cost how much\n"
    "  mpisee-through --tree PROFILE                         which communicator came from which\n"
    "  mpisee-through --ranks --top 5 PROFILE                which ranks are slow, and which wait\n"
    "  mpisee-through --operations --comm 'W_s2.*' --op '*all*' PROFILE\n"
    "                                                        some calls on some communicators\n"
    "  mpisee-through --sizes --op Send --rank 0-3 PROFILE   what ranks 0 to 3 sent, by size\n"
    "  mpisee-through --operations --size 1m- PROFILE        calls of a mebibyte and more\n"
    "  mpisee-through --operations --sort volume --csv PROFILE\n"
    "                                                        on to a spreadsheet, pandas, R\n"
    "  mpisee-through --waits PROFILE                        who comes late to collectives\n"
    "  mpisee-through --matrix --comm W_a1 PROFILE           who talks to whom on W_a1\n"
    "  mpisee-through --matrix-image map.svg PROFILE         the same of all, as a picture\n"
    "\n"
    "Environment: COLUMNS is the width of text, NO_COLOR turns colours off, LC_ALL, LC_CTYPE\n"
    "or LANG say whether text may be UTF-8.\n"
    "\n"
    "Exit codes: 0; 1 if the profile cannot be read or has nothing of that name (one line\n"
    "on stderr says what, in which file and line); 2 if the command line makes no sense.\n";

constexpr std::string_view matrix = "--matrix";
constexpr std::array matrix_files{"--matrix-csv", "--treematch", "--scotch", "--metis", "--matrix-image"};

// The text above the options in --help.
std::string introduction() {
  std::string text(show_description);
  if (commands().empty()) return text;
  text += "\nCommands, each with a --help of its own (mpisee-through COMMAND --help):\n";
  for (Command const& command : commands()) text += fmt::format("  {:<16}{}\n", command.name, command.summary);
  return text;
}

constexpr Names<SortKey, 7> sort_keys{{{{SortKey::time, "time"},
                                        {SortKey::calls, "calls"},
                                        {SortKey::volume, "volume"},
                                        {SortKey::volume, "bytes"},
                                        {SortKey::name, "name"},
                                        {SortKey::size, "size"},
                                        {SortKey::imbalance, "imbalance"}}}};

std::optional<std::filesystem::path> path_of(std::string const& text) {
  return text.empty() ? std::nullopt : std::optional<std::filesystem::path>(text);
}

// Options that exclude each other.
struct Exclusion {
  std::vector<std::string_view> options;
  std::vector<std::string_view> others;
};

std::vector<Exclusion> exclusions() {
  std::vector<std::string_view> const files(matrix_files.begin(), matrix_files.end());
  std::vector<Exclusion> all{
      {{"--communicators", "--census", "--tree", "--sites", "--ranks", "--collectives", "--waits", "--regions",
        "--by-site"},
       {"--sizes"}},
      {{"--census"}, {"--op", "--kind", "--region", "--site", "--size", "--sort", "--top"}},
      {{"--regions"}, {"--site", "--comm", "--op", "--kind", "--size"}},
      {{"--waits"}, {"--region", "--site", "--size", "--sort"}},
      {{"--by-pair"}, {"--by-rank"}},
      // The calls before which a rank does more are not those that wait.
      {{"--by-cause"}, {"--by-rank", "--by-pair", "--comm", "--op", "--kind", "--rank"}},
      {{"--when"}, {"--comm", "--op", "--region", "--site", "--size", "--sizes", "--sort", "--top"}},
      {{"--matrix"}, {"--kind", "--site", "--sort"}},
      {{"--algorithms"}, {"--kind", "--rank", "--site", "--size", "--sizes", "--by-site", "--sort"}},
      {files, {"--kind", "--site", "--sort"}},
      {{"--by-host"}, {"--treematch", "--scotch", "--metis", "--matrix-image"}},
  };
  for (ShownView const& one : shown_views()) {
    for (ShownView const& other : shown_views()) {
      if (&one < &other) all.push_back({{one.option}, {other.option}});
    }
    if (one.option != matrix) all.push_back({files, {one.option}});
  }
  return all;
}

// Options that need one of several others.
class Needs {
 public:
  explicit Needs(CLI::App const& app) : app_(app) {}

  void check() const {
    bool const has_file = any_given(matrix_files);
    if (!given("--matrix") && !has_file) require("--matrix", {"--by", "--class", "--by-host"});
    if (!given("--matrix") && !has_file && !given("--when")) require("--matrix or --when", {"--from", "--to"});
    // With options that write files, nothing is printed unless a view is asked for.
    if (!given("--matrix") && has_file) require("--matrix", {"--top", "--csv", "--json", "--html"});
    bool const has_view = std::ranges::any_of(shown_views(), [&](ShownView const& one) { return given(one.option); });
    if (!has_view && !given("--sizes") && !has_file) require("--operations or another view", {"--sort", "--top"});
    bool const has_operations = given("--operations") || (given("--sizes") && !given("--matrix"));
    if (!has_operations) require("--operations", {"--time"});
    if (!given("--operations")) require("--operations", {"--by-site"});
    if (!given("--waits")) require("--waits", {"--by-rank", "--by-pair", "--by-cause"});
    bool const has_regions = given("--regions") || (!has_view && !given("--sizes") && !has_file);
    if (!has_regions) require("--regions", {"--exclusive"});
    bool const is_first_page = !has_view && !given("--sizes");
    if (app_.count("PROFILE") > 1) check_one_profile(is_first_page);
  }

 private:
  void check_one_profile(bool is_first_page) const {
    if (is_first_page && given("--html")) throw CLI::ValidationError("--html", "takes one PROFILE without a view");
    for (char const* file : matrix_files)
      if (given(file)) throw CLI::ValidationError(file, "takes one PROFILE");
    if (given("--recover")) throw CLI::ValidationError("--recover", "takes one PROFILE");
  }

  [[nodiscard]] bool given(std::string const& name) const { return app_.count(name) > 0; }
  [[nodiscard]] bool any_given(std::span<char const* const> names) const {
    return std::ranges::any_of(names, [&](char const* name) { return given(name); });
  }

  void require(char const* needed, std::initializer_list<char const*> names) const {
    for (char const* name : names) {
      if (given(name)) throw CLI::RequiresError(name, needed);
    }
  }

  CLI::App const& app_;
};

}  // namespace

ShowOptions::ShowOptions() : CommandOptions("mpisee-through", introduction(), std::string(show_examples)) {
  app_.set_version_flag("--version", "mpisee-through " COMMPROF_VERSION, "Print the version and exit");
  app_.add_option("PROFILE", profiles_,
                  "Directory of the profile, a file in it, or an archive of it\n(.tar.gz, .zip …); several are shown "
                  "one after the other")
      ->required()
      ->type_name("");
  add_views();
  selection_.add_to(app_, "Selection (all can be combined; a view that cannot apply one says so)");
  add_messages();
  add_order_and_output();
  add_pages();
  for (auto const& [options, others] : exclusions()) {
    for (std::string_view const option : options) {
      for (std::string_view const other : others) {
        app_.get_option(std::string(option))->excludes(app_.get_option(std::string(other)));
      }
    }
  }
}

void ShowOptions::check() {
  Needs(app_).check();
  messages_.check(given("--when"));
  // In the published mpisee-through, --ranks has a value. Here the word after it would be taken for a profile.
  std::error_code error;
  auto const is_ranks = [&](std::string const& word) {
    auto const ranks = RankSet::parse(word);
    return ranks && !ranks->empty() && !std::filesystem::exists(word, error);
  };
  auto const ranks = std::ranges::find_if(profiles_, is_ranks);
  if (given("--ranks") && ranks != profiles_.end())
    throw CLI::ValidationError("--ranks",
                               fmt::format("is a view and takes no ranks; to select some: --rank {}", *ranks));
}

void ShowOptions::add_views() {
  for (ShownView const& one : shown_views()) app_.add_flag(one.option)->description(one.help)->group("Views");
  app_.add_flag("--by-site")->description("With --operations, each call at each place in the program")->group("Views");
  app_.add_flag("--exclusive")
      ->description("With --regions or on the first page, a region's times without\nthose of the regions inside it")
      ->group("Views");
  app_.add_flag("--by-rank")->description("With --waits, each rank of each operation")->group("Views");
  app_.add_flag("--by-pair")->description("With --waits, who waits for whom")->group("Views");
  app_.add_flag("--by-cause")
      ->description("With --waits, who makes others wait, and before which call")
      ->group("Views");
  app_.add_flag("--sizes")
      ->description(
          "Each call by size of message: bytes of one call on one rank;\n"
          "with --matrix, each pair of ranks by size of message")
      ->group("Views");
}

void ShowOptions::add_messages() {
  constexpr char const* group = "Messages (with --matrix or its files)";
  messages_.add_to(app_, group, true);
  app_.add_flag("--by-host")
      ->description("Between hosts in place of ranks, with --matrix or --matrix-csv")
      ->group(group);
  auto const file = [&](char const* name, std::string& target, char const* help) {
    return app_.add_option(name, target, help)->type_name("FILE")->group(group);
  };
  file("--matrix-csv", matrix_csv_, "Write all pairs: src,dst,messages,bytes")->check(check_file);
  file("--treematch", treematch_, "Write the matrix for TreeMatch")->check(check_file);
  file("--scotch", scotch_, "Write the same as a graph for Scotch (.grf)")->check(check_file);
  file("--metis", metis_, "Write the same as a graph for METIS (.graph)")->check(check_file);
  file("--matrix-image", matrix_image_, "Draw the matrix: FILE.svg")
      ->check(parsed_by(is_picture_name, "does not end in .svg"));
}

void ShowOptions::add_order_and_output() {
  app_.add_option("--sort", sort_key_,
                  "By falling time (the default), calls, volume (or bytes),\n"
                  "imbalance (of the ranks' times: maximum over mean, less 1),\n"
                  "size of the communicator; or by name")
      ->check(one_of(sort_keys))
      ->type_name("KEY")
      ->group("Order");
  app_.add_option("--top", top_,
                  "Only the first N lines of that order; with --matrix the N\n"
                  "busiest pairs. 100 in text of --operations and --sizes")
      ->check(check_positive)
      ->type_name("N")
      ->group("Order");
  form_.add_to(app_, "The same as CSV, on standard output: seconds and bytes, all\ndigits",
               "The same as JSON, with the head",
               "The same as a page for the browser, on standard output: tables\nto sort and to search; without a view, "
               "that of\nmpisee-through report");
  app_.add_flag("--recover")
      ->description("Only write the CSV files of a profile that the program has not\nfinished, in its directory")
      ->group("Output");
  app_.add_option("--width", width_, "Columns of text; by default those of the terminal, or 100")
      ->check(check_positive)
      ->type_name("N")
      ->group("Output");
  color_.add_to(app_);
  app_.add_option("--time", times_,
                  "With --operations or --sizes, only lines in which the slowest\n"
                  "rank spends such a time: 10ms-1s, 2-")
      ->check(parsed_by(TimeRange::parse, "is no range of times like 10ms-1s or 2-"))
      ->type_name("RANGE")
      ->group("Order");
}

// Options for the build, which installs what they print.
void ShowOptions::add_pages() {
  constexpr char const* hidden = "";
  app_.add_flag_callback("--findings-for-manual", [] { throw CLI::CallForVersion(findings_section(), 0); })
      ->group(hidden);
  app_.add_flag_callback("--bash-completion", [this] { throw CLI::CallForVersion(bash_completion(app_), 0); })
      ->group(hidden);
}

Request ShowOptions::request() const {
  Request request;
  request.profiles.assign(profiles_.begin(), profiles_.end());
  request.selection = selection_.selection();
  if (given("--when")) request.part = messages_.part();
  else messages_.add_to(request.selection);
  if (!times_.empty()) request.times = TimeRange::parse(times_);
  request.measure = messages_.measure();
  request.matrix_files = {path_of(matrix_csv_), path_of(treematch_), path_of(matrix_image_), path_of(scotch_),
                          path_of(metis_)};
  request.arrangement.key = *sort_keys.parse(sort_key_);
  if (!top_.empty()) request.arrangement.top = parse_positive(top_);
  if (!width_.empty()) request.width = parse_positive(width_);
  request.color = color_.when();

  if (given("--by-site")) request.detail = Detail::by_call_site;
  if (given("--sites")) request.detail = Detail::call_sites;
  if (given("--sizes")) {
    request.detail = Detail::message_sizes;
    request.view = find_view("--operations");
  }
  if (request.matrix_files.any()) request.view = find_view(matrix);
  for (ShownView const& one : shown_views()) {
    if (given(one.option)) request.view = &one;
  }
  if (given("--by-rank")) request.wait_lines = WaitLines::ranks;
  if (given("--by-pair")) request.wait_lines = WaitLines::pairs;
  if (given("--by-cause")) request.wait_lines = WaitLines::causes;
  request.by_host = given("--by-host");
  if (given("--exclusive")) request.region_times = RegionTimes::exclusive;
  request.only_files = request.matrix_files.any() && !given("--matrix");
  request.recover = given("--recover");
  request.format = form_.format();
  return request;
}

}  // namespace mpisee_through
