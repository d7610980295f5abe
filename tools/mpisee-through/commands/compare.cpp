#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <optional>

#include "command_line.hpp"
#include "commands/commands.hpp"
#include "comparison/comparison_view.hpp"
#include "reader/visible_text.hpp"

namespace mpisee_through {
namespace {

constexpr char const* description =
    "Compares runs of a program: what became faster and what slower, communicator by\n"
    "communicator and call by call. Communicators have the same name in every run, so they\n"
    "join by name.\n"
    "\n"
    "  mpisee-through compare BEFORE AFTER                 two runs\n"
    "  mpisee-through compare BEFORE AFTER AFTER2 ...      each with the first\n"
    "  mpisee-through compare B1 B2 ... --with A1 A2 ...   repetitions of two kinds of runs\n"
    "  mpisee-through compare --correlate R1 R2 R3 ...     what does the wall time follow?\n"
    "\n"
    "Times are means over the ranks of the communicator; of several runs, medians. Spread is\n"
    "the distance of the quartiles as a part of the median. With several runs a side, p is\n"
    "how likely chance alone makes such a difference (Mann-Whitney U test, two-sided,\n"
    "adjusted for the number of lines by Benjamini and Hochberg); up to 0.05 it is called\n"
    "significant.\n"
    "\n"
    "--correlate takes three runs or more, and shows how the time on each communicator goes\n"
    "up and down with the wall time of the run: coefficients of Pearson and Spearman, their\n"
    "p, adjusted in the same way, and the seconds on the communicator for each second of wall\n"
    "time.\n";

constexpr char const* footer =
    "Exit codes: 0; 1 if a profile cannot be read or none has anything of that name; 2 if the\n"
    "command line makes no sense.\n";

struct CompareRequest {
  std::vector<std::string> first;
  std::vector<std::vector<std::string>> with;
  Selection selection;
  std::string ranks;
  std::string key;
  std::size_t top = 0;
  bool correlate = false;
  bool total = false;
  bool csv = false;
  bool json = false;

