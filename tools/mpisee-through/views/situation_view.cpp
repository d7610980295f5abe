#include "views/situation_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/rank_set.hpp"
#include "files/visible_text.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_groups = 12, most_stuck = 3, most_links = 5, most_steps = 8, most_pending = 4;

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

}  // namespace mpisee_through
