#include "comparison/notices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "comparison/comparison.hpp"
#include "comparison/statistics.hpp"
#include "files/shell_word.hpp"
#include "files/visible_text.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// Options that do not affect measurements: where a profile is, whether it is kept, what is printed about it.
constexpr std::string_view without_effect[] = {"COMMPROF_APPS",    "COMMPROF_CONFIG",   "COMMPROF_INDEX",
                                               "COMMPROF_MIN_MPI", "COMMPROF_MIN_TIME", "COMMPROF_MAX_SIZE",
                                               "COMMPROF_OUTPUT",  "COMMPROF_VERBOSE"};

// A longer list would not be read.
constexpr std::size_t most_listed = 4;

constexpr std::size_t widest = 160;

std::string list(std::set<std::string> const& texts) {
  std::vector<std::string> words;
  for (std::string const& text : texts) {
    if (words.size() == most_listed) break;
    words.push_back(shorten(text, widest));
  }
  std::string const shown = fmt::format("{}", fmt::join(words, ", "));
  return texts.size() > most_listed ? fmt::format("{} and {} more", shown, texts.size() - most_listed) : shown;
}

std::string arguments(Overview const& head) {
  std::vector<std::string> words;
  for (std::string const& argument : head.run.arguments) words.push_back(shell_word(argument));
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, " "));
}

// Empty if the run lacks ranks: its hosts are not all known.
std::string hosts(Overview const& head) {
  if (head.run.lacks_ranks()) return {};
  std::vector<std::string> names = head.host_names;
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

// The ranks on each host, as a text to compare; empty if the run lacks ranks.
std::string placement(Overview const& head) {
  if (head.run.lacks_ranks()) return {};
  std::map<std::string, std::vector<std::string>> ranks_of_host;
  for (std::size_t rank = 0; rank < head.host_of_rank.size(); ++rank)
    ranks_of_host[head.host_of(static_cast<WorldRank>(rank))].push_back(std::to_string(rank));
  std::vector<std::string> places;
  for (auto const& [host, ranks] : ranks_of_host)
    places.push_back(fmt::format("{} on {}", fmt::join(ranks, " "), host));
  return fmt::format("{}", fmt::join(places, ", "));
}

// The library's name and version, "Open MPI v4.1.4", without the details of its build.
std::string library(Overview const& head) {
  std::string const& text = head.run.mpi_library;
  return text.substr(0, text.find_first_of(",\n\\"));
}

// Identifies a run; a copy of its profile has the same identity.
std::string identity(Overview const& head) {
  if (!head.run.start.empty())
    return fmt::format("{} {} {} {}", head.run.start, head.run.wall_s, head.run.ranks, head.run.program);
  std::error_code error;
  std::filesystem::path const path = std::filesystem::weakly_canonical(head.profile, error);
  return error ? head.profile : path.string();
}

// The names of the two sides in sentences.
struct SideNames {
  std::string_view before = "before";
  std::string_view after = "after";
};

class Differences {
 public:
  Differences(Runs const& runs, RunGroup const& before, RunGroup const& after, std::vector<std::string>& notices,
              SideNames const& names = {})
      : runs_(runs), before_(before), after_(after), notices_(notices), names_(names) {}

  // Adds a notice if the runs' texts differ. An empty text is unknown and ignored.
  template <class Text>
  bool note(std::string_view what, Text text, std::string_view consequence = "") {
    std::set<std::string> const before = texts(before_, text);
    std::set<std::string> const after = texts(after_, text);
    if (!differ(before, after)) return false;
    notices_.push_back(fmt::format("{} differ: {}{}.", what, both(before, after), consequence));
    return true;
  }

  void note_programs() {
    note("Programs", [&, programs = program_of_each(runs_)](Overview const& head) {
      return programs[static_cast<std::size_t>(&head - runs_.heads.data())];
    });
  }

  void note_options() {
    std::set<std::string> names;
    for (RunGroup const* group : {&before_, &after_})
      for (std::size_t const run : *group)
        for (auto const& [name, value] : runs_.heads[run].run.options) names.insert(name);
    std::vector<std::string> found;
    for (std::string const& name : names) {
      if (std::ranges::find(without_effect, name) != std::end(without_effect)) continue;
      auto const value = [&](Overview const& head) {
        auto const option = head.run.options.find(name);
        return option == head.run.options.end() ? std::string() : option->second;
      };
      auto const before = texts(before_, value);
      auto const after = texts(after_, value);
      if (differ(before, after)) found.push_back(fmt::format("{} {}", name, both(before, after)));
    }
    note_found("Options of the profiler", found);
  }

  void note_sizes() {
    std::vector<std::string> found;
    for (auto const& [name, communicator] : runs_.communicators) {
      auto const sizes_in = [&, &all = communicator.all](RunGroup const& group) {
        std::set<std::string> sizes;
        for (std::size_t const run : group)
          if (run < all.size() && all[run]) sizes.insert(std::to_string(all[run]->size));
        return sizes;
      };
      auto const before = sizes_in(before_), after = sizes_in(after_);
      if (differ(before, after)) found.push_back(fmt::format("{} {}", name, both(before, after)));
    }
    std::size_t const more = found.size() - std::min(found.size(), most_listed);
    found.resize(found.size() - more);
    if (more > 0) found.push_back(fmt::format("and {} more", more));
    note_found("Sizes of communicators", found);
  }

 private:
  void note_found(std::string_view what, std::vector<std::string> const& found) {
    if (!found.empty()) notices_.push_back(fmt::format("{} differ: {}.", what, fmt::join(found, "; ")));
  }

  template <class Text>
  [[nodiscard]] std::set<std::string> texts(RunGroup const& group, Text text) const {
    std::set<std::string> all;
    for (std::size_t const run : group)
      if (std::string one = text(runs_.heads[run]); !one.empty()) all.insert(std::move(one));
    return all;
  }

  [[nodiscard]] std::string both(std::set<std::string> const& before, std::set<std::string> const& after) const {
    return fmt::format("{} {}, {} {}", list(before), names_.before, list(after), names_.after);
  }

  // An unknown value is not a difference.
  static bool differ(std::set<std::string> const& before, std::set<std::string> const& after) {
    return !before.empty() && !after.empty() && (before.size() > 1 || before != after);
  }

  Runs const& runs_;
  RunGroup const& before_;
  RunGroup const& after_;
  std::vector<std::string>& notices_;
  SideNames names_;
};

void note_libraries(Differences& differences) {
  if (!differences.note("MPI libraries", library))
    differences.note("Builds of the MPI library", [](Overview const& head) { return head.run.mpi_library; });
  differences.note("Versions of the profiler", [](Overview const& head) { return head.run.profiler_version; });
  differences.note_options();
}

void note_unfinished(Runs const& runs, RunGroup const& group, std::vector<std::string>& notices) {
  std::set<std::string> told;
  for (std::size_t const run : group) {
    Overview const& head = runs.heads[run];
    if (!head.run.unfinished || !told.insert(head.profile).second) continue;
    std::string notice = fmt::format("{} is unfinished: {}; last known call after {}", head.profile,
                                     head.run.unfinished->how(), format_seconds(head.run.unfinished->last_record_s));
    if (head.run.lacks_ranks())
      notice +=
          fmt::format("; nothing is known of ranks {}", shorten_members(head.run.unfinished->missing.to_string()));
    notices.push_back(notice + ".");
  }
}

// Adds a notice if ranks of some runs waited for processors: their times would be shorter on a machine of their own.
void note_queued(Runs const& runs, RunGroup const& before, RunGroup const& after, std::vector<std::string>& notices) {
  auto const shares_of = [&](RunGroup const& group) {
    std::vector<double> shares;
    for (std::size_t const run : group)
      if (auto const share = runs.heads[run].queued_share()) shares.push_back(*share);
    return shares;
  };
  auto const text_of = [](std::vector<double> const& shares) {
    if (shares.empty()) return std::string("an unknown share");
    auto const [least, most] = std::ranges::minmax(shares);
    std::string const least_text = format_share(least), most_text = format_share(most);
    return least_text == most_text ? most_text : fmt::format("{} to {}", least_text, most_text);
  };
  auto const is_much = [](double share) { return share >= crowded_share; };
  std::vector<double> const shares_before = shares_of(before), shares_after = shares_of(after);
  if (std::ranges::none_of(shares_before, is_much) && std::ranges::none_of(shares_after, is_much)) return;
  notices.push_back(
      fmt::format("Ranks waited for a processor, {} of their time before, {} after: all times include it.",
                  text_of(shares_before), text_of(shares_after)));
}

void note_repeated(Runs const& runs, RunGroup const& before, RunGroup const& after, std::vector<std::string>& notices) {
  std::map<std::string, std::vector<std::string>> profiles_of_run;
  for (RunGroup const* group : {&before, &after})
    for (std::size_t const run : *group) profiles_of_run[identity(runs.heads[run])].push_back(runs.heads[run].profile);
  bool const is_one_on_each_side = before.size() == 1 && after.size() == 1;
  for (auto const& [run, profiles] : profiles_of_run) {
    if (profiles.size() == 1) continue;
    std::string const names = list(std::set<std::string>(profiles.begin(), profiles.end()));
    notices.push_back(is_one_on_each_side
                          ? fmt::format("The same run is on both sides: {}.", names)
                          : fmt::format("The same run is given {} times: {}. Repetitions are runs of their own.",
                                        profiles.size(), names));
  }
}

RunGroup joined(RunGroup group, RunGroup const& other) {
  group.insert(group.end(), other.begin(), other.end());
  return group;
}

}  // namespace

