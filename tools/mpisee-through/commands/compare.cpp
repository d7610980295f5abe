#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <numeric>
#include <optional>

#include "commands/commands.hpp"
#include "comparison/comparison.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {

namespace {

constexpr char const* compare_description =
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
    "adjusted for all lines by permutation of the runs); up to 0.05 it is called significant.\n"
    "With one run a side, differences may be chance.\n"
    "\n"
    "The first lines say how the runs differ otherwise (ranks, program, arguments, hosts, MPI,\n"
    "options of the profiler), and which of them are unfinished or given twice.\n"
    "\n"
    "--correlate takes three runs or more, and shows how the time on each communicator goes\n"
    "up and down with the wall time of the run: coefficients of Pearson and Spearman, their\n"
    "p, adjusted for the number of communicators (Benjamini and Hochberg), and the seconds on\n"
    "the communicator for each second of wall time.\n"
    "\n"
    "--fail-above 5% is for tests: if the wall time grew by more than 5 %, one line on stderr\n"
    "says so, and the exit code is 3. With several runs a side the difference has to be\n"
    "significant, too. If calls are selected, the communicators are judged instead.\n";

constexpr char const* compare_exit_codes =
    "Exit codes: 0; 1 if a profile cannot be read or none has anything of that name; 2 if the\n"
    "command line makes no sense; 3 if runs are slower than --fail-above allows.\n";

// The order with this name, or the first one. Throws CLI::ParseError.
template <class Order, std::size_t count>
Order const& order_of(std::array<Order, count> const& orders, std::string const& name) {
  auto const found = name.empty() ? orders.begin() : std::ranges::find(orders, name, &Order::name);
  if (found != orders.end()) return *found;
  std::vector<std::string_view> names;
  for (Order const& one : orders) names.push_back(one.name);
  throw CLI::ValidationError("--sort", fmt::format("\"{}\" is not one of {}", name, fmt::join(names, ", ")));
}

// Parses "5%", "0.5 %" or "5" as a share.
std::optional<double> parse_percentage(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  auto const number = number_in<double>(text);
  return number && std::isfinite(*number) && *number >= 0 ? std::optional(*number / 100) : std::nullopt;
}

std::optional<std::string> unfinished_run_of(Runs const& runs, Comparison const& comparison) {
  for (RunGroup const* group : {&comparison.before, &comparison.after})
    for (std::size_t const run : *group)
      if (runs.heads[run].run.unfinished) return runs.heads[run].profile;
  return std::nullopt;
}

class Compare : public Command {
 public:
  Compare();

 private:
  void check() override;
  void check_fail_above() const;
  int answer() override;
  [[nodiscard]] std::vector<std::filesystem::path> profiles() const;
  [[nodiscard]] std::vector<Comparison> comparisons_of(Runs const& runs) const;
  [[nodiscard]] int judge_all(Runs const& runs, std::vector<Comparison> const& comparisons) const;

