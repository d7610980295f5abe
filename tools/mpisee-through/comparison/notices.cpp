#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "comparison/comparison.hpp"
#include "files/visible_text.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// Options that do not affect measurements: where a profile is, whether it is kept, what is printed about it.
std::set<std::string_view> const without_effect{"COMMPROF_APPS",     "COMMPROF_INDEX",    "COMMPROF_MIN_MPI",
                                                "COMMPROF_MIN_TIME", "COMMPROF_MAX_SIZE", "COMMPROF_OUTPUT",
                                                "COMMPROF_VERBOSE"};

// A longer list would not be read.
constexpr std::size_t most_listed = 4;

// "a, b, c, d and 2 more".
template <class Texts>
std::string list(Texts const& texts, std::string_view between) {
  constexpr std::size_t widest = 160;
  std::vector<std::string> words;
  for (std::string const& text : texts)
    if (words.size() < most_listed) words.push_back(shorten(text, widest));
  std::string const shown = fmt::format("{}", fmt::join(words, between));
  return texts.size() > most_listed ? fmt::format("{} and {} more", shown, texts.size() - most_listed) : shown;
}

std::string arguments(Overview const& head) {
  std::vector<std::string> words;
  for (std::string const& argument : head.run.arguments) words.push_back(shell_word(argument));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

// The ranks on each host, as a text to compare; empty if the run lacks ranks: its hosts are not all known.
std::string placement(Overview const& head) {
  if (head.run.lacks_ranks()) return {};
  std::map<std::string, std::vector<std::int32_t>> ranks_of_host;
  for (std::uint32_t rank = 0; rank < head.host_of_rank.size(); ++rank)
    ranks_of_host[head.host_of(WorldRank{rank})].push_back(static_cast<std::int32_t>(rank));
  std::vector<std::string> places;
  for (auto const& [host, ranks] : ranks_of_host) places.push_back(fmt::format("{} on {}", ranges_of(ranks), host));
  return fmt::format("{}", fmt::join(places, ", "));
}

// Identifies a run; a copy of its profile has the same identity.
std::string identity(Overview const& head) {
  if (!head.run.start.empty())
    return fmt::format("{} {} {} {}", head.run.start, head.run.wall_s, head.run.ranks, head.run.program);
  std::error_code error;
  std::filesystem::path const path = std::filesystem::weakly_canonical(head.profile, error);
  return error ? head.profile : path.string();
}

class Differences {
 public:
  Differences(Runs const& runs, RunGroup const& before, RunGroup const& after, std::string_view name_of_before,
              std::string_view name_of_after)
      : runs_(runs), before_(before), after_(after), names_{name_of_before, name_of_after} {}

  // Adds a notice about the items in which the runs differ. text: of an item in a run; empty if it is unknown, which is
  // no difference.
  template <class Items, class Text>
  bool note_any(std::string_view what, Items const& items, Text text, std::string_view consequence = "") {
    std::vector<std::string> found;
    for (auto const& item : items) {
      auto const texts = [&](RunGroup const& group) {
        std::set<std::string> all;
        for (std::size_t const run : group) all.insert(text(item, run));
        all.erase("");
        return all;
      };
      std::set<std::string> const before = texts(before_), after = texts(after_);
      if (before.empty() || after.empty() || (before.size() == 1 && before == after)) continue;
      found.push_back(fmt::format("{}{}{} {}, {} {}", item, std::string_view(item).empty() ? "" : " ",
                                  list(before, ", "), names_[0], list(after, ", "), names_[1]));
    }
    if (!found.empty()) notices.push_back(fmt::format("{} differ: {}{}.", what, list(found, "; "), consequence));
    return !found.empty();
  }
  template <class Text>
  bool note(std::string_view what, Text text, std::string_view consequence = "") {
    auto const of_run = [&](std::string_view, std::size_t run) -> std::string { return text(runs_.heads[run]); };
    return note_any(what, std::initializer_list<std::string_view>{""}, of_run, consequence);
  }

  void note_programs() {
    note("Programs", [](Overview const& head) { return std::filesystem::path(head.run.program).filename().string(); });
    note("Arguments", arguments);
  }

  void note_libraries() {
    if (!note("MPI libraries", [](Overview const& head) { return head.run.short_library(); }))
      note("Builds of the MPI library", [](Overview const& head) { return head.run.mpi_library; });
    note("Versions of the profiler", [](Overview const& head) { return head.run.profiler_version; });
    std::set<std::string> names;
    for (Overview const& head : runs_.heads)
      for (auto const& [name, value] : head.run.options)
        if (!without_effect.contains(name)) names.insert(name);
    note_any("Options of the profiler", names, [&](std::string const& name, std::size_t run) {
      auto const& options = runs_.heads[run].run.options;
      return options.contains(name) ? options.at(name) : std::string();
    });
  }

  void note_sizes() {
    std::vector<std::string> names;
    for (auto const& [name, communicator] : runs_.communicators) names.push_back(name);
    note_any("Sizes of communicators", names, [&](std::string const& name, std::size_t run) {
      std::uint64_t const size = runs_.communicators.at(name).sizes[run];
      return size == 0 ? std::string() : std::to_string(size);
    });
  }

  // The times of ranks that waited for processors would be shorter on a machine of their own.
  void note_queued() {
    auto const most_in = [&](RunGroup const& group) {
      std::optional<double> most;
      for (std::size_t const run : group) most = std::max(most, runs_.heads[run].queued_share());
      return most;
    };
    std::optional<double> const before = most_in(before_), after = most_in(after_);
    if (std::max(before, after) < crowded_share) return;
    notices.push_back(
        fmt::format("Ranks waited for a processor, {} of their time before, {} after: all times include it.",
                    format_share(before), format_share(after)));
  }

  std::vector<std::string> notices{};

 private:
  Runs const& runs_;
  RunGroup const &before_, &after_;
  std::array<std::string_view, 2> names_;
};

}  // namespace

