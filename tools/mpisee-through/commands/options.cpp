#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "commands/commands.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "report/page.hpp"

namespace mpisee_through {

namespace {

std::string check_rank_list(std::string const& text) {
  auto const is_list = [](std::string const& list) {
    auto const ranks = RankSet::parse(list);
    return ranks && !ranks->empty();
  };
  return parsed_by(is_list, "is no list of ranks like 0-3,8 or 0-192:64")(text);
}

// Parses a text that check_rank_list() has accepted; nothing if it is empty.
std::optional<RankSet> ranks_of(std::string const& text) { return text.empty() ? std::nullopt : RankSet::parse(text); }

// Options of earlier versions and of the published mpisee-through, and what takes their place.
constexpr std::pair<std::string_view, std::string_view> old_options[] = {
    {"--tree --census", "--communicators"},
    {"--matrix-csv --scotch --metis", "--matrix --csv >FILE"},
    {"--matrix-image", "the map of the page that report writes"},
    {"--badge", "parallel_efficiency of --csv"},
    {"--history", "history() of python/commprof.py"},
    {"--recover", "collect --recover"},
    {"--width", "the variable COLUMNS"},
    {"--sizes", "--operations --by size, or --matrix --by size"},
    {"--by-site --by-rank --by-pair --by-cause --by-host", "--by WORD"},
    {"--collectives", "--operations --by direction"},
    {"--time", "--sort and --top"},
    {"--help-all", "--help"},
    {"--fabric-hosts --rail", "a file \"hosts\" in the directory of --fabric"},
    {"--topology", "--fabric topology.conf"},
    {"-i --inputdb --infile", "PROFILE alone"},
    {"-a --all", "--ranks, or operations.csv itself"},
    {"-p --pt2pt", "--operations --kind p2p"},
    {"-c", "--operations --kind collective"},
    {"-r", "--rank LIST"},
    {"-b --buffsize", "--size MIN-MAX"},
    {"-t", "--operations --sort time --top N"},
    {"-s", "--operations --sort KEY"},
    {"-o", "--csv >FILE"},
};

// The error for an argument that begins with - but is not an option of the command.
std::string describe_unknown_option(CLI::App const& app, std::string_view argument) {
  bool const is_long = argument.starts_with("--");
  std::string_view const name = is_long ? argument.substr(0, argument.find('=')) : argument.substr(0, 2);
  std::string const unknown = fmt::format("there is no option {}", name);
  for (auto const& [old, instead] : old_options)
    if (std::ranges::count(words_of(old), name) > 0) return fmt::format("{}: take {}", unknown, instead);
  commprof::NearestName nearest(name.substr(std::min(name.find_first_not_of('-'), name.size())));
  for (CLI::Option const* option : app.get_options())
    for (std::string const& long_name : option->get_lnames()) nearest.offer(long_name);
  return nearest.name().empty() ? unknown : fmt::format("{}; did you mean --{}?", unknown, nearest.name());
}

// The parser's error; errors about options in our own words. An unknown option is reported first, because other errors
// may come from its value.
std::string describe(CLI::App const& app, CLI::ParseError const& error) {
  for (std::string const& argument : app.remaining())
    if (argument.size() > 1 && argument.front() == '-') return describe_unknown_option(app, argument);
  return error.what();
}

// The type of an option's value alone. CLI11's default also lists excluded options, which would fill most of the page.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(CLI::Option const* option) const override {
    std::string const type = option->get_type_name();
    std::string const several = option->get_expected_max() == CLI::detail::expected_max_vector_size ? " ..." : "";
    return (type.empty() ? "" : " " + type) + several;
  }
};

}  // namespace