  [[nodiscard]] Format format() const { return csv ? Format::csv : json ? Format::json : Format::text; }
};

template <class Key>
using Keys = std::vector<std::pair<std::string, Key>>;

Keys<ChangeKey> const& change_keys() {
  static Keys<ChangeKey> const keys{{"change", ChangeKey::change}, {"relative", ChangeKey::relative},
                                    {"time", ChangeKey::time},     {"calls", ChangeKey::calls},
                                    {"volume", ChangeKey::volume}, {"p", ChangeKey::p},
                                    {"name", ChangeKey::name}};
  return keys;
}

Keys<CorrelationKey> const& correlation_keys() {
  static Keys<CorrelationKey> const keys{{"pearson", CorrelationKey::pearson},
                                         {"spearman", CorrelationKey::spearman},
                                         {"slope", CorrelationKey::slope},
                                         {"time", CorrelationKey::time},
                                         {"name", CorrelationKey::name}};
  return keys;
}

// The first one without a name. Throws in the words of the parser.
template <class Key>
Key key_of(Keys<Key> const& keys, std::string const& name) {
  if (name.empty()) return keys.front().second;
  auto const found = std::ranges::find(keys, name, &Keys<Key>::value_type::first);
  if (found != keys.end()) return found->second;
  std::vector<std::string> names;
  for (auto const& [known, key] : keys) names.push_back(known);
  throw CLI::ValidationError("--sort", fmt::format("\"{}\" is none of {}", name, fmt::join(names, ", ")));
}

// What is wrong with the text, or nothing.
std::string check_positive(std::string const& text) {
  bool const is_number = text.find_first_not_of("0123456789") == text.npos;
  bool const is_positive = text.find_first_not_of('0') != text.npos;
  return is_number && is_positive ? "" : fmt::format("\"{}\" is not a number from 1 on", text);
}

void add_options(CLI::App& app, CompareRequest& request) {
  app.add_option("PROFILE", request.first, "The runs before; without --with the first, and those to compare with it")
      ->required()
      ->type_name("");
  app.add_option("--with", request.with,
                 "The runs after; may be given several times, each is\ncompared with the runs before")
      ->type_name("PROFILE");
  app.add_flag("--correlate", request.correlate, "Correlation of each communicator with the wall time");

  constexpr char const* selection = "Selection (all can be combined)";
  auto const add_globs = [&](char const* name, std::vector<std::string>& globs, char const* help) {
    app.add_option(name, globs, help)->allow_extra_args(false)->type_name("GLOB")->group(selection);
  };
  add_globs("--comm", request.selection.communicators, "Only communicators of this name, ours or the program's own");
  add_globs("--op", request.selection.operations, "Only these calls: Send, '*all*'");
  add_globs("--region", request.selection.regions, "Only this region, by its whole path");
  app.add_option("--rank", request.ranks, "Only what these ranks of MPI_COMM_WORLD did: 0-3,8")
      ->type_name("LIST")
      ->group(selection);

  app.add_option("--sort", request.key,
                 "change (the default), relative, time, calls, volume, p,\n"
                 "name; with --correlate pearson (the default), spearman,\n"
                 "slope, time, name")
      ->type_name("KEY")
      ->group("Order");
  app.add_option("--top", request.top, "Only the first N communicators of that order")
      ->check(check_positive)
      ->type_name("N")
      ->group("Order");
  app.add_flag("--total", request.total, "Communicators without a line for each call")->group("Output");
  app.add_flag("--csv", request.csv, "The same as CSV: seconds and bytes, all digits")->group("Output");
  app.add_flag("--json", request.json, "The same as JSON")->group("Output");
}

// What the parser cannot say by itself, in its words.
void check(CompareRequest& request) {
  if (request.csv && request.json) throw CLI::ExcludesError("--csv", "--json");
  if (!request.ranks.empty()) {
    request.selection.ranks = RankSet::parse(request.ranks);
    if (!request.selection.ranks) {
      throw CLI::ValidationError("--rank",
                                 fmt::format("\"{}\" is no list of ranks like 0-3,8 or 0-192:64", request.ranks));
    }
  }
  if (request.correlate) {
    (void)key_of(correlation_keys(), request.key);
    if (!request.with.empty()) throw CLI::ExcludesError("--correlate", "--with");
    if (request.first.size() < 3) throw CLI::ValidationError("--correlate", "needs three profiles or more");
  } else {
    (void)key_of(change_keys(), request.key);
    if (request.with.empty() && request.first.size() < 2) {
      throw CLI::ValidationError("PROFILE", "one is nothing to compare");
    }
  }
}

std::optional<CompareRequest> parse(int argc, char** argv, int& exit_code) {
  CompareRequest request;
  CLI::App app{description, "mpisee-through compare"};
  app.footer(footer);
  app.set_help_flag("-h,--help", "Print this help and exit");
  app.get_formatter()->column_width(24);
  app.get_formatter()->label("REQUIRED", "");
  add_options(app, request);
  try {
    app.parse(argc, argv);
    check(request);
    return request;
  } catch (CLI::Success const& success) {
    exit_code = app.exit(success);
  } catch (CLI::ParseError const& error) {
    fmt::print(stderr, "mpisee-through compare: {} (--help explains)\n", visible(error.what()));
    exit_code = exit_usage;
  }
  return std::nullopt;
}

// The groups of runs, the first one to be compared with each of the others.
std::vector<RunGroup> groups_of(CompareRequest const& request) {
  std::vector<std::size_t> sizes(request.with.empty() ? request.first.size() : 1, 1);
  if (!request.with.empty()) sizes.front() = request.first.size();
  for (auto const& group : request.with) sizes.push_back(group.size());

  std::vector<RunGroup> groups;
  std::size_t next = 0;
  for (std::size_t const size : sizes) {
    groups.emplace_back(size);
    std::iota(groups.back().begin(), groups.back().end(), next);
    next += size;
  }
  return groups;
}

std::vector<std::filesystem::path> profiles_of(CompareRequest const& request) {
  std::vector<std::filesystem::path> profiles(request.first.begin(), request.first.end());
  for (auto const& group : request.with) profiles.insert(profiles.end(), group.begin(), group.end());
  return profiles;
}

bool can_show_grey() {
  char const* const no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

void answer(CompareRequest const& request, Runs const& runs) {
  ComparisonLayout const layout{request.top > 0 ? std::optional(request.top) : std::nullopt, request.total,
                                can_show_grey()};
  if (request.correlate) {
    show(std::cout, runs, correlate(runs, key_of(correlation_keys(), request.key)), request.format(), layout);
    return;
  }
  std::vector<RunGroup> const groups = groups_of(request);
  std::vector<Comparison> comparisons;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    comparisons.push_back(compare(runs, groups[0], groups[i], key_of(change_keys(), request.key)));
    if (!request.csv) continue;
    for (std::string const& notice : comparisons.back().notices) fmt::print(stderr, "mpisee-through: {}\n", notice);
  }
  show(std::cout, runs, comparisons, request.format(), layout);
}

}  // namespace

int run_compare(int argc, char** argv) {
  int exit_code = EXIT_SUCCESS;
  auto const request = parse(argc, argv, exit_code);
  if (!request) return exit_code;

  std::ios::sync_with_stdio(false);
  answer(*request, read_runs(profiles_of(*request), request->selection));
  std::cout.flush();
  if (!std::cout) {
    fmt::print(stderr, "mpisee-through: cannot write the output\n");
    return exit_no_answer;
  }
  return EXIT_SUCCESS;
}

}  // namespace mpisee_through
