#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "commands/commands.hpp"
#include "files/profile_error.hpp"
#include "files/rank_set.hpp"
#include "files/visible_text.hpp"
#include "profile/schema.hpp"
#include "recovery/recovery.hpp"

namespace mpisee_through {
namespace {

namespace fs = std::filesystem;

constexpr char const* collect_description =
    "Gathers the counts that a killed run left on this node, so that its profile can be read. Run it\n"
    "on each node of the job. It moves the spool files of processes that have ended, and leaves those\n"
    "of running ones.\n"
    "\n"
    "  mpisee-through collect                 each run into the directory of its profile\n"
    "  mpisee-through collect PROFILE         this run only\n"
    "  mpisee-through collect DIRECTORY       each run into a directory of its own in DIRECTORY\n"
    "\n"
    "  srun --ntasks-per-node=1 mpisee-through collect --job $SLURM_JOB_ID     on all nodes of a job\n";

constexpr char const* collect_exit_codes =
    "Exit codes: 0, also if there was nothing to collect; 1 if files of ended processes are left; 2 if\n"
    "the command line makes no sense.\n";

std::string ranks_text(std::vector<std::int32_t> const& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", ranges_of(ranks));
}

// Returns whether all files of ended processes were collected.
bool report(CollectedRun const& run) {
  std::string const from = visible(run.from.string()), to = visible(run.to.string());
  std::error_code error;
  if (!run.ranks.empty()) {
    fmt::print("{}: collected {} from {}\n", to, ranks_text(run.ranks), from);
    if (fs::exists(run.to / commprof::schema::run_file, error))
      fmt::print("{}: was recovered without them: remove its run.json to read all\n", to);
  }
  if (!run.running.empty()) fmt::print("{}: left {}, not ended\n", from, ranks_text(run.running));
  if (!run.of_others.empty())
    fmt::print("{}: left {}, not of this host: collect on {}\n", from, ranks_text(run.of_others), visible(run.host));
  constexpr std::size_t most = 3;
  std::size_t const shown = std::min(run.problems.size(), most);
  for (std::size_t i = 0; i < shown; ++i) fmt::print(stderr, "mpisee-through: {}\n", visible(run.problems[i]));
  if (run.problems.size() > most)
    fmt::print(stderr, "mpisee-through: {}: {} more such files\n", from, run.problems.size() - most);
  return run.problems.empty();
}

class Collect : public Command {
 public:
  Collect() : Command("mpisee-through collect", collect_description, collect_exit_codes) {
    app_.add_option("TO", to_, "Directory of an unfinished profile, or one for profiles")->type_name("");
    app_.add_option("--from", from_,
                    "Search this directory instead of $TMPDIR, /tmp, /var/tmp and\n/dev/shm; may be repeated")
        ->type_name("DIR")
        ->allow_extra_args(false);
    app_.add_flag("--recover", recover_,
                  "Gather nothing, but write the CSV files of TO from the spool\nfiles that are there");
    app_.add_option("--job", job_, "Only the runs of this job of the batch system: %j in the name of\na profile")
        ->type_name("ID");
  }

 private:
  void check() override {
    if (recover_ && to_.empty()) throw CLI::RequiredError("TO");
  }
  int answer() override;
  [[nodiscard]] CollectWish wish() const;

  std::string to_, job_;
  bool recover_ = false;
  std::vector<std::string> from_;
};

CollectWish Collect::wish() const {
  CollectWish wish;
  std::error_code error;
  for (std::string const& one : from_) {
    if (!fs::is_directory(one, error))
      throw ProfileError(one, std::nullopt, error ? error.message() : "not a directory");
    wish.from.emplace_back(one);
  }
  if (wish.from.empty()) wish.from = node_directories();
  wish.job = job_;
  if (to_.empty()) return wish;
  wish.to = to_;
  if (fs::exists(*wish.to / commprof::schema::run_file, error) && !fs::exists(*wish.to / "spool", error))
    throw ProfileError(*wish.to, std::nullopt, "a finished profile: nothing to collect");
  return wish;
}

int Collect::answer() {
  if (recover_) {
    fmt::print("recovered: {}\n", visible(recover_profile(to_).string()));
    return EXIT_SUCCESS;
  }
  CollectWish const wish = this->wish();
  std::vector<CollectedRun> const runs = collect(wish);
  bool is_complete = true;
  for (CollectedRun const& run : runs) is_complete &= report(run);
  if (runs.empty()) {
    std::vector<std::string> places;
    for (fs::path const& one : wish.from) places.push_back(visible(one.string()));
    fmt::print("nothing to collect in {}\n", fmt::join(places, ", "));
  }
  return is_complete ? EXIT_SUCCESS : exit_no_answer;
}

}  // namespace

std::unique_ptr<Command> make_collect() { return std::make_unique<Collect>(); }

}  // namespace mpisee_through
