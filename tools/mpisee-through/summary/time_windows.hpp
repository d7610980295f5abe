// What ranks did in each window of time, from when.csv, and the efficiencies of the job in each window.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/overview.hpp"

namespace mpisee_through {

// A moment of the run: in seconds since the first MPI_Init, or as a share of its length.
struct RunMoment {
  double amount = 0;
  bool is_share = false;
  [[nodiscard]] double seconds(double end_s) const { return is_share ? amount * end_s : amount; }
};

// The part of the run to look at.
struct RunPart {
  std::optional<RunMoment> from{}, to{};

  // Parses 2.5-4, 300ms-, 62%-80%. Nothing if the text is no part of a run.
  [[nodiscard]] static std::optional<RunPart> parse(std::string_view text);
};

// Some ranks in some windows, or one of them in one.
struct WindowSum {
  std::uint64_t calls = 0, bytes = 0;
  double mpi_s = 0;                                                // of the selected kinds
  std::array<double, window_kinds.size()> of_kind_s{};             // in MPI, of each kind, in the order of window_kinds
  std::array<std::uint64_t, window_kinds.size()> calls_of_kind{};  // of the selected kinds
  double threads_s = 0;                                            // the time of all threads that call MPI
  double ranks_s = 0;                                              // the time of all ranks

  [[nodiscard]] std::optional<double> mpi_share() const { return share_of(mpi_s, threads_s); }
  [[nodiscard]] double all_mpi_s() const { return std::accumulate(of_kind_s.begin(), of_kind_s.end(), 0.0); }
  // The time outside MPI, of ranks whose threads are as busy as their mean.
  [[nodiscard]] double useful_s() const {
    return threads_s > 0 ? ranks_s * std::max(1 - all_mpi_s() / threads_s, 0.0) : 0;
  }
  WindowSum& operator+=(WindowSum const& other);
};

struct WindowSpan {
  double begin_s, end_s;

  [[nodiscard]] double length_s() const { return end_s - begin_s; }
};

// One rank, or neighbours that the profile adds up.
struct WindowGroup {
  RankSet ranks{};
  std::vector<WindowSum> windows{};

  [[nodiscard]] double size() const { return static_cast<double>(ranks.size()); }
};

struct TimeWindows : Overview {
  std::vector<WindowSpan> windows;
  std::vector<WindowGroup> groups;  // ascending

  // If not, the profile adds up neighbours.
  [[nodiscard]] bool has_single_ranks() const {
    return std::ranges::all_of(groups, [](WindowGroup const& one) { return one.ranks.size() == 1; });
  }
  [[nodiscard]] WindowSum job(std::size_t window) const;
  // The mean over ranks of the useful time, over the length of the window.
  [[nodiscard]] std::optional<double> parallel_efficiency(std::size_t window) const {
    return share_of(useful(window).all_s, useful(window).ranks * windows[window].length_s());
  }
  // The mean useful time of ranks over that of the busiest; with groups, of the busiest group: an upper bound.
  [[nodiscard]] std::optional<double> load_balance(std::size_t window) const {
    return share_of(useful(window).all_s, useful(window).most_s * useful(window).ranks);
  }

 private:
  struct Useful {
    double all_s = 0, most_s = 0, ranks = 0;  // most_s: of a rank
  };
  [[nodiscard]] Useful useful(std::size_t window) const;
};

// Whether the profile has windows of time.
[[nodiscard]] bool has_windows(Profile const& profile);

// Reads when.csv to its end. Ranks and kinds of the selection apply; a group that the profile adds up is selected by
// any of its ranks. Throws ProfileError, and SelectionError for a part without a window.
// overview: of the profile and the selection.
[[nodiscard]] TimeWindows read_windows(Profile const& profile, Selection const& selection, Overview const& overview,
                                       RunPart const& part = {});

// Joins each `windows` neighbouring windows, and each `groups` neighbouring groups, to one.
[[nodiscard]] TimeWindows joined(TimeWindows const& all, std::size_t windows, std::size_t groups);

}  // namespace mpisee_through