  std::vector<std::string> first_;
  std::vector<std::vector<std::string>> with_;
  SelectionOptions selection_;
  std::string key_, top_, fail_above_;
  bool correlate_ = false, total_ = false;
  FormatOptions form_;
};

Compare::Compare() : Command("mpisee-through compare", compare_description, compare_exit_codes) {
  app_.add_option("PROFILE", first_, "The runs before; without --with the first, and those to compare with it")
      ->required()
      ->type_name("");
  app_.add_option("--with", with_, "The runs after; may be given several times, each is\ncompared with the runs before")
      ->type_name("PROFILE");
  app_.add_flag("--correlate", correlate_, "Correlation of each communicator with the wall time");
  selection_.add_to(app_, SelectionOptions::calls, "Selection (all can be combined)");
  app_.add_option("--sort", key_,
                  "change (the default), relative, time, calls, volume, p,\n"
                  "name; with --correlate pearson (the default), spearman,\n"
                  "slope, time, name")
      ->type_name("KEY")
      ->group("Order");
  add_top(app_, top_,
          "Only the first N communicators of that order; 10 by default,\nall with --csv, --json and --html");
  app_.add_option("--fail-above", fail_above_,
                  "Exit code 3 if the wall time, or a communicator if calls are\n"
                  "selected, is significantly slower than that: 5%")
      ->check(parsed_by(parse_percentage, "is no percentage"))
      ->type_name("PERCENT")
      ->group("Tests");
  app_.add_flag("--total", total_, "Communicators without a line for each call")->group("Output");
  form_.add_to(app_, "The same as CSV, on standard output: seconds and bytes, all\ndigits", "The same as JSON");
}

void Compare::check() {
  if (correlate_) {
    (void)order_of(correlation_orders, key_);
    if (!with_.empty()) throw CLI::ExcludesError("--correlate", "--with");
    if (first_.size() < 3) throw CLI::ValidationError("--correlate", "needs three profiles or more");
  } else {
    (void)order_of(change_orders, key_);
    if (with_.empty() && first_.size() < 2) throw CLI::ValidationError("PROFILE", "a comparison needs two or more");
  }
  if (!fail_above_.empty()) check_fail_above();
}

// Refuses tests that cannot fail.
void Compare::check_fail_above() const {
  if (correlate_) throw CLI::ExcludesError("--fail-above", "--correlate");
  for (auto const& group : with_) {
    bool const is_tested = first_.size() > 1 && group.size() > 1;
    if (is_tested && smallest_mann_whitney_p(first_.size(), group.size()) > significance_level)
      throw CLI::ValidationError("--fail-above",
                                 fmt::format("with {} and {} runs no difference can be significant; take four a side",
                                             first_.size(), group.size()));
  }
}

std::vector<std::filesystem::path> Compare::profiles() const {
  std::vector<std::filesystem::path> profiles(first_.begin(), first_.end());
  for (auto const& group : with_) profiles.insert(profiles.end(), group.begin(), group.end());
  return profiles;
}

// The first group of runs with each of the others.
std::vector<Comparison> Compare::comparisons_of(Runs const& runs) const {
  std::vector<std::size_t> sizes(with_.empty() ? first_.size() : 1, 1);
  if (!with_.empty()) sizes.front() = first_.size();
  for (auto const& group : with_) sizes.push_back(group.size());
  std::vector<RunGroup> groups;
  std::size_t next = 0;
  for (std::size_t const size : sizes) {
    RunGroup& group = groups.emplace_back(size);
    std::iota(group.begin(), group.end(), next);
    next += size;
  }
  std::vector<Comparison> all;
  for (std::size_t i = 1; i < groups.size(); ++i)
    all.push_back(compare(runs, groups[0], groups[i], order_of(change_orders, key_)));
  return all;
}

// Prints a line for each comparison with slowdowns. Returns the exit code.
int Compare::judge_all(Runs const& runs, std::vector<Comparison> const& comparisons) const {
  auto const limit = parse_percentage(fail_above_);
  if (!limit) return EXIT_SUCCESS;
  int exit_code = EXIT_SUCCESS;
  for (Comparison const& comparison : comparisons) {
    // The times of an unfinished run are lower bounds.
    if (auto const unfinished = unfinished_run_of(runs, comparison)) {
      std::cerr << fmt::format("mpisee-through: --fail-above cannot judge: {} is unfinished\n", visible(*unfinished));
      return exit_no_answer;
    }
    Verdict const verdict = judge(comparison, !selection_.selection().has_whole_ranks(), *limit);
    std::string const after = name_group(runs, comparison.after);
    if (!verdict.slower.empty()) {
      std::cerr << fmt::format("mpisee-through: {} is slower than --fail-above {} allows: {}{}\n", after, fail_above_,
                               verdict.slower, comparison.is_tested() ? "" : " (not tested for chance)");
      exit_code = exit_slower;
    } else if (!verdict.uncertain.empty()) {
      std::cerr << fmt::format("mpisee-through: {} may be slower by chance, so --fail-above {} lets it pass: {}\n",
                               after, fail_above_, verdict.uncertain);
    }
  }
  return exit_code;
}

int Compare::answer() {
  Terminal const terminal = find_terminal(ColorWhen::automatic);
  std::optional<AsciiOutput> ascii_errors;
  if (!terminal.utf8) ascii_errors.emplace(std::cerr);
  constexpr std::size_t most_in_text = 10;
  auto const all_or_few = form_.format() == Format::text ? std::optional(most_in_text) : std::nullopt;
  ComparisonLayout const layout{top_.empty() ? all_or_few : parse_top(top_), total_};
  Runs const runs = read_runs(profiles(), {.selection = selection_.selection()});
  if (correlate_) {
    CorrelationOrder const& order = order_of(correlation_orders, key_);
    return print(form_, terminal, {correlations(runs, order, layout.top)}, profiles());
  }
  auto const all = comparisons_of(runs);
  int const printed = print(form_, terminal, {comparisons(runs, all, layout)}, profiles());
  return printed == EXIT_SUCCESS ? judge_all(runs, all) : printed;
}

constexpr char const* scaling_description =
    "Shows how well a program uses more ranks: speed-up, the efficiencies of the POP\n"
    "methodology and their factors, and the time in MPI by communicator, for each number of\n"
    "ranks.\n"
    "\n"
    "  mpisee-through scaling R1 R2 R4 R8\n"
    "\n"
    "Several runs on one number of ranks are repetitions; all values are medians over them.\n"
    "All ranks together compute the same (strong scaling), or each does (weak scaling): the\n"
    "time outside MPI tells.\n";

constexpr char const* scaling_exit_codes =
    "Exit codes: 0; 1 if a profile cannot be read, or all have one number of ranks; 2 if the\n"
    "command line makes no sense.\n";

class ScalingCommand : public Command {
 public:
  ScalingCommand() : Command("mpisee-through scaling", scaling_description, scaling_exit_codes) {
    app_.add_option("PROFILE", profiles_, "The runs: directories of profiles, in any order")->type_name("");
    app_.add_option("--region", region_, "Times of this region, with the regions inside it")->type_name("REGION");
    add_top(app_, top_, "Only the N communicators with most time; 10 by default");
    form_.add_to(app_, "The same as CSV, on standard output: seconds and parts from 0\nto 1, all digits",
                 "The same as JSON");
  }

 private:
  void check() override {
    if (profiles_.size() < 2) throw CLI::ValidationError("PROFILE", "scaling needs two profiles or more");
  }

  int answer() override {
    std::vector<std::filesystem::path> const profiles(profiles_.begin(), profiles_.end());
    Document const document = scaling(read_runs(profiles, {.region = region_}), visible(region_), parse_top(top_));
    return print(form_, find_terminal(ColorWhen::never), {document}, profiles);
  }

  std::vector<std::string> profiles_;
  std::string region_, top_ = "10";
  FormatOptions form_;
};

}  // namespace

std::unique_ptr<Command> make_compare() { return std::make_unique<Compare>(); }
std::unique_ptr<Command> make_scaling() { return std::make_unique<ScalingCommand>(); }

}  // namespace mpisee_through
