#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reader/profile_reader.hpp"
#include "summary/efficiency.hpp"
#include "summary/selection.hpp"

namespace mpisee_through {

enum class HostIndex : std::uint32_t {};
enum class ProcessorsIndex : std::uint32_t {};

struct RankTimes {
  double wall_s = 0;
  double mpi_s = 0;
  std::optional<double> cpu_s{};     // processor time, of all threads
  std::optional<double> queued_s{};  // during which it could run and waited for a processor

  [[nodiscard]] std::optional<double> mpi_share() const { return share_of(mpi_s, wall_s); }
  [[nodiscard]] std::optional<double> queued_share() const {
    return queued_s && wall_s > 0 ? std::optional(*queued_s / wall_s) : std::nullopt;
  }
  [[nodiscard]] double useful_s() const { return std::max(wall_s - mpi_s, 0.0); }
};

// The head of every view: the run, and numbers of the selected ranks from ranks.csv.
struct Overview {
  std::string profile;  // the directory, as it was named
  Run run;
  std::uint64_t selected_ranks = 0;
  std::uint64_t hosts = 0;
  double wall_s = 0;
  double mpi_s = 0;
  Efficiency efficiency;
  // Of all ranks, selected or not.
  std::vector<HostIndex> host_of_rank;
  std::vector<RankTimes> times_of_rank;
  // Of all ranks; empty if it is not known of each. Receiving: in operations that may wait for a message; waiting: for
  // others, as far as it is measured.
  std::vector<double> receiving_of_rank;
  std::vector<double> waiting_of_rank;
  std::vector<std::string> host_names;  // the last is none if ranks are missing
  std::vector<ProcessorsIndex> processors_of_rank;
  std::vector<RankSet> processors;  // sets that ranks may run on; empty where it is unknown

  // Without the one of missing ranks.
  [[nodiscard]] std::span<std::string const> known_hosts() const {
    return std::span(host_names).first(host_names.size() - (run.lacks_ranks() ? 1 : 0));
  }
  [[nodiscard]] std::string const& host_of(WorldRank rank) const {
    return host_names[static_cast<std::size_t>(host_of_rank[static_cast<std::size_t>(rank)])];
  }
};

// Throws ProfileError, and SelectionError for a rank that the run did not have.
Overview read_overview(Profile const& profile, Selection const& selection);

// Throws SelectionError if the run did not have one of the ranks that the option names.
void check_ranks(std::string_view option, std::optional<RankSet> const& ranks, Run const& run);

}  // namespace mpisee_through
