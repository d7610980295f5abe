// Finds whether ranks got the processors that they needed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// A set of processors of one host that has more ranks than processors.
struct CrowdedProcessors {
  HostIndex host;
  std::uint64_t ranks;
  std::uint64_t processors;
  bool are_all_of_host;  // whether these are all processors that ranks of this host may use
  // How many of the processors the ranks got, by their processor time; only if other processes must have used the rest.
  std::optional<double> got_beside_others{};
};

class ProcessorWaits {
 public:
  // The overview must outlive this.
  explicit ProcessorWaits(Overview const& overview);

  // The share of a rank's wall time that it has lost at least because it could run but waited for a processor, 0 to 1:
  // outside MPI, and in calls that move data. In calls that wait for other ranks, it would not have gone on. If the
  // profile does not know when it waited: all such time. If the system has not counted it: for a rank on the most
  // crowded host, the share without a processor; otherwise 0.
  [[nodiscard]] double of(std::uint32_t rank) const;
  // The mean over those of these ranks that compute most; 0 if the profile knows what they compute.
  [[nodiscard]] double of_busiest(std::span<RankSummary const> ranks) const;
  // The mean over the wall time of all ranks.
  [[nodiscard]] double of_all() const;
  // The share of the time in calls without waiting, of all ranks.
  [[nodiscard]] double of_calls() const;

  // The set of processors with the most ranks for each processor.
  [[nodiscard]] std::optional<CrowdedProcessors> const& most_crowded() const { return most_crowded_; }

  // What a rank has lost in calls, where nobody was waited for; nothing if the profile does not know.
  [[nodiscard]] std::optional<double> inside_calls_s(std::uint32_t rank) const;

 private:
  // In calls, where nobody was waited for.
  [[nodiscard]] double moving_s(std::uint32_t rank) const;

  Overview const& overview_;
  std::optional<CrowdedProcessors> most_crowded_;
};

}  // namespace mpisee_through
