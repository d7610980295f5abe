#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>

#include "commands/commands.hpp"
#include "commands/show.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "report/page.hpp"
#include "summary/arrangement.hpp"

namespace mpisee_through {
namespace {

namespace schema = commprof::schema;

constexpr std::string_view report_description =
    "Writes the profile as a page for the browser: one file that needs no network and no other file.\n"
    "\n"
    "It begins with the findings and efficiencies of the first page and shows where time, bytes and\n"
    "calls go: communicators, call sites, ranks, regions, pairs of ranks and sizes. Tables can be\n"
    "searched, filtered and sorted; pictures show exact numbers under the mouse.\n"
    "\n"
    "  mpisee-through --comm W --html FILE PROFILE      the same of a selection\n";
constexpr char const* only_sums = "The profile has only sums over ranks here (COMMPROF_DETAIL=summary).";

// Limits for the speed of the page, which says what it leaves out.
constexpr std::size_t most_lines = 5000;      // of a table
constexpr std::size_t most_in_a_tree = 2000;  // communicators; more are a line for each family
constexpr std::size_t most_on_the_map = 20;   // communicators to choose from

// A view on the page. The first of a section has its title and lead; a further one has a title for its table.
struct Part {
  std::string_view id, title, lead;
  std::string_view option, by{};
  schema::File const* file = nullptr;  // without it, there is nothing to show
  bool needs_rows = false;
};

std::vector<Part> const& parts() {
  static std::vector<Part> const all{
      {"communicators", "Communicators", "Each communicator below the one that it was made from.", "--communicators"},
      {"operations", "Operations", "What each communicator spends on which call, summed over ranks.", "--operations"},
      {"operations", "Collective operations, by direction", "", "--operations", "direction"},
      {"sites", "Call sites", "The lines of the program that call MPI.", "--sites"},
      {"sites", "On each communicator", "", "--operations", "site"},
      {"when", "Over time", "The run in windows of time.", "--when", "", &schema::when},
      {"ranks", "Ranks", "", "--ranks", "", nullptr, true},
      {"waits", "Waiting", "For whom ranks wait, and who causes it.", "--waits", "", &schema::waits},
      {"waits", "Who makes others wait", "", "--waits", "cause", &schema::causes, true},
      {"regions", "Regions", "The program's own regions.", "--regions", "", &schema::regions, true},
      {"matrix", "Pairs of ranks", "Who sends how much to whom.", "--matrix", "", &schema::peers, true},
      {"sizes", "Sizes", "Calls by the bytes of a call on one rank.", "--operations", "size"},
      {"algorithms", "Algorithms", "What the MPI used for collective operations.", "--algorithms", "", &schema::peers,
       true}};
  return all;
}

// The options of a selection.
std::vector<std::string_view> options_of(Selection const& selection) {
  std::vector<std::string_view> options;
  for (auto const& [option, is_given] : {std::pair("--comm", !selection.communicators.empty()),
                                         {"--op", !selection.operations.empty()},
                                         {"--kind", !selection.kinds.empty()},
                                         {"--region", !selection.regions.empty()},
                                         {"--site", !selection.sites.empty()},
                                         {"--rank", selection.ranks.has_value()},
                                         {"--size", selection.sizes.has_value()}})
    if (is_given) options.emplace_back(option);
  return options;
}

class ProfilePage {
 public:
  ProfilePage(Profile const& profile, Selection const& selection) : profile_(profile), selection_(selection) {}

  Page make() {
    add_first_page();
    for (Part const& part : parts()) add(part);
    keep(page_.sections.front().document, first_);
    return std::move(page_);
  }

 private:
  void add_first_page() {
    FirstScreen const& screen = *first_;
    Summary const& summary = screen.summary;
    Run const& run = summary.run;
    page_.kicker = run.unfinished ? "MPI profile of an unfinished run" : "MPI profile";
    page_.title = std::filesystem::path(run.program).filename().string();
    page_.facts = document_of(summary).head;
    if (std::string const part = describe(selection_); !part.empty()) page_.facts.emplace_back("Only", part);
    if (screen.has_account() && !run.has_no_calls())
      add("account", "Where the time went", "", account_for_page(screen));
    if (run.has_no_calls()) page_.facts.emplace_back("Nothing", std::string(why_no_calls(run)));
    else add("findings", "What to change", "", findings_for_page(screen));
    if (screen.has_efficiencies)
      add("efficiency", "Efficiency",
          "Parallel efficiency is load balance times processor efficiency times communication efficiency.",
          efficiencies_for_page(screen));
  }

