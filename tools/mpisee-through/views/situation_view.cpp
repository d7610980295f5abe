#include "views/situation_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/json.hpp"
#include "files/rank_set.hpp"
#include "files/visible_text.hpp"
#include "summary/waits.hpp"
#include "table/forms.hpp"
#include "text/sparks.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"
#include "waiting/situation_json.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_groups = 12, most_stuck = 3, most_links = 5, most_steps = 8, most_pending = 4,
                      most_rates = 6;

using State = RankGroup::State;

std::string ranks_of(std::vector<std::int32_t> const& ranks) { return shorten_members(ranges_of(ranks)); }

// "7, 12 and 33"; many ranks become "7,12,33-60 (30 ranks)".
std::string list_of(std::vector<std::int32_t> const& ranks) {
  if (ranks.size() > 3) return fmt::format("{} ({})", ranks_of(ranks), format_number_of(ranks.size(), "rank"));
  if (ranks.size() == 1) return fmt::format("{}", ranks[0]);
  if (ranks.size() == 2) return fmt::format("{} and {}", ranks[0], ranks[1]);
  return fmt::format("{}, {} and {}", ranks[0], ranks[1], ranks[2]);
}

class Sentences {
 public:
  Sentences(Situation const& situation, CodeLines const& lines) : situation_(situation), lines_(lines) {}

  // "in Recv from 12 on W"
  [[nodiscard]] static std::string what(RankGroup const& group, std::string const& peer) {
    switch (group.state) {
      case State::in_mpi:
        return fmt::format("in {}{}{}{}{}", visible(group.operation), peer.empty() ? "" : " ", visible(peer),
                           group.communicator.empty() ? "" : " on ", comm_of(group));
      case State::outside:
        return "outside MPI";
      case State::changing:
        return "going from call to call";
      case State::silent:
        break;
    }
    return "without a word of what it is in";
  }

  // " at solver.f90:214 (dt_min)"
  [[nodiscard]] std::string where(RankGroup const& group) const {
    std::string const label = lines_.label(group.place);
    if (label.empty()) return {};
    return (group.state == State::outside ? ", after " : " at ") + label;
  }

  // " for 12 s", " for 3 s to 12 s"
  [[nodiscard]] static std::string how_long(double shortest_s, double longest_s, bool is_at_least) {
    if (is_at_least && longest_s < 1e-3) return {};  // the duration is unknown
    std::string const least = is_at_least ? "at least " : "";
    bool const is_range = !is_at_least && longest_s > 1.2 * shortest_s && longest_s - shortest_s > 1e-3;
    return is_range ? fmt::format(" for {}{} to {}", least, format_seconds(shortest_s), format_seconds(longest_s))
                    : fmt::format(" for {}{}", least, format_seconds(longest_s));
  }

  [[nodiscard]] std::string head(RankGroup const& group) const {
    std::string const who =
        group.ranks.size() == 1
            ? fmt::format("rank {}", group.ranks[0])
            : fmt::format("{} ({})", format_number_of(group.ranks.size(), "rank"), ranks_of(group.ranks));
    if (group.has_ended)
      return fmt::format("{} ended without MPI_Finalize, {}{}", who, what(group, group.peer), where(group));
    bool const has_time = group.state == State::in_mpi || group.state == State::outside;
    return fmt::format("{} {}{}{}", who, what(group, group.peer),
                       has_time ? how_long(group.shortest_s, group.longest_s, group.is_at_least) : "", where(group));
  }

  // "7 is in Recv from 12 on W, 33 is outside MPI for 312 s"
  [[nodiscard]] std::string chain(RankGroup const& group) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(group.chain.size(), most_links); ++i) {
      RankGroup::Link const& link = group.chain[i];
      text += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", list_of(link.ranks), link.ranks.size() == 1 ? "is" : "are",
                          link.group < situation_.groups.size() ? state_of(situation_.groups[link.group], link.peer)
                                                                : "without a file here");
    }
    return text + (group.chain.size() > most_links ? " ..." : "");
  }

  [[nodiscard]] std::string waits(RankGroup const& group) const {
    std::string pending;
    for (std::size_t i = 0; i < std::min(group.pending.size(), most_pending); ++i)
      pending += (i == 0 ? "" : ", ") + visible(group.pending[i]);
    if (group.pending.size() > most_pending)
      pending += fmt::format(" and {} more", group.pending.size() - most_pending);
    std::string text = pending.empty() ? "" : fmt::format("requests: {}", pending);
    if (group.waits_for.empty()) return text;
    text += text.empty() ? "" : "; ";
    text += group.is_certain ? "waiting for " : "may be waiting for ";
    if (group.waits_for_any) return text + "any of " + list_of(group.waits_for);
    if (group.chain.empty()) return text + (group.ranks.size() > 1 ? "each other" : "itself");
    return text + list_of(group.waits_for) + ": " + chain(group);
  }

  [[nodiscard]] std::string stuck(StuckRanks const& one) const {
    std::string text;
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      if (i == most_steps) return text + fmt::format(" ... ({})", format_number_of(one.steps.size(), "rank"));
      bool const is_last = i + 1 == one.steps.size();
      auto const& [rank, index, peer] = one.steps[i];
      RankGroup const& group = situation_.groups[index];
      text += i == 0 ? "" : ", ";
      if (is_last && !one.is_circle) {
        text += fmt::format("and {} {}", rank, group.has_ended ? "has ended" : "is " + what(group, peer));
        break;
      }
      text += fmt::format("{} waits for {} ({}{})", rank, one.steps[is_last ? 0 : i + 1].rank,
                          what(group, peer).substr(3), where(group));
    }
    return text;
  }

 private:
  static std::string comm_of(RankGroup const& group) {
    return group.communicator == "?" ? "a communicator that it had not used before" : visible(group.communicator);
  }
  [[nodiscard]] std::string state_of(RankGroup const& group, std::string const& peer) const {
    if (group.has_ended) return "at its end: the process is gone";
    if (group.state == State::changing || group.state == State::silent) return what(group, peer);
    return what(group, peer) + how_long(group.shortest_s, group.longest_s, group.is_at_least) + where(group);
  }

  Situation const& situation_;
  CodeLines const& lines_;
};

