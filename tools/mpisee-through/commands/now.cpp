#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "commands/commands.hpp"
#include "export/export.hpp"
#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "profile/schema.hpp"
#include "recovery/look.hpp"
#include "recovery/recovery.hpp"
#include "report/page.hpp"
#include "symbols/site_names.hpp"
#include "text/terminal.hpp"
#include "views/job_view.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {
namespace {

namespace fs = std::filesystem;
using std::chrono::duration;

constexpr char const* now_description =
    "What all processes of a run are in: of one that is running, now; of one that was killed,\n"
    "when it ended. Ranks that are in the same call stand together, with whom they wait for.\n"
    "Circles of waits come first.\n"
    "\n"
    "  mpisee-through now DIRECTORY           one look\n"
    "  mpisee-through now --watch DIRECTORY   looks again and again, until the run ends or ^C\n"
    "\n"
    "Looking takes nothing from the processes but page faults. On their node, it tells which of\n"
    "them still run; elsewhere it tells what their files say.\n";

constexpr char const* now_exit_codes =
    "Exit codes: 0; 1 if there is nothing to look at; 2 if the command line makes no sense.\n";

volatile std::sig_atomic_t interrupted = 0;

// Waits until the next look; an interrupt ends the wait.
void pause_for(double seconds) {
  auto const end = std::chrono::steady_clock::now() + duration<double>(seconds);
  while (interrupted == 0 && std::chrono::steady_clock::now() < end) {
    duration<double> const rest = end - std::chrono::steady_clock::now();
    std::this_thread::sleep_for(std::min(rest, duration<double>(0.05)));
  }
}

std::vector<CommunicatorRate> rates_between(Look const& before, Look const& now) {
  double const seconds = duration<double>(now.when - before.when).count();
  std::vector<CommunicatorRate> rates;
  for (auto const& [name, counts] : now.counts) {
    auto const then = before.counts.find(name);
    Look::Counts const base = then == before.counts.end() ? Look::Counts{} : then->second;
    if (seconds <= 0 || counts.calls <= base.calls || counts.bytes < base.bytes) continue;
    rates.push_back({name, static_cast<double>(counts.calls - base.calls) / seconds,
                     static_cast<double>(counts.bytes - base.bytes) / seconds});
  }
  std::ranges::stable_sort(rates, std::ranges::greater{}, &CommunicatorRate::calls_per_s);
  return rates;
}

bool is_over(Look const& look) {
  auto const are = [&](Life life) {
    return std::ranges::any_of(look.job.processes, [&](ProcessState const& one) { return one.life == life; });
  };
  return are(Life::ended) && !are(Life::running);
}

class Now : public Command {
 public:
  Now() : Command("mpisee-through now", now_description, now_exit_codes) {
    app_.add_option("DIRECTORY", given_directory_, "Directory of a profile that is not finished, or of spool files")
        ->type_name("");
    app_.add_option("--watch", watch_, "Look again every so many seconds (2), with calls and bytes\nper second")
        ->expected(0, 1)
        ->type_name("SECONDS");
    app_.add_option(
            "--openmetrics", metrics_,
            "Write what is known until now for Prometheus, in place of\nshowing it; with --watch again and again")
        ->check(check_file)
        ->type_name("FILE")
        ->group("Output");
    form_.add_to(app_, "One look as CSV, a line for each group of ranks",
                 "All that is known as JSON, a line for each look");
  }

 private:
  [[nodiscard]] bool is_watching() const { return given("--watch"); }

  // The word after --watch may be the directory.
  void check() override {
    if (given_directory_.empty()) std::swap(given_directory_, watch_);
    if (given_directory_.empty()) throw CLI::RequiredError("DIRECTORY");
    directory_ = given_directory_;
    if (!metrics_.empty() && form_.format() != Format::text)
      throw CLI::ValidationError("--openmetrics", "cannot be combined with --csv, --json or --html");
    if (is_watching() && (form_.format() == Format::csv || form_.format() == Format::html))
      throw CLI::ValidationError("--watch", "cannot be combined with --csv or --html");
    if (watch_.empty()) return;
    pause_s_ = number_in<double>(watch_).value_or(0);
    if (!(pause_s_ >= 0.1 && pause_s_ <= 3600))
      throw CLI::ValidationError("--watch", fmt::format("\"{}\" is not a number of seconds from 0.1 to 3600", watch_));
  }

