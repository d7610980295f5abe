#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <utility>

#include "commands/commands.hpp"
#include "commands/show_options.hpp"
#include "commands/shown_views.hpp"
#include "files/visible_text.hpp"
#include "reader/profile_reader.hpp"
#include "recovery/recovery.hpp"
#include "report/page.hpp"
#include "report/report_data.hpp"
#include "report/report_json.hpp"
#include "text/csv_field.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// Text, JSON and pages have a head for each profile; rows of CSV begin with the profile's name. Reads everything before
// printing: no answer is better than half of one.
void answer_of_several(std::ostream& out, Request const& request, Terminal const& terminal) {
  std::ostringstream all;
  for (std::filesystem::path const& path : request.profiles) {
    bool const is_first = &path == &request.profiles.front();
    Profile const profile(path);
    std::ostringstream one;
    std::shared_ptr<void> kept;
    answer(one, {profile, request, terminal, kept});
    std::string const text = std::move(one).str();
    if (request.format == Format::html) {
      all << text;
    } else if (request.format == Format::csv) {
      add_column(all, text, "profile", visible(profile.directory().string()), is_first);
    } else if (request.format == Format::json) {
      all << (is_first ? "[" : ",\n") << std::string_view(text).substr(0, text.rfind('\n'));
    } else {
      all << (is_first ? "" : "\n\n") << text;
    }
  }
  out << std::move(all).str() << (request.format == Format::json ? "]\n" : "");
}

}  // namespace

int run_show(int argc, char** argv) {
  ShowOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;
  Request const request = options.request();

  if (request.recover) {
    fmt::print("recovered: {}\n", visible(recover_profile(request.profiles.front()).string()));
    return EXIT_SUCCESS;
  }
  Terminal const terminal = find_terminal(request.width, request.color);
  if (request.format == Format::html && request.view == nullptr) {
    write_page(std::cout, page, to_json(read_report_data(Profile(request.profiles.front()), request.selection)));
    return finish_output();
  }
  std::shared_ptr<void> kept;
  int const exit_code = print_answer(request.format, terminal, [&](std::ostream& out) {
    if (request.profiles.size() > 1) return answer_of_several(out, request, terminal);
    Profile const profile(request.profiles.front());
    answer(out, {profile, request, terminal, kept});
  });
  std::_Exit(exit_code);  // before the destructor of what is kept: the system frees memory faster
}

}  // namespace mpisee_through
