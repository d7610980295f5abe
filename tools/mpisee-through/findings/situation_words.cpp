#include "findings/situation_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/rank_set.hpp"
#include "files/visible_text.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_links = 5, most_steps = 8, most_pending = 4;

using State = RankGroup::State;

std::string ranks_of(std::vector<std::int32_t> const& ranks) { return shorten_members(ranges_of(ranks)); }

// "7, 12 and 33"; many ranks become "7,12,33-60 (30 ranks)".
std::string list_of(std::vector<std::int32_t> const& ranks) {
  if (ranks.size() > 3) return fmt::format("{} ({})", ranks_of(ranks), format_number_of(ranks.size(), "rank"));
  if (ranks.size() == 1) return fmt::format("{}", ranks[0]);
  if (ranks.size() == 2) return fmt::format("{} and {}", ranks[0], ranks[1]);
  return fmt::format("{}, {} and {}", ranks[0], ranks[1], ranks[2]);
}

std::string comm_of(RankGroup const& group) {
  return group.communicator == "?" ? "a communicator that it had not used before" : visible(group.communicator);
}

// "in Recv from 12 on W"
std::string what(RankGroup const& group, std::string const& peer, bool with_comm = true) {
  bool const has_comm = with_comm && !group.communicator.empty();
  switch (group.state) {
    case State::in_mpi:
      return fmt::format("in {}{}{}{}{}", visible(group.operation), peer.empty() ? "" : " ", visible(peer),
                         has_comm ? " on " : "", has_comm ? comm_of(group) : "");
    case State::outside:
      return "outside MPI";
    case State::changing:
      return "going from call to call";
    case State::silent:
      break;
  }
  return "without a word of what it is in";
}

// " for 12 s", " for 3 s to 12 s"
std::string how_long(double shortest_s, double longest_s, bool is_at_least) {
  if (is_at_least && longest_s < 1e-3) return {};  // the duration is unknown
  std::string const least = is_at_least ? "at least " : "";
  bool const is_range = !is_at_least && longest_s > 1.2 * shortest_s && longest_s - shortest_s > 1e-3;
  return is_range ? fmt::format(" for {}{} to {}", least, format_seconds(shortest_s), format_seconds(longest_s))
                  : fmt::format(" for {}{}", least, format_seconds(longest_s));
}

// "0 → 1 → 2 → 0"
std::string arrows(StuckRanks const& stuck) {
  std::string text;
  for (std::size_t i = 0; i < std::min(stuck.steps.size(), most_steps); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : " → ", stuck.steps[i].rank);
  if (stuck.steps.size() > most_steps) text += " → …";
  return stuck.is_circle ? fmt::format("{} → {}", text, stuck.steps.front().rank) : text;
}

}  // namespace

std::string also_stuck_in_words(Situation const& situation) {
  std::string const& ranks = situation.also_stuck;
  if (ranks.empty()) return {};
  bool const is_one = ranks.find_first_of(",-") == ranks.npos;
  return fmt::format("{} {} {} in the end for those.", is_one ? "Rank" : "Ranks", shorten_members(ranks),
                     is_one ? "waits" : "wait");
}

// " at solver.f90:214 (dt_min)"
std::string SituationWords::where(RankGroup const& group) const {
  std::string const label = lines_.label(group.place);
  if (label.empty()) return {};
  return (group.state == State::outside ? ", after " : " at ") + label;
}

std::string SituationWords::head(RankGroup const& group) const {
  std::string const who = group.ranks.size() == 1 ? fmt::format("rank {}", group.ranks[0])
                                                  : fmt::format("{} ({})", format_number_of(group.ranks.size(), "rank"),
                                                                ranks_of(group.ranks));
  if (group.has_ended)
    return fmt::format("{} ended without MPI_Finalize, {}{}", who, what(group, group.peer), where(group));
  bool const has_time = group.state == State::in_mpi || group.state == State::outside;
  return fmt::format("{} {}{}{}", who, what(group, group.peer),
                     has_time ? how_long(group.shortest_s, group.longest_s, group.is_at_least) : "", where(group));
}

std::string SituationWords::state_of(RankGroup const& group, std::string const& peer) const {
  if (group.has_ended) return "at its end: the process is gone";
  if (group.state == State::changing || group.state == State::silent) return what(group, peer);
  return what(group, peer) + how_long(group.shortest_s, group.longest_s, group.is_at_least) + where(group);
}

// "7 is in Recv from 12 on W, 33 is outside MPI for 312 s"
std::string SituationWords::chain(RankGroup const& group) const {
  std::string text;
  for (std::size_t i = 0; i < std::min(group.chain.size(), most_links); ++i) {
    RanksOfGroup const& link = group.chain[i];
    text += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", list_of(link.ranks), link.ranks.size() == 1 ? "is" : "are",
                        link.group < situation_.groups.size() ? state_of(situation_.groups[link.group], link.peer)
                                                              : "without a file here");
  }
  return text + (group.chain.size() > most_links ? " ..." : "");
}

