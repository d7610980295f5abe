#include "commands/show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <deque>
#include <memory>

#include "commands/commands.hpp"
#include "files/text_lines.hpp"

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

constexpr char const* show_footer =
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
    "  mpisee-through --matrix --comm W_a1 PROFILE           who talks to whom on W_a1\n"
    "\n"
    "Exit codes: 0; 1 if the profile cannot be read or has nothing of that name (one line\n"
    "on stderr says what, in which file and line); 2 if the command line makes no sense.\n";

// The text above the options in --help.
std::string introduction() {
  std::string text(show_description);
  text += "\nCommands, each with a --help of its own (mpisee-through COMMAND --help):\n";
  for (NamedCommand const& command : commands()) text += fmt::format("  {:<16}{}\n", command.name, command.summary);
  return text;
}

constexpr Names<SortKey, 7> sort_keys{{{{SortKey::time, "time"},
                                        {SortKey::calls, "calls"},
                                        {SortKey::volume, "volume"},
                                        {SortKey::volume, "bytes"},
                                        {SortKey::name, "name"},
                                        {SortKey::size, "size"},
                                        {SortKey::imbalance, "imbalance"}}}};

// The words that --by takes, view by view: "--operations: site, size".
std::string words_of_by() {
  std::vector<std::string> views;
  for (ShownView const& view : shown_views())
    if (!view.by.empty()) views.push_back(fmt::format("{}: {}", view.option, fmt::join(view.by, ", ")));
  return fmt::format("{}", fmt::join(views, ";\n"));
}

class Show : public Command {
 public:
  Show();

 private:
  void check() override;
  [[nodiscard]] int answer() override;
  void add_order_and_output();
  void check_options() const;
  [[nodiscard]] Request request() const;

  std::vector<std::string> profiles_;
  SelectionOptions selection_;
  std::vector<std::string> by_;
  std::string during_, sort_key_ = "time", top_, color_ = "auto", treematch_;
  FormatOptions form_;
  ShownView const* view_ = &shown_views().front();
};

Show::Show() : Command("mpisee-through", introduction(), show_footer) {
  app_.set_version_flag("--version", "mpisee-through " COMMPROF_VERSION, "Print the version and exit");
  app_.add_option("PROFILE", profiles_,
                  "Directory of the profile, or a file in it; several are shown one\nafter the other")
      ->required()
      ->type_name("");
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
  selection_.add_to(app_, std::string(SelectionOptions::calls) + " --weight --class --from --to",
                    "Selection (all can be combined; a view that cannot apply one says so)",
                    "Messages (with --matrix)");
  app_.add_option("--treematch", treematch_, "Write the matrix for TreeMatch, too")
      ->check(check_file)
      ->type_name("FILE")
      ->group("Messages (with --matrix)");
  add_order_and_output();
}

void Show::add_order_and_output() {
  app_.add_option("--sort", sort_key_,
                  "By falling time (the default), calls, volume (or bytes),\n"
                  "imbalance (of the ranks' times: maximum over mean, less 1),\n"
                  "size of the communicator; or by name")
      ->check(one_of(sort_keys))
      ->type_name("KEY")
      ->group("Order");
  add_top(app_, top_,
          "Only the first N lines of that order; with --matrix the N\n"
          "busiest pairs. Text of some views has 100 without it");
  app_.add_option("--during", during_, "With --when, only this part of the run: 2.5-4, 300ms-, 62%-80%")
      ->check(parsed_by(RunPart::parse, "is no part of the run like 2.5-4, 300ms- or 62%-80%"))
      ->type_name("RANGE")
      ->group("Order");
  form_.add_to(app_, "The same as CSV, on standard output: seconds and bytes, all\ndigits",
               "The same as JSON, with the head");
  app_.add_option("--color", color_, "auto (the default: on a terminal), always or never")
      ->check(one_of(color_times))
      ->type_name("WHEN")
      ->group("Output");
}

void Show::check() {
  for (ShownView const& one : shown_views()) {
    if (one.option.empty() || !given(one.option)) continue;
    if (!view_->option.empty()) throw CLI::ExcludesError(view_->option, one.option);
    view_ = &one;
  }
  check_options();
  if (profiles_.size() > 1 && view_->option.empty() && form_.format() == Format::html)
    throw CLI::ValidationError("--html", "takes one PROFILE without a view");
}

void Show::check_options() const {
  for (CLI::Option const* one : app_.get_options()) {
    std::string const option = one->get_name();
    std::vector<std::string> takers;
    for (ShownView const& view : shown_views())
      if (view.takes(option)) takers.push_back(view.name());
    if (one->count() > 0 && !takers.empty() && !view_->takes(option))
      throw CLI::ValidationError(
          option, fmt::format("does not apply to {}, only to {}", view_->name(), fmt::join(takers, ", ")));
  }
  for (std::string const& word : by_)
    if (std::ranges::count(view_->by, word) == 0)
      throw CLI::ValidationError(
          "--by", fmt::format("\"{}\" is not one of {} (of {})", word, fmt::join(view_->by, ", "), view_->option));
  if (by_.size() > 1 && view_->option != "--matrix")
    throw CLI::ValidationError("--by", fmt::format("takes one word with {}", view_->option));
  if (!treematch_.empty() && profiles_.size() > 1) throw CLI::ValidationError("--treematch", "takes one PROFILE");
  if (!treematch_.empty() && std::ranges::count(by_, "host") > 0) throw CLI::ExcludesError("--by host", "--treematch");
  // The calls before which a rank does more are not those that wait.
  if (std::ranges::count(by_, "cause") > 0)
    for (char const* option : {"--comm", "--op", "--kind", "--rank"})
      if (given(option)) throw CLI::ExcludesError("--by cause", option);
}

Request Show::request() const {
  Request request{.profiles = {profiles_.begin(), profiles_.end()},
                  .selection = selection_.selection(),
                  .arrangement = {.key = *sort_keys.parse(sort_key_), .top = parse_top(top_)},
                  .view = view_,
                  .by = by_,
                  .form = form_,
                  .terminal = find_terminal(*color_times.parse(color_)),
                  .measure = selection_.measure(),
                  .treematch = treematch_};
  if (!during_.empty()) request.part = *RunPart::parse(during_);
  if (given("--exclusive")) request.region_times = RegionTimes::exclusive;
  return request;
}

int Show::answer() {
  Request const request = this->request();
  if (request.format() == Format::html && view_->option.empty()) {
    write_report(request.form.file(), Profile(request.profiles.front()), request.selection);
    return EXIT_SUCCESS;
  }
  // Reads everything before printing: no answer is better than half of one.
  std::deque<Profile> profiles;
  std::vector<Document> documents;
  for (std::filesystem::path const& path : request.profiles)
    documents.push_back(view_->answer(profiles.emplace_back(path), request));
  int const exit_code = print(request.form, request.terminal, documents, request.profiles);
  profiles.clear();  // recovered ones have temporary directories
  // Without further destructors, which take a tenth of the time of the first page of 100,000 ranks: the system frees
  // memory faster.
  std::_Exit(exit_code);
}

}  // namespace

bool ShownView::takes(std::string_view one) const {
  return std::ranges::count(words_of(accepts), one) > 0 || (one == "--by" && !by.empty());
}

std::unique_ptr<Command> make_show() { return std::make_unique<Show>(); }

}  // namespace mpisee_through
