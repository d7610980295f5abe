#include <fmt/format.h>

#include <optional>

#include "commands/commands.hpp"
#include "commands/shared_options.hpp"
#include "files/visible_text.hpp"
#include "scaling/measured_runs.hpp"
#include "scaling/scaling_view.hpp"
#include "text/terminal.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr char const* scaling_description =
    "Shows how well a program uses more ranks: speed-up, the efficiencies of the POP\n"
    "methodology and their factors, and the time in MPI by communicator, for each number of\n"
    "ranks.\n"
    "\n"
    "  mpisee-through scaling R1 R2 R4 R8         runs on different numbers of ranks\n"
    "  mpisee-through scaling --history DIR       from commit to commit\n"
    "\n"
    "Several runs on one number of ranks are repetitions; all values are medians over them.\n"
    "All ranks together compute the same (strong scaling), or each does (weak scaling): the\n"
    "time outside MPI tells, or --strong or --weak.\n"
    "\n"
    "DIR has a folder for each commit, with the profiles of its runs, and a file \"commit\" if\n"
    "the folder has another name. Commits are in the order of their first run.\n";

constexpr char const* scaling_exit_codes =
    "Exit codes: 0; 1 if a profile cannot be read, or all have one number of ranks; 2 if the\n"
    "command line makes no sense.\n";

class ScalingOptions : public CommandOptions {
 public:
  ScalingOptions();

  std::vector<std::string> profiles;
  std::string region, history, top = "10";
  bool strong = false, weak = false;
  FormatOptions form;

  [[nodiscard]] std::optional<ScalingKind> kind() const {
    return strong ? std::optional(ScalingKind::strong) : weak ? std::optional(ScalingKind::weak) : std::nullopt;
  }

 private:
  void check() override;
};

ScalingOptions::ScalingOptions() : CommandOptions("mpisee-through scaling", scaling_description, scaling_exit_codes) {
  app_.add_option("PROFILE", profiles, "The runs: directories of profiles, in any order")->type_name("");
  app_.add_flag("--strong", strong, "All ranks together compute the same");
  app_.add_flag("--weak", weak, "Each rank computes the same");
  app_.add_option("--region", region, "Times of this region, with the regions inside it")->type_name("REGION");
  app_.add_option("--top", top, "Only the N communicators with most time; 10 by default")
      ->check(check_positive)
      ->type_name("N");
  app_.add_option("--history", history,
                  "The runs of several commits, a folder for each, and how\nthe latest one scales")
      ->type_name("DIR");
  form.add_to(app_, "The same as CSV, on standard output: seconds and parts from 0\nto 1, all digits",
              "The same as JSON");
}

void ScalingOptions::check() {
  if (strong && weak) throw CLI::ExcludesError("--strong", "--weak");
  if (!profiles.empty() && !history.empty()) throw CLI::ExcludesError("--history", "PROFILE");
  if (profiles.size() < 2 && history.empty())
    throw CLI::ValidationError("PROFILE", "scaling needs two profiles or more, or --history");
}

int answer_scaling(ScalingOptions const& options, Runs const& runs, Scaling const& result, History const* commits) {
  Document const latest = scaling({runs, result, visible(options.region), parse_positive(options.top)});
  std::vector<Document> answer;
  if (commits != nullptr) answer.push_back(history(*commits));
  // People see the scaling of the latest commit below the history.
  bool const is_for_people = options.form.format() == Format::text || options.form.format() == Format::html;
  if (commits == nullptr || (is_for_people && result.points.size() > 1)) answer.push_back(latest);
  return print(options.form, find_terminal(std::nullopt, ColorWhen::never), answer);
}

}  // namespace

std::unique_ptr<CommandOptions> scaling_options() { return std::make_unique<ScalingOptions>(); }

int run_scaling(int argc, char** argv) {
  ScalingOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;

  if (!options.history.empty()) {
    History const commits = read_history(options.history, options.region, options.kind());
    return answer_scaling(options, commits.back().runs, commits.back().scaling, &commits);
  }
  Runs const runs = read_measured_runs({options.profiles.begin(), options.profiles.end()}, options.region);
  Scaling const result = scaling_of(runs, options.kind());
  if (result.points.size() == 1)
    throw SelectionError(fmt::format("all runs have {}: scaling needs runs on different numbers of ranks",
                                     format_number_of(result.first().ranks, "rank")));
  return answer_scaling(options, runs, result, nullptr);
}

}  // namespace mpisee_through