  int answer() override {
    std::optional<AsciiOutput> ascii;
    if (form_.format() == Format::text && !terminal_.utf8) ascii.emplace(std::cout);
    if (is_watching()) std::signal(SIGINT, [](int) { interrupted = 1; });
    if (!metrics_.empty()) return write_metrics();
    Look before = SpoolLook(spool(), nullptr).look;
    // Two looks show which processes go on. For a run that has ended, one look is enough.
    double pause = 0.2;
    std::optional<Look> now;
    do {
      if (is_over(before)) break;
      pause_for(pause);
      now = next_look(before);
      if (!now) break;
      show(*now, &before);
      before = std::move(*now);
      pause = pause_s_;
    } while (is_watching() && interrupted == 0);
    if (!now || is_over(before)) end(before);
    return finish_output();
  }

  int write_metrics() const {
    while (interrupted == 0) {
      Profile const profile(directory_);
      export_to(metrics_, write_openmetrics, profile);
      auto const& unfinished = profile.run().unfinished;
      if (!is_watching() || !unfinished || (unfinished->state && unfinished->state->is_over())) break;
      pause_for(pause_s_);
    }
    return EXIT_SUCCESS;
  }

  fs::path spool() const {
    std::error_code error;
    if (!fs::is_directory(directory_, error))
      throw ProfileError(directory_, std::nullopt, error ? error.message() : "not a directory");
    if (auto const found = find_spool(directory_)) return *found;
    check_not_on_nodes(directory_);
    bool const is_finished = fs::exists(directory_ / commprof::schema::run_file, error);
    throw ProfileError(directory_, std::nullopt,
                       is_finished ? "a finished profile: the run is over" : "no spool files: nothing to look at");
  }
  // Nothing if the files have gone with their processes.
  std::optional<Look> next_look(Look const& before) const {
    try {
      return SpoolLook(spool(), &before).look;
    } catch (ProfileError const&) {
      return std::nullopt;
    }
  }
  void end(Look const& last) {
    if (!is_shown_) show(last, nullptr);
    std::error_code error;
    if (form_.format() == Format::text && fs::exists(directory_ / commprof::schema::run_file, error))
      std::cout << "The run is over, and its profile is written.\n";
  }

  void show(Look const& look, Look const* before) {
    is_shown_ = true;
    Situation const situation = understand(look.job, before == nullptr ? nullptr : &before->job);
    auto const rates =
        before == nullptr || !is_watching() ? std::vector<CommunicatorRate>() : rates_between(*before, look);
    Format const format = form_.format();
    Document const document = job({situation, rates, look.windows, look.waits, lines_, look.problems},
                                  format == Format::html ? Terminal{.width = terminal_.width} : terminal_);
    if (format == Format::html) return write_page(form_.file(), page_of({&document, 1}, form_.command()), {directory_});
    std::ostringstream page;
    write(page, format, {&document, 1}, terminal_);
    if (format == Format::json) {  // a line for each look
      std::string line = page.str();
      std::erase(line, '\n');
      std::cout << line << std::endl;
      return;
    }
    bool const looks_follow = is_watching() && format == Format::text;
    bool const redraws = looks_follow && terminal_.is_terminal;
    std::cout << (redraws ? redrawn(page.str()) : page.str());
    if (looks_follow && !redraws) std::cout << '\n';
    std::cout.flush();
  }

  // Overwrites the previous page on the terminal.
  static std::string redrawn(std::string const& page) {
    std::string text = "\x1b[H";
    for (char const character : page) text += character == '\n' ? std::string("\x1b[K\n") : std::string(1, character);
    return text + "\x1b[J";
  }

  std::string given_directory_, watch_, metrics_;
  fs::path directory_;
  double pause_s_ = 2;
  FormatOptions form_;
  Terminal const terminal_ = find_terminal(ColorWhen::automatic);
  CodeLines lines_;
  bool is_shown_ = false;
};

}  // namespace

std::unique_ptr<Command> make_now() { return std::make_unique<Now>(); }

}  // namespace mpisee_through
