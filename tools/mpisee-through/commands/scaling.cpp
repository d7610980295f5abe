#include "scaling/scaling.hpp"

#include "commands/commands.hpp"
#include "commands/options.hpp"
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
    Document const document = scaling(read_runs(profiles, {.region = region_}), {visible(region_), parse_top(top_)});
    return print(form_, find_terminal(ColorWhen::never), {document}, profiles);
  }

  std::vector<std::string> profiles_;
  std::string region_, top_ = "10";
  FormatOptions form_;
};

}  // namespace

std::unique_ptr<Command> make_scaling() { return std::make_unique<ScalingCommand>(); }

}  // namespace mpisee_through