std::string SituationWords::waits(RankGroup const& group) const {
  std::string pending;
  for (std::size_t i = 0; i < std::min(group.pending.size(), most_pending); ++i)
    pending += (i == 0 ? "" : ", ") + visible(group.pending[i]);
  if (group.pending.size() > most_pending) pending += fmt::format(" and {} more", group.pending.size() - most_pending);
  std::string text = pending.empty() ? "" : fmt::format("requests: {}", pending);
  if (group.waits_for.empty()) return text;
  text += text.empty() ? "" : "; ";
  text += group.is_certain ? "waiting for " : "may be waiting for ";
  if (group.waits_for_any) return text + "any of " + list_of(group.waits_for);
  if (group.chain.empty()) return text + (group.ranks.size() > 1 ? "each other" : "itself");
  return text + list_of(group.waits_for) + ": " + chain(group);
}

std::string SituationWords::steps(StuckRanks const& stuck) const {
  std::string text;
  for (std::size_t i = 0; i < stuck.steps.size(); ++i) {
    if (i == most_steps) return text + fmt::format(" ... ({})", format_number_of(stuck.steps.size(), "rank"));
    bool const is_last = i + 1 == stuck.steps.size();
    auto const& [rank, index, peer] = stuck.steps[i];
    RankGroup const& group = situation_.groups[index];
    text += i == 0 ? "" : ", ";
    if (is_last && !stuck.is_circle) {
      text += fmt::format("and {} {}", rank, group.has_ended ? "has ended" : "is " + what(group, peer));
      break;
    }
    text += fmt::format("{} waits for {} ({}{})", rank, stuck.steps[is_last ? 0 : i + 1].rank,
                        what(group, peer).substr(3), where(group));
  }
  return text;
}

Obstacle SituationWords::obstacle(StuckRanks const& stuck) const {
  bool const is_deadlock = stuck.is_circle && stuck.is_lasting && !stuck.unless_more_threads;
  std::string const time = how_long(stuck.seconds, stuck.seconds, stuck.is_at_least);
  std::string text = fmt::format("{}{}{}", steps(stuck), time.empty() ? "" : ",", time);
  if (!stuck.is_lasting && !situation_.is_over()) text += ", unless a message is under way";
  // A killed process may have been in its call for any time.
  bool const is_doubtful = !stuck.is_lasting && situation_.is_over() && stuck.is_at_least;
  std::string_view const doubt = is_doubtful ? ", unless a message was under way" : "";
  text += doubt;
  if (stuck.unless_more_threads && !situation_.is_over())
    text += ", unless a thread of these processes that has not called MPI yet ends it";
  if (!stuck.is_circle)
    return {Obstacle::Kind::vain, "Waiting in vain", text,
            fmt::format("waiting in vain{}{}: {}", time, doubt, arrows(stuck))};
  return {Obstacle::Kind::circle, is_deadlock ? "Deadlock" : "Circle of waits", text,
          fmt::format("{}{}{}: {}", is_deadlock ? "deadlocked" : "in a circle of waits", time, doubt, arrows(stuck))};
}

Obstacle SituationWords::obstacle(Mismatch const& mismatch) const {
  auto const group_of = [&](RanksOfGroup const& side) -> RankGroup const& { return situation_.groups[side.group]; };
  std::string const time = how_long(mismatch.seconds, mismatch.seconds, mismatch.is_at_least);
  std::string text, others;
  for (RanksOfGroup const& side : mismatch.sides) {
    bool const is_first = &side == &mismatch.sides.front();
    std::string const who = fmt::format("{} {} {} {}", side.ranks.size() == 1 ? "rank" : "ranks", ranks_of(side.ranks),
                                        side.ranks.size() == 1 ? "is" : "are", what(group_of(side), side.peer, false));
    text += fmt::format("{}{}{}", is_first ? "" : ", ", who, where(group_of(side)));
    if (!is_first) others += fmt::format("{}{}", others.empty() ? "" : ", ", who);
  }
  RanksOfGroup const& first = mismatch.sides.front();
  return {Obstacle::Kind::mismatch, "Collective calls that do not match",
          fmt::format("On {}, {}: their calls have the same number among its collective calls{}{}",
                      visible(mismatch.communicator), text, time.empty() ? "" : ",", time),
          fmt::format("stuck{} {}{}, while {} on the same communicator", time, what(group_of(first), first.peer),
                      where(group_of(first)), others)};
}

std::vector<Obstacle> SituationWords::obstacles() const {
  std::vector<Obstacle> all;
  for (Mismatch const& one : situation_.mismatches) all.push_back(obstacle(one));
  for (StuckRanks const& one : situation_.stuck) all.push_back(obstacle(one));
  return all;
}

}  // namespace mpisee_through