table::View<CommunicatorRate> const& view_of_rates() {
  using table::Kind, table::only_text;
  auto const whole = [](double CommunicatorRate::*rate) {
    return [=](CommunicatorRate const& one) { return static_cast<std::uint64_t>(one.*rate); };
  };
  static table::View<CommunicatorRate> const view{
      .name = "rates",
      .columns = {{"name", "Communicator", Kind::name, [](CommunicatorRate const& one) { return visible(one.name); },
                   only_text},
                  {"comm", "", Kind::name, &CommunicatorRate::name},
                  {"", "Calls/s", Kind::count, whole(&CommunicatorRate::calls_per_s), only_text},
                  {"", "Bytes/s", Kind::bytes, whole(&CommunicatorRate::bytes_per_s), only_text},
                  {"calls_per_s", "", Kind::count, &CommunicatorRate::calls_per_s},
                  {"bytes_per_s", "", Kind::bytes, &CommunicatorRate::bytes_per_s}}};
  return view;
}

table::View<JobWindow> const& view_of_windows_so_far() {
  using table::Kind;
  static table::View<JobWindow> const view{
      .name = "windows",
      .columns = {{"begin_s", "", Kind::seconds, &JobWindow::begin_s},
                  {"end_s", "", Kind::seconds, &JobWindow::end_s},
                  {"mpi_share", "", Kind::share, [](JobWindow const& one) { return one.mpi_share(); }},
                  {"calls_per_s", "", Kind::count, [](JobWindow const& one) { return one.calls_per_s(); }}}};
  return view;
}

