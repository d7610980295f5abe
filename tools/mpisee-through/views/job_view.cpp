#include "views/job_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <sstream>

#include "files/rank_set.hpp"
#include "files/visible_text.hpp"
#include "findings/situation_words.hpp"
#include "summary/waits.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// A group of ranks, and its place in the sources.
struct PlaceLine {
  RankGroup const* group;
  SourcePlace const* source;
  std::string at;
};

// Finds the lines of code before the forms format the table in several threads.
std::vector<PlaceLine> lines_of_groups(JobShown const& job) {
  std::vector<PlaceLine> lines;
  for (RankGroup const& group : job.situation.groups)
    lines.push_back({&group, &job.lines.find(group.place), job.lines.label(group.place)});
  return lines;
}

// The groups of ranks, under the keys of JSON, which also has chains of waits.
table::View<PlaceLine> const& view_of_places() {
  auto const of = [](auto value) { return [=](PlaceLine const& line) { return std::invoke(value, *line.group); }; };
  auto const text = [](std::string RankGroup::*part) {
    return [=](PlaceLine const& line) { return visible(line.group->*part); };
  };
  auto const source = [](std::string SourcePlace::*part) {
    return [=](PlaceLine const& line) { return line.source->*part; };
  };
  auto const longest = [](RankGroup const& group) {
    return bounded(group.longest_s, group.is_at_least ? table::Bound::at_least : table::Bound::none);
  };
  auto const pending = [](RankGroup const& group) {
    return visible(fmt::format("{}", fmt::join(group.pending, ", ")));
  };
  static table::View<PlaceLine> const view{
      .name = "groups",
      .columns = {
          {"ranks", "Ranks", Kind::name, of([](RankGroup const& group) { return ranges_of(group.ranks); })},
          {"count", "", Kind::count, of([](RankGroup const& group) { return group.ranks.size(); })},
          {"state", "State", Kind::name, of([](RankGroup const& group) { return name_of(group.state); })},
          {"has_ended", "", Kind::flag, of(&RankGroup::has_ended)},
          {"operation", "Call", Kind::name, text(&RankGroup::operation)},
          {"peer", "Peer", Kind::name, text(&RankGroup::peer)},
          {"comm", "Communicator", Kind::name, text(&RankGroup::communicator)},
          {"longest_s", "For", Kind::seconds, of(longest)},
          {"shortest_s", "", Kind::seconds, of(&RankGroup::shortest_s)},
          {"at_least", "", Kind::flag, of(&RankGroup::is_at_least)},
          {"module", "", Kind::name, [](PlaceLine const& line) { return visible(line.group->place.module); }},
          {"offset", "", Kind::number, [](PlaceLine const& line) { return line.group->place.offset; }},
          {"function", "", Kind::name, source(&SourcePlace::function)},
          {"file", "", Kind::name, source(&SourcePlace::file)},
          {"line", "", Kind::name, source(&SourcePlace::line)},
          {"at", "At", Kind::name, &PlaceLine::at, In::people},
          {"waits_for", "Waits for", Kind::name, of([](RankGroup const& group) { return ranges_of(group.waits_for); })},
          {"certain", "", Kind::flag, of(&RankGroup::is_certain)},
          {"any", "", Kind::flag, of(&RankGroup::waits_for_any)},
          {"pending", "Requests", Kind::name, of(pending)}}};
  return view;
}

table::View<CommunicatorRate> const& view_of_rates() {
  static table::View<CommunicatorRate> const view{
      .name = "rates",
      .columns = {{"comm", "Communicator", Kind::name, [](CommunicatorRate const& one) { return visible(one.name); }},
                  {"calls_per_s", "Calls/s", Kind::count, &CommunicatorRate::calls_per_s},
                  {"bytes_per_s", "Bytes/s", Kind::bytes, &CommunicatorRate::bytes_per_s}}};
  return view;
}

table::View<JobWindow> const& view_of_windows_so_far() {
  static table::View<JobWindow> const view{
      .name = "windows",
      .columns = {{"begin_s", "From", Kind::seconds, &JobWindow::begin_s},
                  {"end_s", "To", Kind::seconds, &JobWindow::end_s},
                  {"mpi_share", "In MPI", Kind::share, [](JobWindow const& one) { return one.mpi_share(); }},
                  {"calls_per_s", "Calls/s", Kind::count, [](JobWindow const& one) { return one.calls_per_s(); }}}};
  return view;
}

