#include "commands/shared_options.hpp"

#include <cstdint>
#include <functional>
#include <tuple>

#include "files/number_in.hpp"
#include "report/page.hpp"

namespace mpisee_through {
void FormatOptions::add_to(CLI::App& app, char const* csv, char const* json) {
  command_ = app.get_name();
  CLI::Option* const as_csv = app.add_flag_callback(
      "--csv", [this] { format_ = Format::csv; }, csv);
  CLI::Option* const as_json = app.add_flag_callback(
      "--json", [this] { format_ = Format::json; }, json);
  CLI::Option* const as_page =
      app.add_option("--html", file_, "Write a page for the browser; a file that exists is written over")
          ->check(check_file)
          ->type_name("FILE")
          ->each([this](std::string const&) {
            require_page();
            format_ = Format::html;
          });
  for (CLI::Option* const option : {as_csv, as_json, as_page}) option->group("Output");
  as_csv->excludes(as_json)->excludes(as_page);
  as_json->excludes(as_page);
}

std::optional<std::size_t> parse_positive(std::string_view text) {
  auto const number = number_in<std::size_t>(text);
  return number && *number > 0 ? number : std::nullopt;
}

std::string check_positive(std::string const& text) {
  return parsed_by(parse_positive, "is not a number from 1 on")(text);
}

std::string check_rank_list(std::string const& text) {
  auto const is_list = [](std::string const& list) {
    auto const ranks = RankSet::parse(list);
    return ranks && !ranks->empty();
  };
  return parsed_by(is_list, "is no list of ranks like 0-3,8 or 0-192:64")(text);
}

std::string check_file(std::string const& text) { return text.empty() ? "\"\" is no name of a file" : ""; }

std::optional<RankSet> ranks_of(std::string const& text) { return text.empty() ? std::nullopt : RankSet::parse(text); }

void SelectionOptions::add_to(CLI::App& app, std::string const& group, Of of) {
  auto const several = [&](char const* name, std::vector<std::string>& target, char const* type, char const* help) {
    return app.add_option(name, target, help)->allow_extra_args(false)->type_name(type)->group(group);
  };
  several("--comm", names_.communicators, "GLOB",
          "Only communicators of this name, ours or the program's own,\n"
          "or MPI_COMM_WORLD, MPI_COMM_SELF. * ? [a-z] match as in a\n"
          "shell. All with GLOB or KIND may be given several times");
  several("--op", names_.operations, "GLOB", "Only these calls: Send, MPI_Send, send,recv, '*all*'")->delimiter(',');
  if (of == Of::calls)
    several("--kind", kinds_, "KIND",
            "Only calls of this kind: p2p, collective, completion (Wait,\n"
            "Test), communicator, one-sided, file, other; p2p,file")
        ->delimiter(',')
        ->check(one_of(operation_kinds));
  several("--region", names_.regions, "GLOB",
          "Only this region, by its whole path: solve/halo, 'solve/*'.\n"
          "main is outside any");
  if (of == Of::calls)
    several("--site", names_.sites, "GLOB",
            "Only calls made at this place: its function, file or line\n"
            "(solver.f90:214), or solver+0x4a2f as --sites shows it");
  app.add_option("--rank", ranks_,
                 "Only what these ranks of MPI_COMM_WORLD did: 0-3,8 or\n"
                 "0-192:64 for every 64th of 0 to 192. Of messages, those\n"
                 "with one of these ranks at either end")
      ->check(check_rank_list)
      ->type_name("LIST")
      ->group(group);
  app.add_option("--size", sizes_,
                 "Only calls, or messages, of these sizes: 1k-64k, 8, 1m-.\n"
                 "A class of sizes belongs to the range in which it begins")
      ->check(parsed_by(SizeRange::parse, "is no range of sizes like 1k-64k, 8 or 1m-"))
      ->type_name("RANGE")
      ->group(group);
}

Selection SelectionOptions::selection() const {
  Selection selection = names_;
  selection.ranks = ranks_of(ranks_);
  if (!sizes_.empty()) selection.sizes = SizeRange::parse(sizes_);
  for (std::string const& name : kinds_) selection.kinds.push_back(*operation_kinds.parse(name));
  return selection;
}

CLI::Option* ClassOption::add_to(CLI::App& app, std::string const& group) {
  return app
      .add_option("--class", classes_,
                  "Only p2p (the program's own messages), rma (one-sided calls),\n"
                  "internal (sent by the MPI, for collectives), network (what the\n"
                  "MPI gave to its transport, whatever for) or estimate (what\n"
                  "collectives may send, from the bytes of their calls);\n"
                  "may be given several times")
      ->allow_extra_args(false)
      ->check(one_of(classes_with_estimate))
      ->type_name("CLASS")
      ->group(group);
}

void ClassOption::add_to(Selection& selection) const {
  for (std::string const& name : classes_) selection.classes.push_back(*classes_with_estimate.parse(name));
}

void MessageOptions::add_to(CLI::App& app, std::string const& group) {
  app.add_option("--weight", measure_, "What counts: bytes (the default) or messages")
      ->check(one_of(measures))
      ->type_name("WHAT")
      ->group(group);
  classes_.add_to(app, group);
  for (auto const& [name, list, help] : {std::tuple{"--from", &from_, "Only data from these ranks"},
                                         std::tuple{"--to", &to_, "Only data to these ranks"}})
    app.add_option(name, *list, help)->check(check_rank_list)->type_name("LIST")->group(group);
}

void MessageOptions::add_to(Selection& selection) const {
  selection.from = ranks_of(from_);
  selection.to = ranks_of(to_);
  classes_.add_to(selection);
}

Measure MessageOptions::measure() const { return *measures.parse(measure_); }

}  // namespace mpisee_through