table::View<MessageWaitSum> const& view_of_waits_so_far() {
  using table::Kind;
  static table::View<MessageWaitSum> const view{
      .name = "waits",
      .columns = {{"comm", "", Kind::name, &MessageWaitSum::communicator},
                  {"op", "", Kind::name, &MessageWaitSum::operation},
                  {"kind", "", Kind::name, [](MessageWaitSum const& one) { return name_of(one.kind); }},
                  {"instants", "", Kind::count, &MessageWaitSum::instants},
                  {"time_s", "", Kind::seconds, &MessageWaitSum::time_s},
                  {"wait_s", "", Kind::seconds, &MessageWaitSum::wait_s},
                  {"wait_error_s", "", Kind::seconds, &MessageWaitSum::error_s},
                  {"unknown_share", "", Kind::share, &MessageWaitSum::unknown_share},
                  {"caused_by", "", Kind::number,
                   [](MessageWaitSum const& one) {
                     return one.caused_by ? std::optional(static_cast<std::uint32_t>(*one.caused_by)) : std::nullopt;
                   }},
                  {"caused_share", "", Kind::share, [](MessageWaitSum const& one) {
                     return one.caused_by ? std::optional(one.caused_share) : std::nullopt;
                   }}}};
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

Json json_of_part(JobWindow const& part) {
  return {{"begin_s", part.begin_s},
          {"end_s", part.end_s},
          {"mpi_share", part.mpi_share()},
          {"calls_per_s", part.calls_per_s()}};
}

void print_stuck(std::ostream& out, Situation const& situation, Sentences const& sentences, Terminal const& terminal) {
  for (std::size_t i = 0; i < std::min(situation.stuck.size(), most_stuck); ++i) {
    StuckRanks const& one = situation.stuck[i];
    std::string_view const kind = one.is_circle ? "Circle of waits" : "Waiting in vain";
    bool const is_sure = one.is_lasting && !one.unless_more_threads;
    std::string_view const label = is_sure && one.is_circle ? "Deadlock" : kind;
    std::string const time = Sentences::how_long(one.seconds, one.seconds, one.is_at_least);
    std::string text = fmt::format("{}{}{}", sentences.stuck(one), time.empty() ? "" : ",", time);
    if (!one.is_lasting && !situation.is_over()) text += ", unless a message is under way";
    if (one.unless_more_threads && !situation.is_over())
      text += ", unless a thread of these processes that has not called MPI yet ends it";
    out << terminal.yellow(label) << "\n   " << wrap(text, terminal.width, 3) << '\n';
  }
  if (situation.stuck.size() > most_stuck)
    out << terminal.dim(fmt::format("and {} more of that kind: --json", situation.stuck.size() - most_stuck)) << '\n';
  std::size_t told = 0;
  for (StuckRanks const& one : situation.stuck) told += one.steps.size() - (one.is_circle ? 0 : 1);
  if (situation.stuck_ranks > told) {
    std::size_t const others = situation.stuck_ranks - told;
    std::string const who = situation.also_stuck.empty() ? format_number_of(others, "other rank")
                                                         : fmt::format("{} {}", others == 1 ? "Rank" : "Ranks",
                                                                       shorten_members(situation.also_stuck));
    out << wrap(fmt::format("{} {} in the end for those.", who, others == 1 ? "waits" : "wait"), terminal.width, 0)
        << '\n';
  }
  if (!situation.stuck.empty()) out << '\n';
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

void print_situation(std::ostream& out, Situation const& situation, CodeLines const& lines, Terminal const& terminal) {
  Sentences const sentences(situation, lines);
  print_stuck(out, situation, sentences, terminal);
  std::size_t ranks_left = 0;
  for (std::size_t i = 0; i < situation.groups.size(); ++i) {
    RankGroup const& group = situation.groups[i];
    if (i >= most_groups) {
      ranks_left += group.ranks.size();
      continue;
    }
    out << wrap(sentences.head(group), terminal.width, 0) << '\n';
    if (std::string const waits = sentences.waits(group); !waits.empty())
      out << "   " << wrap(waits, terminal.width, 3) << '\n';
  }
  if (ranks_left > 0)
    out << terminal.dim(fmt::format("and {} in {} other places: --json", format_number_of(ranks_left, "other rank"),
                                    situation.groups.size() - most_groups))
        << '\n';
}

void print_rates(std::ostream& out, std::vector<CommunicatorRate> const& rates, Terminal const& terminal) {
  if (rates.empty()) return;
  std::vector<CommunicatorRate> shown = rates;
  if (shown.size() > most_rates) shown.resize(most_rates);
  out << '\n';
  write_text(out, table_of(view_of_rates(), shown),
             {.style_of_titles = [&](std::string_view titles) { return terminal.bold(titles); }});
  if (rates.size() > shown.size())
    out << terminal.dim(fmt::format("and {} others", format_count(rates.size() - shown.size()))) << '\n';
}

void print_over_time(std::ostream& out, std::vector<JobWindow> const& windows, Terminal const& terminal) {
  auto const parts = last_part_of(windows);
  if (!parts) return;
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
    return fmt::format("{} calls", format_count(static_cast<std::uint64_t>(part.calls_per_s() + 0.5)));
  };
  out << '\n'
      << title << picture << '\n'
      << wrap(fmt::format("In the last {}, {} in MPI and {} a second; before, {} and {}.",
                          format_seconds(last.end_s - last.begin_s), format_share(last.mpi_share()), calls(last),
                          format_share(before.mpi_share()), calls(before)),
              terminal.width, 0)
      << '\n';
}

void print_waits_so_far(std::ostream& out, std::vector<MessageWaitSum> const& waits, Terminal const& terminal) {
  constexpr std::size_t most = 3;
  constexpr double least_share = 0.1;
  std::size_t told = 0;
  for (MessageWaitSum const& one : waits) {
    bool const is_told =
        told < most && one.instants >= fewest_instants && one.time_s > 0 && one.wait_s >= least_share * one.time_s;
    if (!is_told) continue;
    std::string text = fmt::format("So far, {} of {} on {} is waiting for {}",
                                   format_share(one.wait_s / one.time_s, one.error_s / one.time_s), one.operation,
                                   visible(one.communicator), awaited_in_words(one.kind));
    if (one.caused_by) text += fmt::format("; rank {} causes {} of it", *one.caused_by, format_share(one.caused_share));
    out << (told++ == 0 ? "\n" : "") << wrap(text + ".", terminal.width, 0) << '\n';
  }
}

void write_json(std::ostream& out, Situation const& situation, std::vector<CommunicatorRate> const& rates,
                std::vector<JobWindow> const& windows, std::vector<MessageWaitSum> const& waits, CodeLines const& lines,
                std::vector<std::string> const& problems) {
  Json json = to_json(situation, [&](CodePlace const& place, Json& to) {
    SourcePlace const& source = lines.find(place);
    to["function"] = source.function;
    to["file"] = source.file;
    to["line"] = source.line;
  });
  json["rates"] = json_list(table_of(view_of_rates(), rates));
  json["windows"] = json_list(table_of(view_of_windows_so_far(), windows));
  json["waits"] = json_list(table_of(view_of_waits_so_far(), waits));
  auto const parts = last_part_of(windows);
  json["last"] = parts ? json_of_part(parts->last) : Json();
  json["before"] = parts ? json_of_part(parts->before) : Json();
  json["problems"] = problems;
  out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace mpisee_through
