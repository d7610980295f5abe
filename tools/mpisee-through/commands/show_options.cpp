#include "commands/show_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "commands/commands.hpp"
#include "commands/pages.hpp"
#include "commands/shared_options.hpp"
#include "commands/shown_views.hpp"

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
    "most and up to five findings, each with the command that shows more of it.\n";

constexpr std::string_view what_names_mean =
    "\n"
    "A communicator's name is the way it was made: W is MPI_COMM_WORLD, W_s2.0 came from\n"
    "the second call that created anything from W (counting from 1), a split (s), and is\n"
    "the one whose lowest rank had been 0 in W. Other letters: c Comm_create, d Comm_dup,\n"
    "u Comm_create_group, t Comm_split_type, a Cart_create, b Cart_sub, i Intercomm_create.\n"
    "\n"
    "Mean, Min, Max are of the time that a rank spent in all, over the communicator's\n"
    "ranks; one that never made the call counts with 0. Imbalance is Max over Mean, less 1.\n"
    "A call is the mean of single calls. Volume is bytes sent and received.\n"
    "\n"
    "Environment: COLUMNS is the width of text, NO_COLOR turns colours off, LC_ALL, LC_CTYPE\n"
    "or LANG say whether text may be UTF-8.\n"
    "\n"
    "Exit codes: 0; 1 if the profile cannot be read or has nothing of that name (one line\n"
    "on stderr says what, in which file and line); 2 if the command line makes no sense.\n";

constexpr char const* options_of_messages = "Messages (with --matrix)";

constexpr std::string_view show_examples =
    "Examples:\n"
    "  mpisee-through PROFILE                                what to look at first\n"
    "  mpisee-through --operations PROFILE                   what cost how much, and where\n"
    "  mpisee-through --sites PROFILE                        which lines of the program cost how much\n"
    "  mpisee-through --ranks --top 5 PROFILE                which ranks are slow, and which wait\n"
    "  mpisee-through --operations --comm 'W_s2.*' --op '*all*' PROFILE\n"
    "                                                        some calls on some communicators\n"
    "  mpisee-through --operations --by size --op Send --rank 0-3 PROFILE\n"
    "                                                        what ranks 0 to 3 sent, by size\n"
    "  mpisee-through --waits PROFILE                        who comes late to collectives\n"
    "  mpisee-through --matrix --comm W_a1 PROFILE           who talks to whom on W_a1\n";

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

// Options that views accept, beside those of the output.
constexpr std::array options_of_views{"--comm",  "--op",     "--kind",   "--region",    "--site",     "--rank",
                                      "--size",  "--sort",   "--top",    "--by",        "--from",     "--to",
                                      "--class", "--weight", "--during", "--exclusive", "--treematch"};

bool accepts(ShownView const& view, std::string_view option) {
  return std::ranges::count(view.accepts, option) > 0 || (option == "--by" && !view.by.empty());
}

// The words that --by takes, view by view: "--operations: site, size".
std::string words_of_by() {
  std::string text;
  for (ShownView const& view : shown_views())
    if (!view.by.empty())
      text += fmt::format("{}{}: {}", text.empty() ? "" : ";\n", view.option, fmt::join(view.by, ", "));
  return text;
}

}  // namespace

ShowOptions::ShowOptions()
    : CommandOptions("mpisee-through", introduction(), std::string(show_examples),
                     {options_of_messages, std::string(what_names_mean)}) {
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
}

void ShowOptions::check() {
  ShownView const* shown = nullptr;
  for (ShownView const& one : shown_views()) {
    if (one.option.empty() || !given(one.option)) continue;
    if (shown != nullptr) throw CLI::ExcludesError(shown->option, one.option);
    shown = &one;
  }
  check_options(shown == nullptr ? shown_views().front() : *shown);
  if (profiles_.size() > 1 && shown == nullptr && form_.format() == Format::html)
    throw CLI::ValidationError("--html", "takes one PROFILE without a view");
  if (profiles_.size() > 1 && given("--treematch")) throw CLI::ValidationError("--treematch", "takes one PROFILE");
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

void ShowOptions::check_options(ShownView const& view) const {
  for (std::string const option : options_of_views) {
    if (!given(option) || accepts(view, option)) continue;
    std::vector<std::string> others;
    for (ShownView const& other : shown_views())
      if (accepts(other, option)) others.push_back(other.option.empty() ? "the first page" : other.option);
    throw CLI::ValidationError(
        option, fmt::format("does not apply to {}, only to {}", view.option.empty() ? "the first page" : view.option,
                            fmt::join(others, ", ")));
  }
  for (std::string const& word : by_)
    if (std::ranges::count(view.by, word) == 0)
      throw CLI::ValidationError(
          "--by", fmt::format("\"{}\" is not one of {} (of {})", word, fmt::join(view.by, ", "), view.option));
  if (by_.size() > 1 && view.option != "--matrix")
    throw CLI::ValidationError("--by", fmt::format("takes one word with {}", view.option));
  // The calls before which a rank does more are not those that wait.
  if (is_by("cause"))
    for (char const* option : {"--comm", "--op", "--kind", "--rank"})
      if (given(option)) throw CLI::ExcludesError("--by cause", option);
  if (is_by("host") && given("--treematch")) throw CLI::ExcludesError("--by host", "--treematch");
}

void ShowOptions::add_views() {
  for (ShownView const& one : shown_views())
    if (!one.option.empty()) app_.add_flag(one.option)->description(one.help)->group("Views");
  app_.add_option("--by", by_, "Finer lines: " + words_of_by())
      ->allow_extra_args(false)
      ->delimiter(',')
      ->type_name("WHAT")
      ->group("Views");
  app_.add_flag("--exclusive")
      ->description("With --regions or on the first page, a region's times without\nthose of the regions inside it")
      ->group("Views");
}

void ShowOptions::add_messages() {
  messages_.add_to(app_, options_of_messages);
  app_.add_option("--treematch", treematch_, "Write the matrix for TreeMatch, too")
      ->check(check_file)
      ->type_name("FILE")
      ->group(options_of_messages);
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
                  "busiest pairs. Text of some views has 100 without it")
      ->check(check_positive)
      ->type_name("N")
      ->group("Order");
  form_.add_to(app_, "The same as CSV, on standard output: seconds and bytes, all\ndigits",
               "The same as JSON, with the head");
  app_.add_option("--color", color_, "auto (the default: on a terminal), always or never")
      ->check(one_of(color_times))
      ->type_name("WHEN")
      ->group("Output");
  app_.add_option("--during", during_, "With --when, only this part of the run: 2.5-4, 300ms-, 62%-80%")
      ->check(parsed_by(RunPart::parse, "is no part of the run like 2.5-4, 300ms- or 62%-80%"))
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
  messages_.add_to(request.selection);
  if (!during_.empty()) request.part = *RunPart::parse(during_);
  request.measure = messages_.measure();
  request.treematch = treematch_;
  request.arrangement.key = *sort_keys.parse(sort_key_);
  if (!top_.empty()) request.arrangement.top = parse_positive(top_);
  request.color = *color_times.parse(color_);

  for (ShownView const& one : shown_views())
    if (one.option.empty() || given(one.option)) request.view = &one;
  request.by = by_;
  if (given("--exclusive")) request.region_times = RegionTimes::exclusive;
  request.form = form_;
  return request;
}

}  // namespace mpisee_through