  void add(Part const& part) {
    ShownView const& view = *std::ranges::find(shown_views(), part.option, &ShownView::option);
    if (part.file != nullptr && !profile_.holds(*part.file)) return;
    std::vector<std::string_view> not_for;
    // Most messages do not say which call sent them.
    auto const applies = [&](std::string_view option) {
      return view.takes(option) && part.by != "cause" && (part.file != &schema::peers || option != "--op");
    };
    std::ranges::copy_if(options_of(selection_), std::back_inserter(not_for), std::not_fn(applies));
    Document document;
    if (!not_for.empty()) document.notes.emplace_back("", fmt::format("Not with {}.", fmt::join(not_for, ", ")));
    else if (part.needs_rows && !has_rows_of(profile_.run(), selection_)) document.notes.emplace_back("", only_sums);
    else document = answer(view, part);
    auto const is_shown = [](table::Table const& one) { return is_in(one.in, table::In::page) && one.lines > 0; };
    bool const has_tables = std::ranges::any_of(document.tables, is_shown);
    bool const is_further = !page_.sections.empty() && page_.sections.back().id == part.id;
    if (is_further && has_tables) document.tables.front().title = part.title;
    if (has_tables || (!is_further && !document.notes.empty()))
      add(part.id, part.title, part.lead, std::move(document));
  }

  Document answer(ShownView const& view, Part const& part) {
    Request request{.profiles = {}, .selection = selection_, .arrangement = {.key = SortKey::time, .top = most_lines}};
    request.view = &view;
    request.terminal.utf8 = true;
    if (!part.by.empty()) request.by = {std::string(part.by)};
    bool const is_tree = part.id == "communicators" && first_->summary.communicators.size() <= most_in_a_tree;
    if (is_tree || part.id == "matrix") request.arrangement.top.reset();
    Document document = view.answer(profile_, request);
    document.head.clear();
    if (part.id == "communicators") {
      for (auto const& [label, text] : highlights(*first_)) document.notes.emplace_back(std::string(label), text);
      document.tables.insert(document.tables.begin(), costs_for_page(*first_));
    }
    if (part.id == "matrix") add_map(document);
    return document;
  }

  // In place of the drawing of the busiest pairs alone.
  void add_map(Document& document) {
    Summary const& summary = first_->summary;
    std::vector<std::string> communicators;
    for (CommunicatorIndex const index :
         arrange_communicators(summary, {.key = SortKey::time, .top = most_on_the_map}, Include::with_operations))
      communicators.push_back(summary.communicator(index).name);
    for (table::Table& table : document.tables) table.drawing = {};
    document.tables.insert(document.tables.begin(), pair_map(profile_, selection_, communicators));
  }

  void add(std::string_view id, std::string_view title, std::string_view lead, Document document) {
    if (!page_.sections.empty() && page_.sections.back().id == id) {
      Document& before = page_.sections.back().document;
      std::ranges::move(document.tables, std::back_inserter(before.tables));
      return keep(before, document.of);
    }
    page_.sections.push_back({std::string(id), std::string(title), std::string(lead), std::move(document)});
  }

  Profile const& profile_;
  Selection const& selection_;
  // The sections refer to it.
  std::shared_ptr<FirstScreen const> first_ =
      std::make_shared<FirstScreen const>(read_first_page(profile_, selection_));
  Page page_;
};

// PROFILE.html, beside the directory of the profile.
std::string default_output(std::filesystem::path profile) {
  if (!profile.has_filename() || profile.filename() == "." || profile.filename() == "..")
    profile = std::filesystem::weakly_canonical(profile);
  if (profile.filename() == schema::run_file) profile = profile.parent_path();
  if (!profile.has_filename()) profile = profile.parent_path();
  return profile.string() + ".html";
}

class Report : public Command {
 public:
  Report() : Command("mpisee-through report", std::string(report_description)) {
    add_profile(app_, profile_);
    app_.add_option("-o,--output", output_,
                    "Where to write the page; PROFILE.html by default. A file that\nexists is written over")
        ->check(check_file)
        ->type_name("FILE");
  }

 private:
  int answer() override {
    require_page();
    write_report(output_.empty() ? default_output(profile_) : output_, Profile(profile_), {});
    return EXIT_SUCCESS;
  }

  std::string profile_, output_;
};

}  // namespace

Page page_of(Profile const& profile, Selection const& selection) { return ProfilePage(profile, selection).make(); }

void write_report(std::string const& path, Profile const& profile, Selection const& selection) {
  write_page(path, page_of(profile, selection), {profile.directory()});
}

std::unique_ptr<Command> make_report() { return std::make_unique<Report>(); }

}  // namespace mpisee_through