std::vector<std::string> notices_of(Runs const& runs, RunGroup const& before, RunGroup const& after) {
  std::vector<std::string> notices;
  note_unfinished(runs, joined(before, after), notices);
  note_repeated(runs, before, after, notices);
  Differences differences(runs, before, after, notices);
  bool const differ_in_ranks = differences.note(
      "Numbers of ranks", [](Overview const& head) { return std::to_string(head.selected_ranks); },
      "; communicators join by name, times are means over their ranks");
  differences.note_programs();
  differences.note("Arguments", arguments);
  if (!differ_in_ranks) differences.note_sizes();
  if (!differences.note("Hosts", hosts) && !differ_in_ranks) differences.note("Places of ranks", placement);
  note_libraries(differences);
  note_queued(runs, before, after, notices);
  return notices;
}

std::vector<std::string> differences_of(Runs const& runs, RunGroup const& fewest_ranks, RunGroup const& others) {
  std::vector<std::string> notices;
  Differences differences(runs, fewest_ranks, others, notices, {"on the fewest ranks", "on more"});
  differences.note_programs();
  differences.note("Arguments", arguments);
  note_libraries(differences);
  return notices;
}

std::vector<std::string> notices_of(Runs const& runs) {
  RunGroup all(runs.heads.size());
  for (std::size_t run = 0; run < all.size(); ++run) all[run] = run;
  std::vector<std::string> notices;
  note_unfinished(runs, all, notices);
  note_repeated(runs, all, {}, notices);
  return notices;
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
