#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <string_view>

#include "command_line.hpp"
#include "commands/commands.hpp"
#include "reader/visible_text.hpp"
#include "report/page.hpp"
#include "report/report_data.hpp"
#include "report/report_json.hpp"
#include "views/output_file.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view description =
    "Writes the profile as a page for the browser: one file that needs no network and no other file.\n"
    "\n"
    "It shows the tree of communicators, where time, bytes and calls go, who talks to whom, sizes\n"
    "of messages, the time of each rank and the regions of the program. Tables can be searched and\n"
    "sorted; charts show exact numbers under the mouse and with the arrow keys.\n";

struct ReportRequest {
  std::filesystem::path profile;
  std::filesystem::path output;
};

void write_report(ReportRequest const& request) {
  Profile const profile(request.profile);
  check_no_part_of_profile(request.output, profile.directory());
  std::string const data = to_json(read_report_data(profile));
  OutputFile file(request.output);
  file.stream() << page.before_data << data << page.after_data;
  file.close();
}

}  // namespace

int run_report(int argc, char** argv) {
  std::string profile;
  std::string output = "report.html";
  CLI::App app{std::string(description), "mpisee-through report"};
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.add_option("PROFILE", profile, "Directory of the profile, or a file in it")->required()->type_name("");
  app.add_option("-o,--output", output,
                 "Where to write the page; report.html by default. A file that\nexists is written over")
      ->check([](std::string const& text) { return text.empty() ? "\"\" is no name of a file" : ""; })
      ->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (CLI::Success const& success) {
    return app.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "mpisee-through: report: {} (--help explains)\n", visible(error.what()));
    return exit_usage;
  }

  if (page.before_data.empty()) {
    fmt::print(stderr, "mpisee-through: report: this mpisee-through was built without the page, for want of npm\n");
    return exit_no_answer;
  }
  write_report({profile, output});
  return EXIT_SUCCESS;
}

}  // namespace mpisee_through
