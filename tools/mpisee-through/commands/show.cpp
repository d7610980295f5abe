#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <vector>

#include "commands/commands.hpp"
#include "commands/report.hpp"
#include "commands/show_options.hpp"
#include "commands/shown_views.hpp"
#include "files/visible_text.hpp"
#include "reader/profile_reader.hpp"
#include "views/views.hpp"

namespace mpisee_through {

int run_show(int argc, char** argv) {
  ShowOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;
  Request const request = options.request();

  Terminal const terminal = find_terminal(request.color);
  if (request.format() == Format::html && request.view->option.empty()) {
    write_report(request.form.file(), Profile(request.profiles.front()), request.selection);
    return EXIT_SUCCESS;
  }
  // Reads everything before printing: no answer is better than half of one.
  std::deque<Profile> profiles;
  std::vector<Document> documents;
  for (std::filesystem::path const& path : request.profiles)
    documents.push_back(request.view->answer({profiles.emplace_back(path), request, terminal}));
  int const exit_code = print(request.form, terminal, documents, request.profiles);
  profiles.clear();  // unpacked archives
  // Without further destructors, which take a tenth of the time of the first page of 100,000 ranks: the system frees
  // memory faster.
  std::_Exit(exit_code);
}

}  // namespace mpisee_through
