#include "scaling/scaling.hpp"

#include <optional>

#include "commands/commands.hpp"
#include "commands/shared_options.hpp"
#include "files/visible_text.hpp"
#include "text/terminal.hpp"

namespace mpisee_through {
namespace {

constexpr char const* scaling_description =
    "Shows how well a program uses more ranks: speed-up, the efficiencies of the POP\n"
    "methodology and their factors, and the time in MPI by communicator, for each number of\n"
    "ranks.\n"
    "\n"
    "  mpisee-through scaling R1 R2 R4 R8\n"
    "\n"
    "Several runs on one number of ranks are repetitions; all values are medians over them.\n"
    "All ranks together compute the same (strong scaling), or each does (weak scaling): the\n"
    "time outside MPI tells, or --strong or --weak.\n";

constexpr char const* scaling_exit_codes =
    "Exit codes: 0; 1 if a profile cannot be read, or all have one number of ranks; 2 if the\n"
    "command line makes no sense.\n";

class ScalingOptions : public CommandOptions {
 public:
  ScalingOptions();

  std::vector<std::string> profiles;
  std::string region, top = "10";
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
  form.add_to(app_, "The same as CSV, on standard output: seconds and parts from 0\nto 1, all digits",
              "The same as JSON");
}

void ScalingOptions::check() {
  if (strong && weak) throw CLI::ExcludesError("--strong", "--weak");
  if (profiles.size() < 2) throw CLI::ValidationError("PROFILE", "scaling needs two profiles or more");
}

}  // namespace

std::unique_ptr<CommandOptions> scaling_options() { return std::make_unique<ScalingOptions>(); }

int run_scaling(int argc, char** argv) {
  ScalingOptions options;
  if (auto const exit_code = options.parse(argc, argv)) return *exit_code;

  std::vector<std::filesystem::path> const profiles(options.profiles.begin(), options.profiles.end());
  Runs const runs = read_runs(profiles, {.region = options.region});
  Document const document = scaling(runs, {options.kind(), visible(options.region), parse_positive(options.top)});
  return print(options.form, find_terminal(ColorWhen::never), {document}, profiles);
}

}  // namespace mpisee_through
