// Because of whom a process waits: not only for whom.
//
// The process that is waited for may be late because it has waited itself. It is the cause as far as it has done more
// work of its own than the one that waits, since both were last together: since the event before of the stream, or a
// collective call that has aligned all processes. Its own work is the time outside MPI, and the part of its time in MPI
// in which it waits for nobody. For the rest, a chain goes back in time: to what that process waited for last. A chain
// that comes to a process again has no cause but the pattern of the calls: nobody has done more than others.
//
// Processes follow their chains in rounds: advance(), then ask the process that is waited for by next(), then follow().
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "message_waits/message_waits.hpp"

namespace commprof {

// What a process has done until an event: see MessageWaits::Entry.
struct Lap {
  static constexpr std::uint32_t unknown = UINT32_MAX - 1;  // in place of `aligned`

  float elapsed_ns = 0, outside_ns = 0;
  std::uint32_t aligned = unknown;  // as in MessageWaits::Entry, but the same on all processes

  // The time without that in which the process waits in MPI. moving: the part of its time in MPI in which it does not.
  double own_work_ns(double moving) const {
    double const elapsed = elapsed_ns, outside = outside_ns;
    return outside + moving * std::max(elapsed - outside, 0.0);
  }
};

// What a process did before it came, if others have waited for it.
struct Coming {
  Lap lap;
  std::uint32_t entry = UINT32_MAX;  // of its log
};

class Causes {
 public:
  static constexpr std::int32_t nobody = -1, somebody = -2;  // in place of a rank; somebody: not known who
  static constexpr unsigned most_hops = 128;
  static constexpr std::uint64_t most_chains = std::uint64_t{1} << 17;  // that all processes together follow

  // At an instant.
  struct Wait {
    instants::Cell cell = 0;
    std::int32_t whom = somebody;
    ScopeIndex scope{};         // of the call
    float length_ns = 0;        // of the wait
    Lap own;                    // of this process, to be compared with that of the other one
    Coming coming;              // of the other one
    bool is_its_doing = false;  // of the other one, surely
    float share = 1;            // how likely the other one is the cause
  };
  // What a process has waited for last at an instant.
  struct Next {
    std::int32_t whom = nobody;  // nobody: it has never waited
    float share = 0;
    instants::Cell cell = 0;
    std::uint32_t entry = 0;
  };
  struct Chain {
    enum End : std::uint8_t { open, at_rank, in_pattern, unknown };

    instants::Cell begin = 0, cell = 0;
    std::int32_t holder = 0;  // waits at `cell` for `whom`
    std::int32_t whom = 0;
    float share = 0;
    std::uint32_t entry = 0;  // in the log of `whom`, by which it came
    std::int32_t checkpoint = 0;
    std::uint16_t hops = 0;
    End end = open;
  };

  // moving: see Lap. work: the part of all time that is own work.
  void begin(std::int32_t rank, double moving, double work) {
    rank_ = rank;
    moving_ = moving;
    work_ = work;
  }
  float moving() const { return static_cast<float>(moving_); }
  bool add(Wait const& wait) { return waits_.push_back(wait); }
  // After all waits: in the order of their instants, one for each. With threads, prefers what is known.
  void order();
  // Judges how likely others are the cause. moving_of(rank): what moving() is on that process.
  template <class MovingOf>
  void judge(MovingOf&& moving_of) {
    for (Wait& wait : waits_)
      if (wait.whom >= 0) compare(wait, moving_of(wait.whom));
    share_noise();
  }
  PageVector<Wait> const& waits() const { return waits_; }

  // So that there are not more than the most chains.
  static unsigned level_for(std::int32_t ranks) {
    unsigned level = 0;
    while (static_cast<std::uint64_t>(ranks) * instants::most >> level > most_chains) ++level;
    return level;
  }
  // Begins chains from the waits whose hash is kept at the level: each process keeps others.
  PageVector<Chain>& chain(unsigned level);
  unsigned level() const { return level_; }
  // The latest wait until an instant, or else the first one.
  Next next(instants::Cell cell) const;
  // Decides whether the chain ends; if it is still open, chain.whom is to be asked for next(chain.cell).
  void advance(Chain& chain) const;
  static void follow(Chain& chain, Next const& next);
  // nullptr: it has none.
  Chain const* chain_of(instants::Cell cell) const;

 private:
  struct Judged {
    std::int32_t whom;
    ScopeIndex scope;
    std::uint32_t wait;
    float excess;  // of the own work of the other one, as a part of the wait; -1 to 1
    bool is_known;
  };

  void compare(Wait& wait, double moving_of_other);
  void share_noise();

  std::int32_t rank_ = 0;
  double moving_ = 1, work_ = 1;
  unsigned level_ = 0;
  PageVector<Wait> waits_;
  PageVector<Judged> judged_;
  PageVector<Chain> chains_;
};

}  // namespace commprof
