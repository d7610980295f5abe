// What the processes of a job are in, and what keeps them from going on, in sentences: for `now` and for killed runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "symbols/site_names.hpp"
#include "waiting/situation.hpp"

namespace mpisee_through {

// A reason for which processes cannot go on.
struct Obstacle {
  enum class Kind { mismatch, circle, vain };

  Kind kind{};
  std::string_view label;  // "Deadlock"
  std::string text;        // all calls and ranks of it
  std::string verdict;     // the short form: "deadlocked for 12.0 s: 0 → 1 → 0"
};

// "Ranks 2-3 wait in the end for those."; empty if no others are stuck.
[[nodiscard]] std::string also_stuck_in_words(Situation const& situation);

class SituationWords {
 public:
  // Both must outlive this object.
  SituationWords(Situation const& situation, CodeLines const& lines) : situation_(situation), lines_(lines) {}

  // Calls that do not match first, then circles; the longest first.
  [[nodiscard]] std::vector<Obstacle> obstacles() const;
  // "3 ranks (0-2) in Recv from 12 on W for 12 s at solver.f90:214 (dt_min)"
  [[nodiscard]] std::string head(RankGroup const& group) const;
  // "waiting for 7: 7 is in Recv from 12 on W, 12 is outside MPI for 312 s"; empty if there is nothing to say.
  [[nodiscard]] std::string waits(RankGroup const& group) const;

 private:
  [[nodiscard]] std::string where(RankGroup const& group) const;
  [[nodiscard]] std::string chain(RankGroup const& group) const;
  [[nodiscard]] std::string state_of(RankGroup const& group, std::string const& peer) const;
  [[nodiscard]] std::string steps(StuckRanks const& stuck) const;
  [[nodiscard]] Obstacle obstacle(StuckRanks const& stuck) const;
  [[nodiscard]] Obstacle obstacle(Mismatch const& mismatch) const;

  Situation const& situation_;
  CodeLines const& lines_;
};

}  // namespace mpisee_through