void SelectionOptions::add_to(CLI::App& app, std::string_view names, std::string const& group,
                              std::string const& group_of_messages) {
  // May be given several times.
  auto const list = [&](char const* name, std::vector<std::string>& target, char const* type, char const* help) {
    return app.add_option(name, target, help)->allow_extra_args(false)->type_name(type)->group(group);
  };
  auto const one = [&](char const* name, std::string& target, char const* type, char const* help) {
    return app.add_option(name, target, help)->type_name(type)->group(group);
  };
  list("--comm", names_.communicators, "GLOB",
       "Only communicators of this name, ours or the program's own,\n"
       "or MPI_COMM_WORLD, MPI_COMM_SELF. * ? [a-z] match as in a\n"
       "shell. All with GLOB or KIND may be given several times");
  list("--op", names_.operations, "GLOB", "Only these calls: Send, MPI_Send, send,recv, '*all*'")->delimiter(',');
  list("--kind", kinds_, "KIND",
       "Only calls of this kind: p2p, collective, completion (Wait,\n"
       "Test), communicator, one-sided, file, other; p2p,file")
      ->delimiter(',')
      ->check(one_of(operation_kinds));
  list("--region", names_.regions, "GLOB",
       "Only this region, by its whole path: solve/halo, 'solve/*'.\n"
       "main is outside any");
  list("--site", names_.sites, "GLOB",
       "Only calls made at this place: its function, file or line\n"
       "(solver.f90:214), or solver+0x4a2f as --sites shows it");
  one("--rank", ranks_, "LIST",
      "Only what these ranks of MPI_COMM_WORLD did: 0-3,8 or\n"
      "0-192:64 for every 64th of 0 to 192. Of messages, those\n"
      "with one of these ranks at either end")
      ->check(check_rank_list);
  one("--size", sizes_, "RANGE",
      "Only calls, or messages, of these sizes: 1k-64k, 8, 1m-.\n"
      "A class of sizes belongs to the range in which it begins")
      ->check(parsed_by(SizeRange::parse, "is no range of sizes like 1k-64k, 8 or 1m-"));
  one("--weight", measure_, "WHAT", "What counts: bytes (the default) or messages")->check(one_of(measures));
  list("--class", classes_, "CLASS",
       "Only p2p (the program's own messages), rma (one-sided calls),\n"
       "internal (sent by the MPI, for collectives), network (what the\n"
       "MPI gave to its transport, whatever for) or estimate (what\n"
       "collectives may send, from the bytes of their calls)")
      ->delimiter(',')
      ->check(one_of(classes_with_estimate));
  one("--from", from_, "LIST", "Only data from these ranks")->check(check_rank_list);
  one("--to", to_, "LIST", "Only data to these ranks")->check(check_rank_list);
  for (char const* name : {"--weight", "--class", "--from", "--to"}) app.get_option(name)->group(group_of_messages);
  auto const wanted = words_of(names);
  for (char const* name :
       {"--comm", "--op", "--kind", "--region", "--site", "--rank", "--size", "--weight", "--class", "--from", "--to"})
    if (std::ranges::count(wanted, name) == 0) app.remove_option(app.get_option(name));
}

Selection SelectionOptions::selection() const {
  Selection selection = names_;
  for (std::string const& kind : kinds_) selection.kinds.push_back(*operation_kinds.parse(kind));
  for (std::string const& name : classes_) selection.classes.push_back(*classes_with_estimate.parse(name));
  selection.ranks = ranks_of(ranks_);
  selection.sizes = sizes_.empty() ? std::nullopt : SizeRange::parse(sizes_);
  selection.from = ranks_of(from_);
  selection.to = ranks_of(to_);
  return selection;
}

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

void add_profile(CLI::App& app, std::string& profile) {
  app.add_option("PROFILE", profile, "Directory of the profile, or a file in it")->required()->type_name("");
}

CLI::Option* add_top(CLI::App& app, std::string& top, char const* help) {
  return app.add_option("--top", top, help)
      ->check(parsed_by(parse_top, "is not a number from 1 on"))
      ->type_name("N")
      ->group("Order");
}

std::optional<std::size_t> parse_top(std::string_view text) {
  auto const number = number_in<std::size_t>(text);
  return number && *number > 0 ? number : std::nullopt;
}

std::string check_file(std::string const& text) { return text.empty() ? "\"\" is no name of a file" : ""; }

Command::Command(std::string const& name, std::string const& description, std::string const& footer)
    : app_(description, name) {
  app_.footer(footer);
  app_.set_help_flag("-h,--help", "Print this help and exit");
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.get_formatter()->column_width(24);
  app_.get_formatter()->label("REQUIRED", "");
}

int Command::run(int argc, char const* const* argv) {
  try {
    app_.parse(argc, argv);
    check();
  } catch (CLI::Success const& success) {
    return app_.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "{}: {} (--help explains)\n", app_.get_name(), visible(describe(app_, error)));
    return exit_usage;
  }
  return answer();
}

}  // namespace mpisee_through
