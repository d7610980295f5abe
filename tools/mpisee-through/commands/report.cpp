#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "commands/commands.hpp"
#include "commands/shared_options.hpp"
#include "commands/wing.hpp"
#include "report/page.hpp"
#include "report/report_data.hpp"
#include "report/report_json.hpp"
#include "text/output_file.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view report_description =
    "Writes the profile as a page for the browser: one file that needs no network and no other file.\n"
    "\n"
    "It begins with the findings and efficiencies of the first page and shows where time, bytes and\n"
    "calls go: communicators, call sites, ranks, regions, pairs of ranks and sizes. Tables can be\n"
    "searched and sorted; charts show exact numbers under the mouse and with the arrow keys.\n";
constexpr std::string_view with_links = "With --fabric it also shows which links of the network carry how much.\n";

class ReportOptions : public CommandOptions {
 public:
  ReportOptions();

  std::string profile;
  std::string output = "report.html";
  std::unique_ptr<ReportLinks> links = make_links();  // nullptr in a build without the network
  SelectionOptions selection;

 private:
  static std::unique_ptr<ReportLinks> make_links() {
    auto const make = network_wing().report_links;
    return make == nullptr ? nullptr : make();
  }
};

ReportOptions::ReportOptions()
    : CommandOptions("mpisee-through report", fmt::format("{}{}", report_description,
                                                          network_wing().report_links == nullptr ? "" : with_links)) {
  app_.add_option("PROFILE", profile, "Directory of the profile, a file in it, or an archive of it")
      ->required()
      ->type_name("");
  app_.add_option("-o,--output", output,
                  "Where to write the page; report.html by default. A file that\nexists is written over")
      ->check(check_file)
      ->type_name("FILE");
  if (links != nullptr) links->add_to(app_);
  selection.add_to(app_, "Selection (all can be combined; the page says what it is of)");
}

void write_report(ReportOptions const& options) {
  Profile const profile(options.profile);
  check_no_part_of_profile(options.output, profile.directory());
  LinksReader const links = options.links == nullptr ? LinksReader() : options.links->reader();
  std::string const data = to_json(read_report_data(profile, options.selection.selection(), links));
  OutputFile file(options.output);
  write_page(file.stream(), page, data);
  file.close();
}

}  // namespace

std::unique_ptr<CommandOptions> report_options() { return std::make_unique<ReportOptions>(); }

int run_report(int argc, char** argv) {
  ReportOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;

  require_page();
  write_report(options);
  return EXIT_SUCCESS;
}

}  // namespace mpisee_through
