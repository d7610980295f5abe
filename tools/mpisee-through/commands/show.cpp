#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
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
#include "text/ascii_output.hpp"
#include "text/csv_field.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// The page of a view, with a part for each profile; the page of the first view is a report.
void answer_as_page(std::ostream& out, Request const& request, Terminal const& terminal) {
  if (request.view == nullptr) {
    write_page(out, page, to_json(read_report_data(Profile(request.profiles.front()), request.selection)));
    return;
  }
  std::ostringstream parts;
  for (std::filesystem::path const& path : request.profiles) {
    parts << (&path == &request.profiles.front() ? '[' : ',');
    answer(parts, Profile(path), request, terminal);
  }
  parts << ']';
  write_page(out, view_page, parts.view());
}

// Text and JSON have a head for each profile; rows of CSV begin with the profile's name.
void answer_of_several(std::ostream& out, Request const& request, Terminal const& terminal) {
  std::ostringstream all;
  for (std::filesystem::path const& path : request.profiles) {
    bool const is_first = &path == &request.profiles.front();
    Profile const profile(path);
    std::ostringstream one;
    answer(one, profile, request, terminal);
    std::string const text = std::move(one).str();
    if (request.format == Format::csv) {
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

  // Reads everything before printing: no answer is better than half of one.
  std::ios::sync_with_stdio(false);
  if (request.recover) {
    fmt::print("recovered: {}\n", visible(recover_profile(request.profiles.front()).string()));
    return EXIT_SUCCESS;
  }
  Terminal const terminal = find_terminal(request.width, request.color);
  std::optional<AsciiOutput> ascii;
  if (request.format == Format::text && !terminal.utf8) ascii.emplace(std::cout);
  if (request.format == Format::html) {
    if (!page.is_there()) {
      fmt::print(stderr, "mpisee-through: --html: {}\n", no_page_text);
      return exit_no_answer;
    }
    answer_as_page(std::cout, request, terminal);
  } else if (request.profiles.size() == 1) {
    answer(std::cout, Profile(request.profiles.front()), request, terminal);
  } else {
    answer_of_several(std::cout, request, terminal);
  }
  return finish_output();
}

}  // namespace mpisee_through