std::vector<std::string> defects_of(Runs const& runs, RunGroup const& group) {
  std::vector<std::string> notices;
  std::map<std::string, std::vector<std::string>> profiles_of_run;
  for (std::size_t const run : group) {
    Overview const& head = runs.heads[run];
    std::vector<std::string>& profiles = profiles_of_run[identity(head)];
    bool const is_told = std::ranges::find(profiles, head.profile) != profiles.end();
    profiles.push_back(head.profile);
    if (!head.run.unfinished || is_told) continue;
    notices.push_back(fmt::format("{} is unfinished: {}; last known call after {}", head.profile,
                                  head.run.unfinished->how(), format_seconds(head.run.unfinished->last_record_s)));
    if (head.run.lacks_ranks())
      notices.back() +=
          fmt::format("; nothing is known of ranks {}", shorten_members(head.run.unfinished->missing.to_string()));
    notices.back() += '.';
  }
  for (auto const& [run, profiles] : profiles_of_run)
    if (profiles.size() > 1)
      notices.push_back(fmt::format("The same run is given {} times: {}. Repetitions are runs of their own.",
                                    profiles.size(), list(std::set(profiles.begin(), profiles.end()), ", ")));
  return notices;
}

std::vector<std::string> notices_of(Runs const& runs, RunGroup const& before, RunGroup const& after) {
  Differences differences(runs, before, after, "before", "after");
  RunGroup both = before;
  both.insert(both.end(), after.begin(), after.end());
  differences.notices = defects_of(runs, both);
  bool const differ_in_ranks = differences.note(
      "Numbers of ranks", [](Overview const& head) { return std::to_string(head.selected_ranks); },
      "; communicators join by name, times are means over their ranks");
  differences.note_programs();
  if (!differ_in_ranks) differences.note_sizes();
  if (!differ_in_ranks) differences.note("Places of ranks", placement);
  differences.note_libraries();
  differences.note_queued();
  return std::move(differences.notices);
}

std::vector<std::string> differences_of(Runs const& runs, RunGroup const& fewest_ranks, RunGroup const& others) {
  Differences differences(runs, fewest_ranks, others, "on the fewest ranks", "on more");
  differences.note_programs();
  differences.note_libraries();
  return std::move(differences.notices);
}

std::string caution_of(Runs const& runs, RunGroup const& before, RunGroup const& after) {
  if (before.size() > 1 && after.size() > 1) {
    double const smallest = smallest_mann_whitney_p(before.size(), after.size());
    if (smallest <= significance_level) return {};
    return fmt::format("With {} and {} runs nothing can be significant: p is {:.2g} at least.", before.size(),
                       after.size(), smallest);
  }
  bool const is_one_a_side = before.size() == after.size();
  if (is_one_a_side && identity(runs.heads[before.front()]) == identity(runs.heads[after.front()])) return {};
  return fmt::format("One run {}: differences may be chance; repeat the runs and use --with.",
                     is_one_a_side ? "a side" : "on one side");
}

}  // namespace mpisee_through