table::View<MessageWaitSum> const& view_of_waits_so_far() {
  static table::View<MessageWaitSum> const view{
      .name = "waits",
      .columns = {
          {"comm", "Communicator", Kind::name, [](MessageWaitSum const& one) { return visible(one.communicator); }},
          {"op", "Call", Kind::name, &MessageWaitSum::operation},
          {"kind", "Kind", Kind::name, [](MessageWaitSum const& one) { return name_of(one.kind); }},
          {"instants", "", Kind::count, &MessageWaitSum::instants},
          {"time_s", "Time", Kind::seconds, &MessageWaitSum::time_s},
          {"wait_s", "Waiting", Kind::seconds, &MessageWaitSum::wait_s},
          {"wait_error_s", "", Kind::seconds, &MessageWaitSum::error_s},
          {"unknown_share", "Not known", Kind::share, &MessageWaitSum::unknown_share},
          {"caused_by", "Caused by rank", Kind::number,
           [](MessageWaitSum const& one) {
             return one.caused_by ? std::optional(static_cast<std::uint32_t>(*one.caused_by)) : std::nullopt;
           }},
          {"caused_share", "Share caused", Kind::share,
           [](MessageWaitSum const& one) { return one.caused_by ? std::optional(one.caused_share) : std::nullopt; }}}};
  return view;
}

// The last part of the run, a sixteenth, and all before it.
struct LastPart {
  JobWindow before, last;
};
std::optional<LastPart> last_part_of(std::vector<JobWindow> const& windows) {
  constexpr std::size_t fewest = 16;
  if (windows.size() < fewest) return std::nullopt;
  std::size_t const split = windows.size() - windows.size() / 16;
  LastPart parts{windows.front(), windows[split]};
  for (std::size_t i = 1; i < windows.size(); ++i)
    if (i != split) (i < split ? parts.before : parts.last) += windows[i];
  return parts;
}

// The rates, with the most calls first.
table::Table table_of_rates(std::vector<CommunicatorRate> rates, std::size_t most, In in) {
  std::size_t const hidden = rates.size() - std::min(rates.size(), most);
  rates.resize(rates.size() - hidden);
  table::Table table = table_of(view_of_rates(), std::move(rates));
  table.in = in;
  if (hidden > 0) table.below = fmt::format("and {} others\n", format_count(hidden));
  return table;
}

std::string over_time_in_words(std::vector<JobWindow> const& windows, Terminal const& terminal) {
  auto const parts = last_part_of(windows);
  if (!parts) return {};
  auto const& [before, last] = *parts;
  std::string const title = fmt::format("In MPI, over {}  ", format_seconds(last.end_s));
  std::size_t const room = std::clamp<std::size_t>(terminal.width, title.size() + 16, title.size() + 64) - title.size();
  std::size_t const every = (windows.size() + room - 1) / room;
  std::string picture;
  for (std::size_t i = 0; i < windows.size(); i += every) {
    JobWindow shown = windows[i];
    for (std::size_t next = i + 1; next < std::min(i + every, windows.size()); ++next) shown += windows[next];
    picture += spark_of(shown.mpi_share());
  }
  auto const calls = [](JobWindow const& part) {
    return fmt::format("{} calls", format_count(static_cast<std::uint64_t>(std::llround(part.calls_per_s()))));
  };
  std::string const rates = fmt::format("In the last {}, {} in MPI and {} a second; before, {} and {}.",
                                        format_seconds(last.end_s - last.begin_s), format_share(last.mpi_share()),
                                        calls(last), format_share(before.mpi_share()), calls(before));
  return fmt::format("{}{}\n{}\n", title, picture, wrap(rates, terminal.width, 0));
}

std::string waits_in_words(std::vector<MessageWaitSum> const& waits, Terminal const& terminal) {
  constexpr std::size_t most = 3;
  constexpr double least_share = 0.1;
  std::size_t told = 0;
  std::string words;
  for (MessageWaitSum const& one : waits) {
    bool const is_told =
        told < most && one.instants >= fewest_instants && one.time_s > 0 && one.wait_s >= least_share * one.time_s;
    if (!is_told) continue;
    std::string text = fmt::format("So far, {} of {} on {} is waiting for {}",
                                   format_share(one.wait_s / one.time_s, one.error_s / one.time_s), one.operation,
                                   visible(one.communicator), awaited_in_words(one.kind));
    if (one.caused_by) text += fmt::format("; rank {} causes {} of it", *one.caused_by, format_share(one.caused_share));
    ++told;
    words += wrap(text + ".", terminal.width, 0) + '\n';
  }
  return words;
}

template <class Line>
table::Table table_in(In in, table::View<Line> view, std::vector<Line> lines, char const* name,
                      std::string above = "") {
  if (name != nullptr) view.name = name;
  table::Table table = table_of(view, std::move(lines));
  table.in = in;
  table.above = std::move(above);
  return table;
}

