// The instants of a run, on the clock of this process.
//
// If all processes read one clock, an instant is a reading of it. If hosts have clocks of their own, instants are
// nanoseconds of the first host's monotonic clock: a process places them by the difference of the two clocks when the
// run began, and by its own monotonic clock since then. Two hosts may place an instant a little apart, by less than the
// margin. How far is known when the run has ended, so everything within the margin of an instant is logged.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/clock.hpp"
#include "base/common_clock.hpp"
#include "message_waits/instants.hpp"

namespace commprof {

class PlacedInstants {
 public:
  struct One {
    instants::Cell cell = 0;
    Ticks at;
    Ticks margin;
    std::uint64_t is_in_call = 0;  // 0 or 1; the process was in a call of MPI

    Ticks opens() const { return at - margin; }
    Ticks closes() const { return at + margin; }
  };

  // offset: from this host's clock to the first host's; nothing: all processes read one clock.
  void begin(Ticks now, std::optional<ClockOffset> const& offset);

  unsigned level() const { return level_; }
  // Whether placing the instants until now would make more of them than are kept.
  bool are_too_many(Ticks now) const;
  void halve();
  // Whether halve() will keep the instant.
  bool survives_halving(std::size_t i) const { return instants::is_kept(ones_[i].cell, level_ + 1); }
  // Labels number the blocks from that of the first instant on, so they change with the level. 0: before all instants.
  std::uint32_t label_of(instants::Cell cell) const {
    return cell < base_ ? 0 : static_cast<std::uint32_t>((cell >> level_) - (base_ >> level_)) + 1;
  }
  instants::Cell cell_of(std::uint32_t label) const { return instants::chosen(level_, (base_ >> level_) + label - 1); }
  // After halve(): the label of the latest instant until one that had this label before.
  std::uint32_t label_after_halving(std::uint32_t label) const {
    if (label == 0) return 0;
    instants::Cell const cell = instants::chosen(level_ - 1, (base_ >> (level_ - 1)) + label - 1);
    std::uint32_t after = label_of(cell);
    if (after > 0 && cell_of(after) > cell) --after;
    return after > 0 && cell_of(after) >= base_ ? after : 0;
  }
  // Places the instants until now. entry: of the call that ends now.
  void place(Ticks entry, Ticks now);
  static constexpr std::size_t most = instants::most + 2;
  std::size_t size() const { return count_; }
  One const& operator[](std::size_t i) const { return ones_[i]; }
  // The number of instants until a time.
  std::size_t count_until(Ticks time) const { return static_cast<std::size_t>(after(time) - begin()); }
  // The first instant that is not placed.
  One const& upcoming() const { return upcoming_; }

  // The latest instant until a time, and the latest one whose window has opened by then; nullptr: there is none.
  One const* latest(Ticks time) const {
    One const* const next = after(time);
    return next == begin() ? nullptr : next - 1;
  }
  One const* latest_open(Ticks time) const {
    if (time >= upcoming_.opens()) return &upcoming_;
    One const* const one = latest(time);
    One const* const next = one == nullptr ? begin() : one + 1;
    return next != end() && time >= next->opens() ? next : one;
  }
  One const* find(instants::Cell cell) const {
    One const* const found =
        std::lower_bound(begin(), end(), cell, [](One const& one, instants::Cell wanted) { return one.cell < wanted; });
    return found != end() && found->cell == cell ? found : nullptr;
  }
  bool lies_in(Ticks entry, Ticks exit) const {
    One const* const one = latest(exit);
    return one != nullptr && one->at > entry;
  }
  // Calls visit(one) for each instant after `entry`, until `exit`.
  template <class Visitor>
  void for_each(Ticks entry, Ticks exit, Visitor&& visit) const {
    for (One const* one = after(entry); one != end() && one->at <= exit; ++one) visit(*one);
  }

  // For the end of the run: from now on, instants are on the common clock.
  void convert(CommonClock const& clock);
  // The first host's monotonic clock, as far as it is known without a second comparison: hosts may have drifted apart.
  CommonClock clock_of_first_host() const;
  // For values that were read from a file: whether they can be used.
  bool are_sound() const { return level_ < 64 && count_ <= std::size(ones_) && has_offset_ <= 1; }

 private:
  One const* begin() const { return ones_; }
  One const* end() const { return ones_ + count_; }
  One const* after(Ticks time) const {
    return std::upper_bound(begin(), end(), time, [](Ticks wanted, One const& one) { return wanted < one.at; });
  }
  // The two clocks' times of one moment.
  struct Moment {
    Ticks here;
    std::uint64_t there = 0;
  };
  Moment moment(Ticks now) const;
  One placed(instants::Cell cell) const;

  std::uint64_t has_offset_ = 0;  // 0 or 1; a bool in a damaged file might be neither
  ClockOffset offset_;
  Moment first_, latest_;  // the first and the latest moment at which this process has compared the clocks
  instants::Cell base_ = 0;
  unsigned level_ = 0;
  One upcoming_;
  std::size_t count_ = 0;
  One ones_[most];
};

}  // namespace commprof
