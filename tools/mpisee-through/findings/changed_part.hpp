// What findings about a part of the run have in common: its sums, and how it is named.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "findings/change_point.hpp"
#include "summary/time_windows.hpp"

namespace mpisee_through {

// Some ranks in some windows.
struct PartSum {
  double length_s = 0;  // of the windows
  WindowSum sum{};

  [[nodiscard]] double calls() const { return static_cast<double>(sum.calls); }
  [[nodiscard]] double calls_a_second() const { return calls() / length_s; }
  [[nodiscard]] double bytes_a_call() const { return static_cast<double>(sum.bytes) / calls(); }
  [[nodiscard]] double useful_s_a_call() const { return sum.useful_s() / calls(); }
  [[nodiscard]] double share_of_calls(std::size_t kind) const {
    return static_cast<double>(sum.calls_of_kind[kind]) / calls();
  }
};

// Whether both parts have enough calls, of the same kinds, with as many bytes. Bytes tell a program that polls from one
// that communicates more often.
[[nodiscard]] bool have_same_calls(PartSum const& one, PartSum const& other, std::uint64_t enough);

// A part of the run that is slower than the rest: the changed one or, if that is faster, the windows before it.
class SlowerWindows {
 public:
  SlowerWindows(TimeWindows const& all, ChangedPart const& changed, bool is_within)
      : all_(all), changed_(changed), is_within_(is_within) {}

  [[nodiscard]] double begin_s() const { return is_within_ ? all_.windows[changed_.first].begin_s : 0; }
  [[nodiscard]] double end_s() const {
    return is_within_ ? all_.windows[changed_.end - 1].end_s : all_.windows[changed_.first].begin_s;
  }
  [[nodiscard]] double share_of_run() const { return (end_s() - begin_s()) / all_.windows.back().end_s; }
  // "From 62 % of the run on (since 14:20:31 UTC)"
  [[nodiscard]] std::string in_words() const;

 private:
  // In UTC, as the profile has the start; seconds since the start if it has none.
  [[nodiscard]] std::string time_of_day(double moment_s) const;

  TimeWindows const& all_;
  ChangedPart changed_;
  bool is_within_;
};

// The ranks of groups, ascending.
[[nodiscard]] std::vector<std::uint32_t> ranks_of(TimeWindows const& all, std::span<std::size_t const> groups);

// "rank 3 computes 4.0 times as long between calls". longer: how many times, of each group.
[[nodiscard]] std::string longer_in_words(std::vector<std::uint32_t> const& ranks, std::vector<double> const& longer);

// The options that show ranks, and what to try if they are slow for a part of the run.
[[nodiscard]] std::string options_for_ranks(TimeWindows const& all, std::vector<std::uint32_t> const& ranks);
[[nodiscard]] std::string advice_for_ranks(TimeWindows const& all, std::vector<std::uint32_t> const& ranks);

}  // namespace mpisee_through