void add_problems(std::vector<Note>& notes, std::vector<std::string> const& problems) {
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(problems.size(), most); ++i) notes.emplace_back("Damaged", visible(problems[i]));
  if (problems.size() > most)
    notes.emplace_back("Damaged", fmt::format("and {} more such files", problems.size() - most));
}

}  // namespace

std::string describe_processes(Situation const& situation) {
  std::size_t present = 0;
  for (RankGroup const& group : situation.groups) present += group.ranks.size();
  std::string text = format_number_of(static_cast<std::uint64_t>(situation.ranks), "rank");
  if (situation.running == present) text += ", running";
  else if (situation.ended == present) text += ", ended";
  else if (situation.running + situation.ended == 0) text += ", none of them on this host";
  else text += fmt::format(": {} running, {} ended", format_count(situation.running), format_count(situation.ended));
  if (!situation.without_file.empty())
    text += fmt::format("; {} without a spool file: their MPI has ended, or they are on another node",
                        shorten_members(situation.without_file));
  return text;
}

void print_obstacles(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal) {
  constexpr std::size_t most_stuck = 3;
  std::vector<Obstacle> const obstacles = SituationWords(situation, lines).obstacles();
  for (std::size_t i = 0; i < std::min(obstacles.size(), most_stuck); ++i)
    out << terminal.yellow(obstacles[i].label) << "\n   " << wrap(obstacles[i].text, terminal.width, 3) << '\n';
  if (obstacles.size() > most_stuck)
    out << terminal.dim(fmt::format("and {} more of that kind: --json", obstacles.size() - most_stuck)) << '\n';
  if (std::string const others = also_stuck_in_words(situation); !others.empty())
    out << wrap(others, terminal.width, 0) << '\n';
  if (!obstacles.empty()) out << '\n';
}

void print_groups(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal) {
  constexpr std::size_t most_groups = 12;
  SituationWords const words(situation, lines);
  std::size_t ranks_left = 0;
  for (std::size_t i = 0; i < situation.groups.size(); ++i) {
    RankGroup const& group = situation.groups[i];
    if (i >= most_groups) {
      ranks_left += group.ranks.size();
      continue;
    }
    out << wrap(words.head(group), terminal.width, 0) << '\n';
    if (std::string const waits = words.waits(group); !waits.empty())
      out << "   " << wrap(waits, terminal.width, 3) << '\n';
  }
  if (ranks_left > 0)
    out << terminal.dim(fmt::format("and {} in {} other places: --json", format_number_of(ranks_left, "other rank"),
                                    situation.groups.size() - most_groups))
        << '\n';
}

Document job(JobShown const& shown, Terminal const& terminal) {
  constexpr std::size_t most_rates = 6;
  Document document;
  document.run = to_json(shown.situation, [&](CodePlace const& place, Json& to) {
    SourcePlace const& source = shown.lines.find(place);
    to["function"] = source.function;
    to["file"] = source.file;
    to["line"] = source.line;
  });
  std::ostringstream head;
  head << terminal.bold(describe_processes(shown.situation)) << "\n\n";
  print_obstacles(head, shown.situation, shown.lines, terminal);
  print_groups(head, shown.situation, shown.lines, terminal);
  document.head.emplace_back("", std::move(head).str());
  add_problems(document.notes, shown.problems);
  document.tables.push_back(table_in(In::csv | In::page, view_of_places(), lines_of_groups(shown), nullptr));
  std::string const over_time = over_time_in_words(shown.windows, terminal);
  std::string const waits = waits_in_words(shown.waits, terminal);
  document.tables.push_back(table::words_alone(over_time));
  document.tables.push_back(table::words_alone(waits));
  constexpr In not_in_text = In::json | In::page;
  document.tables.push_back(
      table_in(not_in_text, view_of_waits_so_far(), shown.waits, nullptr, "Waiting so far\n" + waits));
  document.tables.push_back(
      table_in(not_in_text, view_of_windows_so_far(), shown.windows, nullptr, "The run so far\n" + over_time));
  auto const parts = last_part_of(shown.windows);
  document.tables.push_back(table_in(In::json, view_of_windows_so_far(),
                                     parts ? std::vector{parts->before, parts->last} : std::vector<JobWindow>(),
                                     "before_and_last"));
  document.tables.push_back(table_of_rates(shown.rates, shown.rates.size(), In::json));
  document.tables.push_back(table_of_rates(shown.rates, most_rates, In::text));
  return document;
}

}  // namespace mpisee_through
