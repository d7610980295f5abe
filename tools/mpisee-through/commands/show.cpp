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
#include "files/visible_text.hpp"
#include "reader/profile_reader.hpp"
#include "recovery/recovery.hpp"
#include "report/page.hpp"
#include "report/report_data.hpp"
#include "report/report_json.hpp"
#include "summary/summarise.hpp"
#include "text/ascii_output.hpp"
#include "text/csv_field.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// Limits a matrix to the terminal's width. A file or pager can show a wider one.
std::optional<std::size_t> width_of_matrix(Request const& request, Terminal const& terminal) {
  return terminal.is_terminal || request.width ? std::optional(terminal.width) : std::nullopt;
}

// Keeps the objects of an answer until the next answer or the end of the process. Their destructors take a tenth of the
// time of the first page of 100,000 ranks; at exit, the system frees memory faster.
template <class T>
T& kept(T made) {
  static T* last = nullptr;
  delete last;
  last = new T(std::move(made));
  return *last;
}

void answer(std::ostream& out, Profile const& profile, Request const& request, Terminal const& terminal) {
  Arrangement arrangement = request.arrangement;
  arrangement.width = std::max(arrangement.width, terminal.width);
  if (request.view == View::traffic) {
    if (!request.by_host) require_rows(profile, request.selection, "--matrix without --by-host");
    check_matrix_files(request.matrix_files, profile.directory());
    auto const add_up = request.by_host ? add_up_traffic_by_host : add_up_traffic;
    Traffic const traffic = add_up(profile, request.selection, request.detail);
    write_matrix_files(request.matrix_files, traffic, request.measure, describe(request.selection));
    if (request.only_files) return;
    show(out, traffic, request.format, {request.measure, request.arrangement.top, width_of_matrix(request, terminal)});
  } else if (request.view == View::regions) {
    require_rows(profile, request.selection, "--regions");
    show(out, add_up_regions(profile, request.selection), request.format, {request.region_times, arrangement});
  } else if (request.view == View::first_screen) {
    FirstScreen const& screen = kept(look_at(profile, request.selection, request.region_times));
    show(out, screen, request.format, terminal);
  } else if (request.view == View::waits) {
    auto const summary = summarise(profile, request.selection, Detail::main_sizes);
    if (request.by_rank) require_rows(profile, request.selection, "--by-rank");
    auto const detail = request.by_rank ? WaitDetail::ranks : WaitDetail::operations;
    show(out, summary, read_waits(profile, summary, request.selection, detail), request.format, arrangement,
         request.by_rank);
  } else if (request.view == View::ranks) {
    auto const summary = summarise(profile, request.selection, Detail::ranks);
    show(out, summary, read_known_waits(profile, summary, request.selection), request.format,
         RanksLayout{arrangement, request.selection.has_whole_ranks()});
  } else {
    Summary& summary = kept(summarise(profile, request.selection, request.detail));
    if (request.detail.by_site) summary.site_names->require();
    if (request.times) keep_operations(summary, *request.times);
    show(out, summary, request.view, request.format, arrangement);
  }
}

// The page of a view, with a part for each profile; the page of the first view is a report.
void answer_as_page(std::ostream& out, Request const& request, Terminal const& terminal) {
  if (request.view == View::first_screen) {
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
